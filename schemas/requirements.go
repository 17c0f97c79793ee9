package schemas

import (
	_ "embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Kind is how a requirement can be judged.
type Kind string

// The kinds: Documented rows get a verdict, Open ones an observation, Excluded ones can't be observed from outside.
const (
	Documented Kind = "documented"
	Open       Kind = "open"
	Excluded   Kind = "excluded"
)

// Risk is what a probe may cause on a live service. Its values are the labels that filter probes.
type Risk string

// The risks, mildest first: a well-formed request; one that a right service refuses; one with a bad token, which may
// count towards a lockout of the administrator.
const (
	Read        Risk = "read"
	Negative    Risk = "negative"
	AuthFailure Risk = "auth-failure"
)

// Requirement is one row of the catalogue.
type Requirement struct {
	// ID is unique, such as "2.1/CreatedOn", "open/7/null-field" or "excluded/6/events".
	ID string `yaml:"id"`
	// Section of the document, such as "2.1"; it is part of the id.
	Section string `yaml:"-"`
	// Kind is part of the id too.
	Kind Kind `yaml:"-"`
	// Operations are those that the row is about, in the document's order; never empty unless the row is Excluded.
	Operations []Operation `yaml:"operations"`
	// Parity rows are judged between v5 and v6, once, not per version (§9.3).
	Parity bool `yaml:"parity"`
	// Setting is the setting that must be "fail" for the row to exist; "" if the row always exists.
	Setting string `yaml:"setting"`
	// Risk is the highest risk of the probes that the row needs; "" for an Excluded row, which needs none.
	Risk Risk `yaml:"risk"`
	// Rules are the judging rules that apply, such as J4, the first one first; none for many Open rows.
	Rules []string `yaml:"rules"`
	// Statement is one sentence: what a right service does, or what is observed. That of a row of parity names all
	// versions that are compared; StatementOf names those of one pair.
	Statement string `yaml:"statement"`
	// Compare reports whether v5 and v6 are compared on an Open row. It is false for what may differ between two
	// identical calls, and for rows of the other kinds.
	Compare bool `yaml:"compare"`
	// Shows is what of a user's record the row's observations show: "values", "names" of members, or "" for neither.
	Shows string `yaml:"shows"`
	// Versions are those in which the row holds. A row of parity holds for the pairs of which both are among these.
	Versions []Version `yaml:"-"`
	// Reason is why an Excluded row can't be observed from outside the service; "" for other rows.
	Reason string `yaml:"reason"`

	template string // the statement, with {versions} for the names of the versions
}

//go:embed README.md
var readme string

// Rule returns the heading of a judging rule, such as "Boolean", and its text; both are "" if there is none.
func Rule(id string) (heading, text string) {
	_, rest, found := strings.Cut(readme, "\n### "+id+" ")
	if !found {
		return "", ""
	}
	section, _, _ := strings.Cut(rest, "\n### ")
	heading, text, _ = strings.Cut(section, "\n")
	return heading, strings.TrimSpace(text)
}

// StatementOf returns the statement about a version or a pair.
func (r Requirement) StatementOf(v Version) string {
	return strings.ReplaceAll(r.template, "{versions}", v.Both())
}

// requirementID splits an id into its kind ("" for documented) and its section.
var requirementID = regexp.MustCompile(`^(?:(open|excluded)/)?([0-9](?:\.[0-9])?)/[A-Za-z-]+(?:/[a-z]+)?$`)

// In reports whether the row holds in a version, or in both versions of a pair.
func (r Requirement) In(v Version) bool {
	for release := range strings.SplitSeq(string(v), "=") {
		if !slices.Contains(r.Versions, Version(release)) {
			return false
		}
	}
	return true
}

// readCatalogue reads the rows. A test checks that each has what its kind needs.
func (c *Contract) readCatalogue(files fs.FS) error {
	content, err := fs.ReadFile(files, catalogueFile)
	if err != nil {
		return fmt.Errorf("the catalogue %s can't be read: %w", catalogueFile, err)
	}
	var rows []yaml.Node
	if err := yaml.Load(content, &rows); err != nil {
		return fmt.Errorf("%s: expected a YAML list of rows: %w", catalogueFile, err)
	}
	for _, row := range rows {
		r := struct {
			Requirement `yaml:",inline"`
			span        `yaml:",inline"`
		}{Requirement: Requirement{Kind: Documented, Compare: true}}
		if err := row.Load(&r, yaml.WithKnownFields()); err != nil {
			return fmt.Errorf("%s:%d: %w", catalogueFile, row.Line, err)
		}
		if r.Versions, err = r.in(c.Versions); err != nil {
			return fmt.Errorf("%s:%d: %w", catalogueFile, row.Line, err)
		}
		parts := requirementID.FindStringSubmatch(r.ID)
		if parts == nil {
			return fmt.Errorf("%s:%d: the id %q is not of the form SECTION/NAME, open/SECTION/NAME or "+
				"excluded/SECTION/NAME", catalogueFile, row.Line, r.ID)
		}
		r.Section = parts[2]
		if parts[1] != "" {
			r.Kind = Kind(parts[1])
		}
		r.Compare = r.Compare && r.Kind == Open
		r.template = r.Statement
		r.Statement = strings.ReplaceAll(r.template, "{versions}", Named(r.Versions))
		c.Requirements = append(c.Requirements, r.Requirement)
	}
	return nil
}
