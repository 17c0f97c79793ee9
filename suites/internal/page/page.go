// Package page writes report.html and sweep.html. Each is one self-contained file, for the person who approves the
// result and for the one who repairs the service. The pages need no network and, except for filters and buttons, no
// JavaScript. Text from a target is only ever data in them: it is made printable, then escaped by html/template.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/report"
)

// MaxSize is the maximum size of a page in bytes.
const MaxSize = 5_000_000

//go:embed templates
var files embed.FS

// Write writes report.html, made of a report and the exchanges that its findings name. The same input gives the same
// bytes, at most MaxSize of them. The store may be nil, for a run that could not begin. If it lacks an exchange, the
// page shows a note in its place.
//
// An error is either from w or a bug in the templates.
func Write(w io.Writer, r *report.Report, store evidence.Store) error {
	b := &builder{budget: newBudget(report.JSONFile, textBytes), report: r, store: store, users: map[string]string{},
		bodies: maxBodies}
	return execute(w, "page.html", b.page())
}

// parsed returns the templates. A command uses them twice, before its work and after it.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").ParseFS(files, "templates/*.html")
})

// execute renders a template to w.
func execute(w io.Writer, name string, data any) error {
	templates, err := parsed()
	if err != nil {
		return fmt.Errorf("defect of the suite: the templates of %s do not parse: %w", name, err)
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return fmt.Errorf("defect of the suite: %s can't be made: %w", name, err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// Limits in bytes: on texts shown in full, which leaves room for examples, and on bodies that are parsed.
const (
	textBytes = 2_000_000
	maxBodies = 64 << 20
)

// builder builds the data for the page of a run.
type builder struct {
	*budget
	report *report.Report
	store  evidence.Store
	users  map[string]string // by exchange, filled when needed
	bodies int               // bytes of bodies that may still be parsed
}

// runPage is the data for the templates of a run.
type runPage struct {
	frame
	Failures  []failure
	Open      []openGroup
	Waived    []*row
	Baseline  *baseline
	Stale     []string
	Matrix    *matrix
	Sections  []*section
	MoreRows  string
	Filter    filter
	Points    *points
	Excluded  []excluded
	Volatile  []report.Volatile
	MorePlace string
	Notes     []string
	Missing   []string
	Counts    []entry
	Settings  settings
	Built     buildInfo
}

// page builds the data. If the run was not carried out to its end, no rows are shown: partial results must not count
// against the target.
func (b *builder) page() *runPage {
	r, d := b.report, b.report.Document()
	v := &runPage{Stale: b.texts(r.Stale), Notes: b.texts(r.Notes), Missing: b.texts(r.Missing)}
	v.frame = b.frame(d, "run", r.Suite.Name)
	v.Unfolded, v.Complete, v.Legend = r.Certifies, r.Complete, runLegend(r)
	v.Elsewhere = "The whole run is in " + report.JSONFile
	if b.store != nil {
		v.Elsewhere += ", what was sent and received in " + report.EvidenceFile
	}
	v.Elsewhere += "."
	var rows []*row
	if r.Error == nil {
		v.Sections, v.MoreRows = b.sections()
		rows = rowsOf(v.Sections...)
		b.overviews(d, v, rows)
		v.Points = b.points()
		v.Excluded = b.excluded()
		v.Volatile, v.MorePlace = b.volatile()
	}
	v.Settings, v.Counts, v.Built = b.settings(r.Settings), b.counts(), b.buildInfo(r.Suite)
	b.addCausesAndExamples(rows)
	v.add(len(v.Failures) > 0, "failures", "What failed")
	v.add(len(v.Open) > 0, "open", "What stayed open")
	v.add(v.Matrix != nil, "matrix", "Sections by version")
	v.add(len(v.Sections) > 0, "requirements", "Requirements")
	v.add(v.Points != nil, "open-points", "Open points")
	v.add(true, "run", "The run")
	return v
}

// overviews adds what the page shows above the rows.
func (b *builder) overviews(d *report.Document, v *runPage, rows []*row) {
	v.Matrix = matrixOf(v.Sections)
	for _, row := range rows {
		if row.Waiver != nil {
			v.Waived = append(v.Waived, row)
		}
	}
	v.Failures, v.Open = b.failures(d, rows), b.open(d, rows)
	v.Baseline = b.baseline(rows)
	v.Filter = filterOf(v.Sections, rows)
}
