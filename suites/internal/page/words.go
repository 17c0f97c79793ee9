package page

import (
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// certificate returns the head of the page: the verdict with its reason, and the target and suite.
func (b *budget) certificate(d *report.Document, of, suite string, target map[schemas.Version]string) summary {
	s := summary{State: d.State, Of: of, Sentence: b.text(d.Sentence), Scope: b.text(d.Scope), Error: b.lines(d.Error),
		Suite: b.text(suite), Where: "no target"}
	s.State.Word = b.text(d.State.Word)
	for _, v := range schemas.Versions() {
		if target[v] != "" {
			s.Where = b.text(target[v])
		}
	}
	for _, f := range d.Facts {
		value := b.name(f.Value)
		if f.Exact {
			value = b.text(f.Value)
		}
		s.Facts = append(s.Facts, fact{f.Name, value, f.Exact})
	}
	return s
}

// elsewhere names the files with the rest.
func (b *builder) elsewhere() string {
	text := "The whole run is in " + report.JSONFile
	if b.store != nil {
		text += ", what was sent and received in " + report.EvidenceFile
	}
	return text + "."
}

// affected returns for how many users a row failed, or the number of findings if none has a user.
func (b *builder) affected(r *report.Row) string {
	if r.Users > 0 && b.report.Users != nil {
		return fmt.Sprintf("%d of %s", r.Users, wording.Count(b.report.Users.Count, "user"))
	}
	if r.Users > 0 {
		return wording.Count(r.Users, "user")
	}
	return wording.Count(r.FindingCount, "finding")
}

// basisOf returns what the verdict of a row is based on.
func (b *builder) basisOf(r *report.Row) string {
	switch {
	case r.FindingCount > 0:
		return b.affected(r) + ", " + wording.Count(len(r.Causes), "cause")
	case r.Witnesses > 0:
		return wording.Plural(r.Witnesses, "witness", "witnesses")
	case r.Reason != nil:
		return redact.Printable(string(*r.Reason), briefText)
	}
	return ""
}
