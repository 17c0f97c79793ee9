package page

import (
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// section is a section of the document with its requirements.
type section struct {
	Anchor, Number, Heading string
	Requirements            []*requirement
}

// requirement is one requirement with its rows, one for each version.
type requirement struct {
	ID, Statement string
	Rows          []*row
}

// Lines returns the rows that fit on one line.
func (r *requirement) Lines() []*row { return r.rows(true) }

// Entries returns the rows with more to show.
func (r *requirement) Entries() []*row { return r.rows(false) }

func (r *requirement) rows(plain bool) []*row {
	var list []*row
	for _, row := range r.Rows {
		if row.plain() == plain {
			list = append(list, row)
		}
	}
	return list
}

// row is a requirement in one version.
type row struct {
	Anchor, Section, ID, Version string
	State                        report.State
	Verdict                      string // before a waiver, the baseline or a filter; "" if State is the same
	Tally                        string
	Why                          string
	Waiver                       *report.Waiver
	Notes                        []string
	Causes                       []*cause
	Examples                     []*example
	More                         []string // what is not shown

	from *report.Row
}

// plain reports whether one line shows everything about the row. Reasons and waivers are shown once, above all rows.
func (r *row) plain() bool { return len(r.Notes) == 0 && len(r.from.Causes) == 0 }

// Link returns the fragment of the section's URL.
func (s *section) Link() string { return "#" + s.Anchor }

// Key returns the name of the row in report and terminal.
func (r *row) Key() string { return r.ID + " " + r.Version }

// Link returns the fragment of the row's URL.
func (r *row) Link() string { return "#" + r.Anchor }

// sections groups the rows by section and requirement, in the order of the report. The string is a sentence about
// omitted rows.
func (b *builder) sections() ([]*section, string) {
	var list []*section
	bySection, byID := map[string]*section{}, map[string]*requirement{}
	rows := b.report.Requirements[:min(len(b.report.Requirements), maxRows)]
	for i := range rows {
		from := &rows[i]
		s := bySection[from.Section]
		if s == nil {
			number := b.name(from.Section)
			s = &section{Anchor: b.anchors.add("section", number), Number: number,
				Heading: b.text(b.report.Headings[from.Section])}
			bySection[from.Section] = s
			list = append(list, s)
		}
		key := from.Section + " " + from.ID
		r := byID[key]
		if r == nil {
			r = &requirement{ID: b.name(from.ID), Statement: b.text(from.Statement)}
			byID[key] = r
			s.Requirements = append(s.Requirements, r)
		}
		r.Rows = append(r.Rows, b.rowOf(from))
	}
	return list, b.rest(len(b.report.Requirements)-len(rows), "check", "checks")
}

// rowsOf returns all rows of the sections, in order.
func rowsOf(sections ...*section) []*row {
	var list []*row
	for _, s := range sections {
		for _, r := range s.Requirements {
			list = append(list, r.Rows...)
		}
	}
	return list
}

// maxNotes is how many notes are shown for a row.
const maxNotes = 5

func (b *builder) rowOf(from *report.Row) *row {
	r := &row{
		Anchor: b.anchors.add(from.ID, string(from.Version)), Section: b.name(from.Section),
		ID: b.name(from.ID), Version: b.name(string(from.Version)),
		State: from.State(), Notes: b.texts(from.Notes[:min(len(from.Notes), maxNotes)]), Tally: b.basisOf(from),
		Why: b.text(from.Why()), from: from,
	}
	if r.State.Name != string(from.Verdict) {
		r.Verdict = b.name(string(from.Verdict))
	}
	if from.Waiver != nil {
		r.Waiver = &report.Waiver{Reason: b.text(from.Waiver.Reason), Until: b.name(from.Waiver.Until)}
	}
	return r
}

// basisOf returns what the verdict of a row is based on.
func (b *builder) basisOf(r *report.Row) string {
	switch {
	case r.FindingCount > 0:
		return b.report.Affected(r) + ", " + wording.Count(len(r.Causes), "cause")
	case r.Witnesses > 0:
		return wording.Plural(r.Witnesses, "witness", "witnesses")
	case r.Reason != nil:
		return report.Printable(string(*r.Reason), briefText)
	}
	return ""
}
