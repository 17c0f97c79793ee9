package page

import (
	"html/template"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// view is all that the templates show.
type view struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title                  string
	JSONFile, EvidenceFile string
	Summary                summary
	Waived                 []*row
	Baseline               *baseline
	Stale                  []string
	Failures               []*row
	Matrix                 *matrix
	Sections               []*section
	MoreRows               string
	Filters                filters
	Points                 []point
	MorePoints             string
	Compared               string // how v5 and v6 stand at the open points
	Excluded               []excluded
	Volatile               []report.Volatile
	MoreVolatile           string
	Notes                  []string
	Lacking                []string
	Counts                 []entry
	Settings               []report.Setting
	MoreSettings           string
	Built                  []entry
	Files                  []entry
}

// entry is a name with a value.
type entry struct{ Name, Value string }

// filters are what the rows can be filtered by.
type filters struct {
	Sections []*section
	Versions []string
	States   []state
	Rows     int
}

func (b *builder) page(style template.CSS, script template.JS, policy string) view {
	r := b.report
	v := view{Style: style, Script: script, Policy: policy, Summary: b.summary(), JSONFile: report.JSONFile}
	if b.shelf != nil {
		v.EvidenceFile = report.EvidenceFile
	}
	v.Sections, v.MoreRows = b.sections()
	rows := rowsOf(v.Sections...)
	v.Summary.tell(rows)
	v.Title = strings.ToUpper(v.Summary.State.Word) + " · " + v.Summary.Where + " · " + v.Summary.Suite
	v.Matrix = matrixOf(v.Sections)
	for _, row := range rows {
		if row.Waiver != nil {
			v.Waived = append(v.Waived, row)
		}
		if row.State.Name == string(ledger.Fail) {
			v.Failures = append(v.Failures, row)
		}
	}
	v.Baseline = b.baseline(rows)
	v.Stale = b.texts(r.Stale)
	v.Filters = filters{Sections: v.Sections, Versions: columns(rows), States: present(rows), Rows: len(rows)}
	v.Points, v.MorePoints = b.points()
	v.Compared = compared(v.Points)
	v.Excluded = b.excluded()
	b.extras(&v)
	return v
}

// extras are what stands below the rows.
func (b *builder) extras(v *view) {
	r := b.report
	volatile, more := upTo(b, r.Volatile)
	for _, place := range volatile {
		v.Volatile = append(v.Volatile, report.Volatile{Operation: schemas.Operation(b.text(string(place.Operation))), Pointer: b.text(place.Pointer)})
	}
	v.MoreVolatile = more
	v.Notes, v.Lacking = b.texts(r.Notes), b.texts(r.Lacking)
	settings, more := upTo(b, r.Settings)
	for _, s := range settings {
		v.Settings = append(v.Settings, report.Setting{Name: b.text(s.Name), Value: b.text(s.Value), Source: b.text(s.Source)})
	}
	v.MoreSettings = more
	v.Counts = b.counts()
	v.Built = b.pairs(r.Suite.Libraries)
	v.Files = b.pairs(r.Suite.Files)
}

// pairs are the entries of a map, sorted by name.
func (b *builder) pairs(entries map[string]string) []entry {
	names, more := upTo(b, slices.Sorted(maps.Keys(entries)))
	var list []entry
	for _, name := range names {
		list = append(list, entry{b.text(name), b.text(entries[name])})
	}
	if more != "" {
		list = append(list, entry{Name: more})
	}
	return list
}

// present are the states that rows are in.
func present(rows []*row) []state {
	return slices.DeleteFunc(states(), func(s state) bool {
		return !slices.ContainsFunc(rows, func(r *row) bool { return r.State.Name == s.Name })
	})
}
