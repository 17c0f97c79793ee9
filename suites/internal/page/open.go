package page

import (
	"slices"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// failure is one thing that is broken, with the checks that it fails.
type failure struct {
	Links []failedRow
	Text  string   // the requirement's statement
	Lines []string // its causes
}

type failedRow struct{ Link, Key string }

// maxExplained is for how many failures the causes stand above the requirements. There they stand for all.
const maxExplained = 30

// failures returns what fails the run.
func (b *builder) failures(d *report.Document, rows []*row) []failure {
	links := map[string]string{}
	for _, r := range rows {
		links[r.Key()] = r.Link()
	}
	items := d.Items("failures")
	var list []failure
	for _, item := range items[:min(len(items), maxRows)] {
		f := failure{Text: b.text(item.Text)}
		if len(list) < maxExplained {
			f.Lines = b.texts(item.Lines)
		}
		for i, from := range item.Rows {
			row := failedRow{links[b.name(from.ID)+" "+b.name(string(from.Version))], b.name(string(from.Version))}
			if i == 0 || from.ID != item.Rows[i-1].ID {
				row.Key = b.name(from.ID) + " " + row.Key
			}
			f.Links = append(f.Links, row)
		}
		list = append(list, f)
	}
	return list
}

// openGroup is all rows that are inconclusive for one reason.
type openGroup struct {
	Count    string
	Why      string
	Versions []openRows
	Waiver   string // to paste into the configuration file; "" if there is nothing to waive
}

// openRows are the rows of one version, or of several if they are of the same requirements.
type openRows struct {
	Version string
	Rows    []*row
}

// open returns the inconclusive rows by reason.
func (b *builder) open(d *report.Document, rows []*row) []openGroup {
	sameID := func(a, b *row) bool { return a.ID == b.ID }
	var list []openGroup
	for _, item := range d.Items("inconclusive") {
		g := openGroup{Why: item.Name + ": " + item.Text, Waiver: item.Code}
		count := 0
		for _, version := range columns(rows) {
			var in []*row
			for _, r := range rows {
				if r.Version == version && slices.Contains(item.Rows, r.from) {
					in = append(in, r)
				}
			}
			count += len(in)
			if n := len(g.Versions) - 1; n >= 0 && slices.EqualFunc(g.Versions[n].Rows, in, sameID) {
				g.Versions[n].Version += " and " + version
			} else if len(in) > 0 {
				g.Versions = append(g.Versions, openRows{version, in})
			}
		}
		if count == 0 {
			continue // left out by a filter
		}
		g.Count = wording.Count(count, "check")
		// Cut short, the waiver would waive something else.
		if len(g.Waiver) > largestPart/10 || report.PrintableLines(g.Waiver) != g.Waiver {
			g.Waiver = ""
		}
		b.charge(sizeOf(g.Waiver))
		list = append(list, g)
	}
	return list
}
