// Package page writes report.html and sweep.html: one file each, that shows a run or a sweep to the one who signs for
// it and to the one who repairs what it found. They need no network and, but for filters and buttons, no JavaScript.
// All text that came from a target is data in them: made printable first, then escaped by html/template.
package page

import (
	"embed"
	"io"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/report"
)

// MaxSize is what a page never exceeds, in bytes.
const MaxSize = 5_000_000

//go:embed templates page.css page.js
var files embed.FS

// Write makes report.html of a report and the exchanges that its findings name. What it writes is a function of the
// two: the same input gives the same bytes, at most MaxSize of them. The shelf may be nil, for a run that could not
// begin; an exchange that it cannot give is named in its place.
//
// An error is that of w, or a defect of the page's own templates.
func Write(w io.Writer, r *report.Report, shelf evidence.Shelf) error {
	return produce(w, report.PageFile, report.JSONFile, func(m *maker) ([]byte, error) {
		b := &builder{maker: m, report: r, shelf: shelf, users: map[string]string{}, work: mostWork}
		return b.write()
	})
}

// mostWork bounds how many bytes of bodies are read for a page.
const mostWork = 64 << 20

// builder makes the page of a run.
type builder struct {
	*maker
	report *report.Report
	shelf  evidence.Shelf
	users  map[string]string // by exchange, as far as asked for
	work   int               // bytes of bodies that may still be read
	full   bool              // there was no room for an example with its exchanges
}

// roomForMore is what the sentence of one row about causes that are left out takes, and more.
const roomForMore = 300

func (b *builder) write() ([]byte, error) {
	v, err := b.page()
	if err != nil {
		return nil, err
	}
	rows := rowsOf(v.Sections...)
	return b.whole("page.html", v, func() {
		b.room -= roomForMore * len(rows)
		b.fill(rows)
	})
}
