package page

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
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
	section := d.Section("failures")
	if section == nil {
		return nil
	}
	var list []failure
	for _, item := range section.Items[:min(len(section.Items), maxRows)] {
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

// open groups the inconclusive rows by reason.
func (b *builder) open(rows []*row) []openGroup {
	var list []openGroup
	for _, reason := range []ledger.Reason{ledger.NotServed, ledger.NoWitness, ledger.NotComparable} {
		g := openGroup{Why: report.Reason(reason)}
		ids := map[schemas.Version][]string{}
		count := 0
		for _, version := range columns(rows) {
			in := openRows{Version: version}
			for _, r := range rows {
				if r.Version == version && r.State.Name == string(ledger.Inconclusive) && r.from.Reason != nil &&
					*r.from.Reason == reason {
					in.Rows = append(in.Rows, r)
					ids[r.from.Version] = append(ids[r.from.Version], r.ID)
				}
			}
			count += len(in.Rows)
			g.add(in)
		}
		if count == 0 {
			continue
		}
		g.Rows = wording.Count(count, "row")
		if reason == ledger.NoWitness {
			g.Waiver = b.waiver(ids)
		}
		list = append(list, g)
	}
	return list
}

// waiver returns the YAML that waives rows, by version. It is "" if that does not fit: cut short, it would waive
// something else.
func (b *builder) waiver(ids map[schemas.Version][]string) string {
	text := b.report.Waivers(ids)
	if len(text) > largestPart/10 || redact.PrintableLines(text) != text {
		return ""
	}
	b.charge(sizeOf(text))
	return text
}
