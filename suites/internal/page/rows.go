package page

import (
	"fmt"
	"html/template"

	"authenticator-conformance/suites/internal/ledger"
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

// Lines are the rows about which one line tells all.
func (r *requirement) Lines() []*row { return r.rows(true) }

// Entries are the rows that have more to tell.
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
	State                        state
	Verdict                      string // its own, where something sets it aside
	Tally                        string
	Why                          string
	Waiver                       *report.Waiver
	Notes                        []string
	Causes                       []template.HTML
	More                         string // what is not shown

	causes []*cause
}

// plain tells whether one line tells all about the row.
func (r *row) plain() bool {
	return r.State.Name == string(ledger.Pass) && len(r.Notes) == 0 && len(r.causes) == 0
}

// Link is the fragment that leads to the section.
func (s *section) Link() string { return "#" + s.Anchor }

// Key names the row as the report and the terminal do.
func (r *row) Key() string { return r.ID + " " + r.Version }

// Link is the fragment that leads to the row.
func (r *row) Link() string { return "#" + r.Anchor }

// sections groups the rows by section and requirement, in the order of the report.
func (b *builder) sections() ([]*section, string) {
	var list []*section
	bySection, byID := map[string]*section{}, map[string]*requirement{}
	rows, more := upTo(b.maker, b.report.Requirements)
	for i := range rows {
		from := &rows[i]
		s := bySection[from.Section]
		if s == nil {
			number := b.text(from.Section)
			s = &section{Anchor: b.anchors.add("section", number), Number: number, Heading: heading(from.Section)}
			bySection[from.Section] = s
			list = append(list, s)
		}
		key := from.Section + " " + from.ID
		r := byID[key]
		if r == nil {
			r = &requirement{ID: b.text(from.ID), Statement: b.text(from.Statement)}
			byID[key] = r
			s.Requirements = append(s.Requirements, r)
		}
		r.Rows = append(r.Rows, b.rowOf(from))
	}
	return list, more
}

// rowsOf are all rows of sections, in their order.
func rowsOf(sections ...*section) []*row {
	var list []*row
	for _, s := range sections {
		for _, r := range s.Requirements {
			list = append(list, r.Rows...)
		}
	}
	return list
}

func (b *builder) rowOf(from *report.Row) *row {
	r := &row{
		Anchor: b.anchors.add(from.ID, string(from.Version)), Section: b.text(from.Section),
		ID: b.text(from.ID), Version: b.text(string(from.Version)),
		State: stateOf(from), Notes: b.texts(from.Notes), Tally: restsOn(from),
	}
	if r.State.Name != string(from.Verdict) {
		r.Verdict = b.text(string(from.Verdict))
	}
	if from.Reason != nil {
		r.Why = b.text(report.Why(*from.Reason))
	}
	if from.Waiver != nil {
		r.Waiver = &report.Waiver{Reason: b.text(from.Waiver.Reason), Until: b.text(from.Waiver.Until)}
	}
	for _, c := range from.Causes {
		r.causes = append(r.causes, b.causeOf(from, c))
	}
	return r
}

// restsOn says what the verdict rests on.
func restsOn(r *report.Row) string {
	switch {
	case r.FindingCount > 0:
		return fmt.Sprintf("%s, %s", wording.Plural(r.FindingCount, "finding", "findings"), wording.Plural(len(r.Causes), "cause", "causes"))
	case r.Witnesses > 0:
		return wording.Plural(r.Witnesses, "witness", "witnesses")
	}
	return "" // why a row is open stands below it
}
