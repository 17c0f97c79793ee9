package page

import (
	"slices"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// failure is a broken requirement, in one version or in both for the same causes.
type failure struct {
	Links []failedRow
	Text  string
}

type failedRow struct{ Link, Key string }

// failures returns the rows that fail the run, each with one self-contained line.
func (b *builder) failures(d *report.Document, rows []*row) []failure {
	links := map[*report.Row]string{}
	for _, r := range rows {
		links[r.from] = r.Link()
	}
	items := d.Items("failures")
	var list []failure
	for _, item := range items[:min(len(items), maxRows)] {
		f := failure{Text: b.text(item.Text)}
		for i, from := range item.Rows {
			key := b.name(string(from.Version))
			if i == 0 {
				key = b.name(from.ID) + " " + key
			}
			f.Links = append(f.Links, failedRow{links[from], key})
		}
		list = append(list, f)
	}
	return list
}

// openGroup is all rows that are inconclusive for one reason.
type openGroup struct {
	Rows     string
	Why      string
	Versions []openRows
	Waiver   string // to paste into the configuration file; "" if there is nothing to waive
}

// openRows are the rows of one version.
type openRows struct {
	Version string
	Rows    []*row
}

// add adds the rows of a version. If they are of the same requirements as those of the version before, they share its
// entry.
func (g *openGroup) add(in openRows) {
	if n := len(g.Versions) - 1; n >= 0 && slices.EqualFunc(g.Versions[n].Rows, in.Rows,
		func(a, b *row) bool { return a.ID == b.ID }) {
		g.Versions[n].Version += " and " + in.Version
	} else if len(in.Rows) > 0 {
		g.Versions = append(g.Versions, in)
	}
}

// open returns the inconclusive rows by reason.
func (b *builder) open(d *report.Document, rows []*row) []openGroup {
	var list []openGroup
	for _, item := range d.Items("inconclusive") {
		g := openGroup{Why: item.Name + ": " + item.Text, Waiver: item.Code}
		count := 0
		for _, version := range columns(rows) {
			in := openRows{Version: version}
			for _, r := range rows {
				if r.Version == version && slices.Contains(item.Rows, r.from) {
					in.Rows = append(in.Rows, r)
				}
			}
			count += len(in.Rows)
			g.add(in)
		}
		if count == 0 {
			continue // left out by a filter
		}
		g.Rows = wording.Count(count, "row")
		// Cut short, the waiver would waive something else.
		if len(g.Waiver) > largestPart/10 || redact.PrintableLines(g.Waiver) != g.Waiver {
			g.Waiver = ""
		}
		b.charge(sizeOf(g.Waiver))
		list = append(list, g)
	}
	return list
}
