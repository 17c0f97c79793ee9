package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
)

// Subject is what a report is about: the product as its owner names it, and what the target showed of itself.
type Subject struct {
	Product  string                                `json:"product,omitempty"`
	Version  string                                `json:"version,omitempty"`
	Build    string                                `json:"build,omitempty"`
	Owner    string                                `json:"owner,omitempty"`
	Observed map[schemas.Version]exchange.Observed `json:"observed"`

	validFor int // days
}

func subjectOf(r *run.Run, out *sanitize.Output) *Subject {
	s, observed := r.Settings.Subject, out.Observed(r.Observed())
	if observed == nil {
		observed = map[schemas.Version]exchange.Observed{}
	}
	return &Subject{out.Text(s.Product, 0), out.Text(s.Version, 0), out.Text(s.Build, 0), out.Text(s.Owner, 0),
		observed, s.ValidFor}
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

// describe appends what the target showed of itself.
func (s *Subject) describe(d *Document) {
	for _, v := range schemas.InOrder(s.Observed) {
		one := s.Observed[v]
		d.Fact("Server header of "+string(v), one.Server, true)
		if one.TLS != nil {
			d.Fact("Certificate of "+string(v), fmt.Sprintf("key %s, issued by %s, until %s", one.TLS.Key, one.TLS.Issuer,
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

// FingerprintsOf returns the fingerprints of a run.
func FingerprintsOf(r *run.Run, out *sanitize.Output) *Fingerprints {
	rules := sha256.Sum256(r.Settings.Rules(r.Started))
	return &Fingerprints{r.Contract.Digest, out.Digest("sha256:" + hex.EncodeToString(rules[:])), usersOf(r, out).Digest}
}

// String returns the first characters of each. Reports with the same ones can be compared.
func (f *Fingerprints) String() string {
	const length = 8
	short := func(digest string) string {
		_, hex, _ := strings.Cut(digest, ":")
		return hex[:min(length, len(hex))]
	}
	return fmt.Sprintf("contract %s, settings %s, users %s", short(f.Contract), short(f.Settings), short(f.Users))
}

// certify sets until when a certificate holds: the last day, in UTC.
func (r *Report) certify() {
	r.ValidUntil = nil
	if r.Certifies && r.Subject != nil && r.Subject.validFor > 0 && r.Finished != nil {
		day := r.Finished.AddDate(0, 0, r.Subject.validFor).Format(time.DateOnly)
		r.ValidUntil = &day
	}
}
