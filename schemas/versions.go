package schemas

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Version is a release of the API, by its path segment (§9.1), or a pair of releases, such as v5=v6, in rows about
// both.
type Version string

// The releases, and Parity, which is the version of rows about both releases.
const (
	V5     Version = "v5"
	V6     Version = "v6"
	Parity Version = "v5=v6"
)

// IsPair reports whether rows of this version are about a pair of releases.
func (v Version) IsPair() bool { return strings.Contains(string(v), "=") }

// Covers reports whether rows of this version are about a release: it is the release, or a pair with it.
func (v Version) Covers(release Version) bool {
	return slices.Contains(strings.Split(string(v), "="), string(release))
}

// Both returns the names of a pair for a sentence: "v5 and v6".
func (v Version) Both() string { return strings.ReplaceAll(string(v), "=", " and ") }

// Named returns the names of versions for a sentence: "v5", "v5 and v6", or "v5, v6 and v7".
func Named(versions []Version) (text string) {
	for i, v := range versions {
		switch {
		case i == 0:
		case i == len(versions)-1:
			text += " and "
		default:
			text += ", "
		}
		text += string(v)
	}
	return text
}

// InOrder returns the versions of a map, the oldest first.
func InOrder[T any](of map[Version]T) []Version {
	return slices.SortedFunc(maps.Keys(of), func(a, b Version) int {
		return cmp.Or(len(a)-len(b), strings.Compare(string(a), string(b)))
	})
}

// Pair is two versions that are compared: the one that its users leave, and the one that they go to (§9.3).
type Pair struct {
	From Version `yaml:"from"`
	To   Version `yaml:"to"`
}

// Version returns the version of rows about the pair.
func (p Pair) Version() Version { return p.From + "=" + p.To }

// Versions lists the releases of the embedded contract, in the document's order.
func Versions() []Version { return slices.Clone(embeddedVersions().Versions) }

// Pairs lists the pairs of the embedded contract that are compared.
func Pairs() []Pair { return slices.Clone(embeddedVersions().Pairs) }

var embeddedVersions = sync.OnceValue(func() *Contract {
	c := &Contract{}
	return must(c, c.readVersions(embedded))
})

// Neighbours returns the names of the versions before the first and after the last, which the document does not have.
func (c *Contract) Neighbours() (before, after string) {
	name := func(v Version, step int) string {
		number, _ := strconv.Atoi(strings.TrimPrefix(string(v), "v")) // readVersions checks their form
		return "v" + strconv.Itoa(number+step)
	}
	return name(c.Versions[0], -1), name(c.Versions[len(c.Versions)-1], 1)
}

// versionForm is the form of a version's name.
var versionForm = regexp.MustCompile(`^v[0-9]+$`)

// PairsOf returns the pairs of which both versions are among the given ones.
func (c *Contract) PairsOf(versions []Version) []Pair {
	return slices.DeleteFunc(slices.Clone(c.Pairs), func(p Pair) bool {
		return !slices.Contains(versions, p.From) || !slices.Contains(versions, p.To)
	})
}

// VersionsOf returns the versions in which a row holds among the given releases: these, or for a row of parity the
// pairs of them.
func (c *Contract) VersionsOf(r Requirement, releases []Version) []Version {
	versions := slices.Clone(releases)
	if r.Parity {
		versions = nil
		for _, pair := range c.PairsOf(releases) {
			versions = append(versions, pair.Version())
		}
	}
	return slices.DeleteFunc(versions, func(v Version) bool { return !r.In(v) })
}

// readVersions reads the releases and the pairs that are compared.
func (c *Contract) readVersions(files fs.FS) error {
	content, err := fs.ReadFile(files, versionsFile)
	if err != nil {
		return fmt.Errorf("the versions in %s can't be read: %w", versionsFile, err)
	}
	var listed struct {
		Versions []struct {
			Name    Version `yaml:"name"`
			Product string  `yaml:"product"`
		} `yaml:"versions"`
		Pairs    []Pair   `yaml:"pairs"`
		Formerly []string `yaml:"formerly"`
	}
	if err := yaml.Load(content, &listed, yaml.WithKnownFields()); err != nil {
		return fmt.Errorf("%s: expected versions and pairs: %w", versionsFile, err)
	}
	for _, v := range listed.Versions {
		if !versionForm.MatchString(string(v.Name)) {
			return fmt.Errorf("%s: %q is no version; expected one such as v7", versionsFile, v.Name)
		}
		c.Versions = append(c.Versions, v.Name)
	}
	c.formerly = listed.Formerly
	if c.Pairs = listed.Pairs; len(c.PairsOf(c.Versions)) < len(c.Pairs) || len(c.Versions) == 0 {
		return fmt.Errorf("%s: expected at least one version, and pairs of these", versionsFile)
	}
	return nil
}

// span is the versions in which a row of the catalogue or a member of a schema holds: all, or those from one on, or
// until one.
type span struct {
	Since Version `yaml:"since" json:"since"`
	Until Version `yaml:"until" json:"until"`
}

// in lists the versions of a span, in the order of all versions. The error names a version that does not exist.
func (s span) in(versions []Version) ([]Version, error) {
	first, last := 0, len(versions)-1
	if s.Since != "" {
		first = slices.Index(versions, s.Since)
	}
	if s.Until != "" {
		last = slices.Index(versions, s.Until)
	}
	if first < 0 || last < first {
		return nil, fmt.Errorf("since %q, until %q: expected versions of %s, in their order", s.Since, s.Until,
			versionsFile)
	}
	return versions[first : last+1], nil
}

// Operation is one of the two operations of the Authenticator group (§4).
type Operation string

// The operations, named as in their paths.
const (
	GetUserAuth   Operation = "getUserAuth"
	FindByUserIDs Operation = "findByUserIds"
)

// Operations lists the operations in the document's order.
func Operations() []Operation { return []Operation{GetUserAuth, FindByUserIDs} }

// Path returns the path of an operation below the base URL (§4), for example "/api/v5/authenticator/getUserAuth".
func Path(v Version, op Operation) string {
	return "/api/" + string(v) + "/authenticator/" + string(op)
}
