package page

import (
	"fmt"
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
	p.Unfolded = r.Certifies
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

// section is a section of the document, with the rows of each of its requirements in the order of the report.
type section struct {
	Anchor, Number string
	Requirements   [][]*row
}

// row is a row of the report with the id of its entry on the page.
type row struct {
	*report.Row
	Anchor   string
	Examples []*example
}

// addSections groups the rows by section and requirement.
func (p *runPage) addSections() {
	for i := range p.Requirements[:min(len(p.Requirements), p.limits["check"])] {
		r := &row{Row: &p.Requirements[i]}
		last := len(p.Rows) - 1
		if last < 0 || p.Rows[last].Section != r.Section {
			p.Sections = append(p.Sections, &section{Number: r.Section, Anchor: p.id("section", p.name(r.Section))})
		}
		s := p.Sections[len(p.Sections)-1]
		if n := len(s.Requirements); n > 0 && p.Rows[last].ID == r.ID {
			s.Requirements[n-1] = append(s.Requirements[n-1], r)
		} else {
			s.Requirements = append(s.Requirements, []*row{r})
		}
		r.Anchor = p.id(r.ID, r.Version)
		p.Rows, p.hrefs[[2]string{r.ID, string(r.Version)}] = append(p.Rows, r), "#"+r.Anchor
	}
}

// Those returns the rows of a requirement that fit on one line, or those with more to show. Reasons and waivers are
// shown once, above all rows.
func (p *runPage) Those(rows []*row, plain bool) []*row {
	return slices.DeleteFunc(slices.Clone(rows),
		func(r *row) bool { return plain != (len(r.Notes) == 0 && len(r.Causes) == 0) })
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

// Points returns the open points, unless the run was not carried out.
func (p *runPage) Points() []report.Observation {
	if p.Error != nil {
		return nil
	}
	return p.Observations
}

// agreement returns whether the versions agree at an open point.
func agreement(o report.Observation) string {
	switch {
	case o.Explained:
		return "differ, by what failed"
	case o.Diverges():
		return "differ"
	case o.Agree != nil:
		return "alike"
	}
	return "not compared"
}

// seen is what a version shows at an open point, in a cell that spans Columns.
type seen struct {
	By      string
	Columns int
	Parts   report.SeenBy
}

// cellsOf returns what each version shows at an open point, or all of them alike.
func cellsOf(o report.Observation) (cells []seen) {
	for _, v := range o.Seen.Versions() {
		cells = append(cells, seen{string(v), 1, o.Seen.Of(v)})
	}
	other := func(s seen) bool { return !slices.Equal(s.Parts, cells[0].Parts) }
	if !slices.ContainsFunc(cells, other) {
		return []seen{{"both", len(cells), cells[0].Parts}}
	}
	return cells
}

// Compared says how many open points were compared, and at how many the versions differ.
func (p *runPage) Compared() string {
	compared, differ, names := 0, 0, schemas.Named(p.Observations[0].Seen.Versions())
	for _, o := range p.Observations {
		if o.Explained || o.Agree != nil {
			compared++
		}
		if o.Explained || o.Diverges() {
			differ++
		}
	}
	if compared == 0 {
		return names + " were compared at none of them."
	}
	return fmt.Sprintf("%s differ at %d of the %d at which they were compared.", names, differ, compared)
}
