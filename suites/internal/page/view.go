package page

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// view is all that the templates show.
type view struct {
	frame
	Waived       []*row
	Baseline     *baseline
	Stale        []string
	Failures     []*row
	Matrix       *matrix
	Sections     []*section
	MoreRows     string
	Filter       filter
	Points       []point
	MorePoints   string
	Compared     string // how v5 and v6 stand at the open points
	Excluded     []excluded
	Volatile     []report.Volatile
	MoreVolatile string
	Notes        []string
	Lacking      []string
	Counts       []entry
	Settings     settings
	Built        built
}

func (b *builder) page() (*view, error) {
	r := b.report
	v := &view{}
	v.Sections, v.MoreRows = b.sections()
	rows := rowsOf(v.Sections...)
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
	v.Filter = filterOf(v.Sections, rows)
	v.Points, v.MorePoints = b.points()
	v.Compared = compared(v.Points)
	v.Excluded = b.excluded()
	b.extras(v)

	certificate := b.summary()
	certificate.tell(rows)
	var contents chapters
	contents.add(v.Matrix != nil, "matrix", "Sections by version")
	contents.add(len(v.Failures) > 0, "failures", "What failed")
	contents.add(len(v.Sections) > 0, "requirements", "Requirements")
	contents.add(len(v.Points) > 0, "open-points", "Open points")
	contents.add(true, "run", "The run")
	elsewhere := "The whole run stands in " + report.JSONFile
	if b.shelf != nil {
		elsewhere += ", what was sent and received in " + report.EvidenceFile
	}
	var err error
	v.frame, err = frameOf("Report of a run", certificate, contents, elsewhere+".")
	return v, err
}

// extras are what stands below the rows.
func (b *builder) extras(v *view) {
	r := b.report
	volatile, more := upTo(b.maker, r.Volatile)
	for _, place := range volatile {
		v.Volatile = append(v.Volatile, report.Volatile{Operation: schemas.Operation(b.text(string(place.Operation))), Pointer: b.text(place.Pointer)})
	}
	v.MoreVolatile = more
	v.Notes, v.Lacking = b.texts(r.Notes), b.texts(r.Lacking)
	v.Settings = b.settings(r.Settings)
	v.Counts = b.counts()
	v.Built = b.built(r.Suite)
}
