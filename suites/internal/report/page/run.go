package page

import (
	"io"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
)

// Write writes report.html, made of a report and the exchanges that its findings name. The same input gives the same
// bytes, at most MaxSize of them. The store may be nil, for a run that could not begin. If it lacks an exchange, the
// page shows a note in its place.
//
// An error is either from w or a bug in the templates.
func Write(w io.Writer, r *report.Report, store evidence.Store) error {
	p := &runPage{frame: newFrame("run", r.Document(), r.Suite.Name, report.JSONFile), Report: r,
		HasEvidence: store != nil}
	if r.Error == nil { // else no rows are shown: partial results must not count against the target
		p.addSections()
		addExamples(p.Rows, store)
	}
	return p.write(w, "run.html", p)
}

// runPage is the page of a run.
type runPage struct {
	*frame
	*report.Report
	HasEvidence bool
	Sections    []*section
	Rows        []*row // of all sections
}

// Unfolded reports whether the details are unfolded.
func (p *runPage) Unfolded() bool { return p.Certifies }

// section is a section of the document, with its requirements in the order of the report.
type section struct {
	Anchor, Number string
	Requirements   []*requirement
	Rows           []*row
}

// requirement is the rows of one requirement, one for each version.
type requirement struct{ Rows []*row }

// row is a row of the report with the id of its entry on the page.
type row struct {
	*report.Row
	Anchor   string
	Examples []*example
}

// addSections groups the rows by section and requirement.
func (p *runPage) addSections() {
	sections, requirements := map[string]*section{}, map[[2]string]*requirement{}
	for i := range p.Requirements[:min(len(p.Requirements), p.limits["check"])] {
		r := &row{Row: &p.Requirements[i]}
		s := sections[r.Section]
		if s == nil {
			s = &section{Number: r.Section, Anchor: p.id("section", p.name(r.Section))}
			sections[r.Section], p.Sections = s, append(p.Sections, s)
		}
		key := [2]string{r.Section, r.ID}
		if requirements[key] == nil {
			requirements[key] = &requirement{}
			s.Requirements = append(s.Requirements, requirements[key])
		}
		r.Anchor = p.id(r.ID, r.Version)
		requirements[key].Rows = append(requirements[key].Rows, r)
		s.Rows = append(s.Rows, r)
	}
	for _, s := range p.Sections {
		p.Rows = append(p.Rows, s.Rows...)
	}
	for _, r := range p.Rows {
		p.hrefs[[2]string{r.ID, string(r.Version)}] = r.Href()
	}
}

// Lines returns the rows that fit on one line. Reasons and waivers are shown once, above all rows.
func (r *requirement) Lines() []*row { return rowsThat(r.Rows, (*row).isPlain) }

// Entries returns the rows with more to show.
func (r *requirement) Entries() []*row {
	return rowsThat(r.Rows, func(r *row) bool { return !r.isPlain() })
}

func (r *row) isPlain() bool { return len(r.Notes) == 0 && len(r.Causes) == 0 }

// Href returns the fragment of the row's URL.
func (r *row) Href() string { return "#" + r.Anchor }

// Href returns the fragment of the section's URL.
func (s *section) Href() string { return "#" + s.Anchor }

func rowsThat(rows []*row, holds func(*row) bool) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !holds(r) })
}

// Basis returns what the verdict of a row is based on.
func (p *runPage) Basis(r *row) string {
	switch {
	case r.FindingCount > 0:
		return p.Affected(r.Row) + ", " + wording.Count(len(r.Causes), "cause")
	case r.Witnesses > 0:
		return wording.Plural(r.Witnesses, "answer shows it", "answers show it")
	case r.Reason != nil:
		return p.name(*r.Reason)
	}
	return ""
}

// Sentence returns one finding of a cause in words; "" if an example shows it.
func (p *runPage) Sentence(r *row, c report.Cause) string {
	for _, e := range r.Examples[:min(len(r.Examples), p.limits["example"])] {
		if slices.ContainsFunc(e.Findings, c.Includes) {
			return ""
		}
	}
	return c.Example
}

// Filter returns the filter over the rows.
func (p *runPage) Filter() []choice {
	return []choice{
		newChoice("section", "Section", p.Sections, func(s *section) option {
			return option{p.name(s.Number), "§" + p.name(s.Number) + " " + p.text(p.Headings[s.Number])}
		}),
		newChoice("version", "Version", p.Columns(),
			func(v schemas.Version) option { return option{p.name(v), p.name(v)} }),
		newChoice("verdict", "Verdict", report.CountStates(p.Rows),
			func(s report.StateCount) option { return option{s.Name, s.Word} }),
	}
}
