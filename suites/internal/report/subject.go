package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

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
