package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// Name is the name of the suite in every report.
const Name = "authenticator-conformance"

// commit is the commit of the sources, set by the linker (see the Makefile).
var commit string

// version is set by the linker in a release (see .ci/release).
var version string

// Version is the version of the suite: that of the release, or else the one that Go gives the commit of the build, such
// as 1.2.3 for a tag or 0.0.0-20261123015423-5e600985ed5c. Without either, as in a test, it is 0.0.0.
var Version = cmp.Or(version, versionOfBuild(), "0.0.0")

// buildInfo is what Go put into the binary: nothing, if it was built without modules.
var buildInfo = func() debug.BuildInfo {
	info, _ := debug.ReadBuildInfo()
	return *cmp.Or(info, &debug.BuildInfo{})
}()

// versionOfBuild returns the version of the suite's module in this binary, without its leading v, or "".
func versionOfBuild() string {
	for _, module := range append(buildInfo.Deps, &buildInfo.Main) {
		if module.Path == Name && strings.HasPrefix(module.Version, "v") {
			return module.Version[1:]
		}
	}
	return ""
}

// Suite identifies the build that judged, its contract and its dependencies.
type Suite struct {
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	Contract  string            `json:"contract"`
	Commit    string            `json:"commit"` // of the sources, with "+changed" if they were modified; "" if unknown
	Go        string            `json:"go"`
	Libraries map[string]string `json:"libraries"` // versions by module path
	Files     map[string]string `json:"files"`     // digests of the schemas and the catalogue by name
}

// Commit returns the commit of the sources that the linker or Go put into the binary, with "+changed" if they were
// modified. It is "" if the build has none.
func Commit() string {
	revision, changed := "", ""
	for _, setting := range buildInfo.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = "+changed"
		}
	}
	if commit != "" || revision == "" {
		return commit
	}
	return revision + changed
}

// SuiteOf describes this build, with the given digest of the contract. The maps are shared: do not change them.
func SuiteOf(contract string) Suite {
	s := build()
	s.Contract = contract
	return s
}

// build describes this build. A run needs it three times.
var build = sync.OnceValue(func() Suite {
	s := Suite{Name: Name, Version: Version, Commit: Commit(), Libraries: map[string]string{},
		Files: map[string]string{}, Go: buildInfo.GoVersion}
	for _, library := range buildInfo.Deps {
		s.Libraries[library.Path] = library.Version
	}
	files := schemas.Files()
	names, _ := fs.Glob(files, "*") // the pattern is valid
	for _, name := range names {
		if content, err := fs.ReadFile(files, name); err == nil {
			s.Files[name] = exchange.DigestOf(content)
		}
	}
	return s
})

// Subject is what a report is about: the product as its owner names it, and what the target showed of itself.
type Subject struct {
	Product  string                                `json:"product,omitempty"`
	Version  string                                `json:"version,omitempty"`
	Build    string                                `json:"build,omitempty"`
	Versions map[schemas.Version]settings.Release  `json:"versions,omitempty"`
	Owner    string                                `json:"owner,omitempty"`
	Observed map[schemas.Version]exchange.Observed `json:"observed"`

	validFor int // days
}

// SubjectOf returns the subject of a run or a sweep.
func SubjectOf(s settings.Subject, all map[schemas.Version]exchange.Observed, out *sanitize.Output) *Subject {
	releases := map[schemas.Version]settings.Release{} // left out if it is empty
	for v, release := range s.Versions {
		releases[v] = settings.Release{Version: out.Text(release.Version, 0), Build: out.Text(release.Build, 0)}
	}
	return &Subject{out.Text(s.Product, 0), out.Text(s.Version, 0), out.Text(s.Build, 0), releases,
		out.Text(s.Owner, 0), out.Observed(all), s.ValidFor}
}

// String returns the product as its owner names it, on one line; "" if it has no name.
func (s *Subject) String() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct{ word, text string }{{"", s.Product}, {"version ", s.Version}, {"build ", s.Build},
		{"of ", s.Owner}} {
		if part.text != "" {
			parts = append(parts, part.word+part.text)
		}
	}
	return strings.Join(parts, ", ")
}

// Describe adds the product to the head of a document, and what the target showed of itself to its facts.
func (s *Subject) Describe(d *Document) {
	if s == nil {
		return
	}
	if product := s.String(); product != "" {
		d.Head = slices.Insert(d.Head, 1, Fact{Name: "Product", Value: product})
	}
	for _, v := range schemas.InOrder(s.Observed) {
		one := s.Observed[v]
		d.Fact("Server header of "+string(v), one.Server, true)
		if one.TLS != nil {
			d.Fact("Certificate of "+string(v), fmt.Sprintf("key %s, issued by %s, until %s", one.TLS.Key,
				one.TLS.Issuer,
				one.TLS.Until.Format(time.DateOnly)), true)
		}
	}
}

// Fingerprints identify what reports must share to be compared, by digests.
type Fingerprints struct {
	Contract string `json:"contract"`
	Settings string `json:"settings"` // those that change verdicts
	Users    string `json:"users"`
}

// RulesOf returns the digest of the settings that change verdicts.
func RulesOf(s *settings.Settings, now time.Time, out *sanitize.Output) string {
	return exchange.DigestOf(s.Rules(now, out.Clean))
}

// FingerprintsOf returns the fingerprints of a run that began at a time.
func FingerprintsOf(s *settings.Settings, c *schemas.Contract, started time.Time, out *sanitize.Output) *Fingerprints {
	return &Fingerprints{c.Digest, RulesOf(s, started, out), usersOf(s, out).Digest}
}

// String returns the first characters of each. Reports with the same ones can be compared.
func (f *Fingerprints) String() string {
	const length = 8
	short := func(digest string) string {
		_, hex, isDigest := strings.Cut(digest, ":")
		if !isDigest {
			return digest // words for the embedded users
		}
		return hex[:min(length, len(hex))]
	}
	text := fmt.Sprintf("contract %s, settings %s", short(f.Contract), short(f.Settings))
	if f.Users != "" { // a sweep has them at its end
		text += ", users " + short(f.Users)
	}
	return text
}

// RecordedWords describes the record of a version that was read instead of asking it, for the first lines of a report.
// The other version was asked at a time.
func RecordedWords(r *exchange.Recorded, asked time.Time) string {
	const day = 24 * time.Hour
	age := wording.Count(int64(asked.Sub(r.Started)/day), "day")
	return fmt.Sprintf("%s, %s; %s before the other version was asked, on %s; it certifies nothing", r,
		wording.Count(r.Users, "user"), age, asked.UTC().Format(time.DateOnly))
}

// Recorded puts what was recorded into the first lines of a document.
func (d *Document) Recorded(name, text string) {
	d.Lead = append(d.Lead, name+" "+text)
	d.Head = slices.Insert(d.Head, min(1, len(d.Head)), Fact{Name: name, Value: text})
}
