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

// execute renders a template to w.
func execute(w io.Writer, name string, data any) error {
	templates, err := template.New("page").ParseFS(files, "templates/*.html")
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
	Points    []point
	More      string // open points that are not shown
	Compared  string // whether v5 and v6 agree at the open points
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
	r := b.report
	v := &runPage{Stale: b.texts(r.Stale), Notes: b.texts(r.Notes), Missing: b.texts(r.Missing)}
	d := r.Document()
	certificate := b.certificate(d, "run", r.Suite.Name, r.Target)
	certificate.Open, certificate.Complete = r.Certifies, r.Complete
	if r.Error == nil {
		b.rows(d, v)
		v.Points, v.More = b.points()
		v.Compared = comparedSentence(v.Points)
		v.Excluded = b.excluded()
		places, more := upTo(b.budget, r.Volatile)
		for _, place := range places {
			v.Volatile = append(v.Volatile, report.Volatile{Operation: b.operation(place.Operation),
				Pointer: b.text(place.Pointer)})
		}
		v.MorePlace = more
	}
	v.Settings, v.Counts, v.Built = b.settings(r.Settings), b.counts(), b.buildInfo(r.Suite)
	if r.Error == nil {
		b.addCausesAndExamples(rowsOf(v.Sections...))
	}
	var contents chapters
	contents.add(len(v.Failures) > 0, "failures", "What failed")
	contents.add(len(v.Open) > 0, "open", "What stayed open")
	contents.add(v.Matrix != nil, "matrix", "Sections by version")
	contents.add(len(v.Sections) > 0, "requirements", "Requirements")
	contents.add(len(v.Points) > 0, "open-points", "Open points")
	contents.add(true, "run", "The run")
	v.frame = frameOf("Report of a run", certificate, runLegend(), contents, b.elsewhere())
	return v
}

// rows adds the rows to the page, and the overviews above them.
func (b *builder) rows(d *report.Document, v *runPage) {
	v.Sections, v.MoreRows = b.sections()
	rows := rowsOf(v.Sections...)
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
