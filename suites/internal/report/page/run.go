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
	Rows        []*row            // of all sections
	Columns     []schemas.Version // of these
}

// Unfolded reports whether the details are unfolded.
func (p *runPage) Unfolded() bool { return p.Certifies }

// Failures returns one item for each thing that is broken.
func (p *runPage) Failures() []report.Item {
	if p.Error != nil {
		return nil
	}
	return p.Doc.Items("failures")
}

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
		if len(p.Columns) < maxColumns && !slices.Contains(p.Columns, r.Version) {
			p.Columns = append(p.Columns, r.Version)
		}
	}
}

// maxColumns is the largest number of versions, and comparisons between them, that are shown.
const maxColumns = 8

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

// Waived returns the rows that the target's owner waives.
func (p *runPage) Waived() []*row {
	return rowsThat(p.Rows, func(r *row) bool { return r.Waiver != nil })
}

func rowsThat(rows []*row, holds func(*row) bool) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !holds(r) })
}

// Link returns the fragment of a row's URL; "" if the page does not show it.
func (p *runPage) Link(id string, version schemas.Version) string {
	for _, r := range p.Rows {
		if r.ID == id && r.Version == version {
			return r.Href()
		}
	}
	return ""
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

// cell is the number of rows of one section, or of all, in one version by state.
type cell struct {
	Section string
	Version schemas.Version
	States  []report.StateCount
}

// Cells counts the rows of a section, or of all, for each version.
func (p *runPage) Cells(section string, rows []*row) []cell {
	var cells []cell
	for _, version := range p.Columns {
		in := rowsThat(rows, func(r *row) bool { return r.Version == version })
		cells = append(cells, cell{section, version, countStates(in)})
	}
	return cells
}

func countStates(rows []*row) []report.StateCount {
	var list []*report.Row
	for _, r := range rows {
		list = append(list, r.Row)
	}
	return report.CountStates(list)
}

// Filter returns the filter over the rows.
func (p *runPage) Filter() []choice {
	return []choice{
		newChoice("section", "Section", p.Sections, func(s *section) option {
			return option{p.name(s.Number), "§" + p.name(s.Number) + " " + p.text(p.Headings[s.Number])}
		}),
		newChoice("version", "Version", p.Columns,
			func(v schemas.Version) option { return option{p.name(v), p.name(v)} }),
		newChoice("verdict", "Verdict", countStates(p.Rows),
			func(s report.StateCount) option { return option{s.Name, s.Word} }),
	}
}

// undecided is all rows that are inconclusive for one reason.
type undecided struct {
	report.Item
	Checks   string
	Versions []openRows
}

// openRows are the rows of one version, or of several if they are of the same requirements.
type openRows struct {
	Versions string
	Rows     []*row
}

// Undecided returns the inconclusive rows by reason and version.
func (p *runPage) Undecided() []undecided {
	var list []undecided
	for _, item := range p.Doc.Items("inconclusive") {
		u, count := undecided{Item: item}, 0
		for _, version := range p.Columns {
			in := rowsThat(p.Rows,
				func(r *row) bool { return r.Version == version && slices.Contains(item.Rows, r.Row) })
			count += len(in)
			sameID := func(a, b *row) bool { return a.ID == b.ID }
			if n := len(u.Versions) - 1; n >= 0 && slices.EqualFunc(u.Versions[n].Rows, in, sameID) {
				u.Versions[n].Versions += " and " + string(version)
			} else if len(in) > 0 {
				u.Versions = append(u.Versions, openRows{string(version), in})
			}
		}
		if u.Checks = wording.Count(count, "check"); count > 0 { // else they are left out by a filter
			list = append(list, u)
		}
	}
	return list
}

// entry is an entry of the baseline.
type entry struct {
	report.Entry
	Word, Link, HowOften string
}

// Entries returns what is as in the baseline, or what is not.
func (p *runPage) Entries(known bool) []entry {
	var list []entry
	add := func(word string, all []report.Entry) {
		for _, e := range all {
			often := wording.Times(e.Count)
			if e.Was != e.Users {
				often = fmt.Sprintf("%s in the baseline, now %d", wording.Count(e.Was, "user"), e.Users)
			}
			list = append(list, entry{e, word, p.Link(e.Requirement, e.Version), often})
		}
	}
	if known {
		add("known", p.Gate.Known)
		return list
	}
	add("new", p.Gate.New)
	add("grown", p.Gate.Grown)
	add("stale", p.Gate.Stale)
	return list
}
