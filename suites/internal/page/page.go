// Package page writes report.html: one file that shows a run to the one who signs for it and to the one who repairs what
// it found. It needs no network and, but for filters and buttons, no JavaScript. All text that came from a target is data
// in it: made printable first, then escaped by html/template.
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

// MaxSize is what the page never exceeds, in bytes.
const MaxSize = 5_000_000

//go:embed templates page.css page.js
var files embed.FS

// level is how much is shown of what a report holds beside causes and examples. A report that is too large for the first
// is shown by the next.
type level struct {
	text int // characters of one text
	list int // entries of one list
}

// levels lets the first take in whatever a run brings. The last is small enough for any report at all: its lists times
// its texts, all of them of signs that HTML writes with five characters, stay below half of MaxSize.
func levels() []level {
	return []level{{text: 2000, list: 1000}, {text: 300, list: 300}, {text: 100, list: 30}}
}

// Write makes report.html of a report and the exchanges that its findings name. What it writes is a function of the two:
// the same input gives the same bytes, at most MaxSize of them. The shelf may be nil, for a run that could not begin; an
// exchange that it cannot give is named in its place.
//
// An error is that of w, or a defect of the page's own templates.
func Write(w io.Writer, r *report.Report, shelf evidence.Shelf) error {
	templates, err := template.New("page").ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("defect of the suite: the templates of %s do not parse: %w", report.PageFile, err)
	}
	for _, l := range levels() {
		b := &builder{templates: templates, level: l, report: r, shelf: shelf, anchors: anchors{}, users: map[string]string{}, work: mostWork}
		content, err := b.write()
		if err != nil {
			return fmt.Errorf("defect of the suite: %s can't be made: %w", report.PageFile, err)
		}
		if content != nil {
			_, err := w.Write(content)
			return err
		}
	}
	return fmt.Errorf("defect of the suite: %s would be larger than %d bytes", report.PageFile, MaxSize)
}

// mostWork bounds how many bytes of bodies are read for a page.
const mostWork = 64 << 20

// builder makes one page.
type builder struct {
	templates *template.Template
	level     level
	report    *report.Report
	shelf     evidence.Shelf
	anchors   anchors
	users     map[string]string // by exchange, as far as asked for
	work      int               // bytes of bodies that may still be read
	full      bool              // there was no room for an example with its exchanges
	room      int               // bytes of pieces that may still be added
	err       error             // the first of a template
}

// roomForMore is what the sentence of one row about causes that are left out takes, and more.
const roomForMore = 300

// write makes the whole page: all but causes and examples first, then these as far as there is room. It gives nil where
// the first part alone is too large.
func (b *builder) write() ([]byte, error) {
	style, script, policy, err := assets()
	if err != nil {
		return nil, err
	}
	v := b.page(style, script, policy)
	bare := b.piece("page.html", v)
	if b.err != nil || len(bare) > MaxSize/2 {
		return nil, b.err
	}
	rows := rowsOf(v.Sections...)
	b.room = MaxSize - len(bare) - roomForMore*len(rows)
	b.fill(rows)
	return []byte(b.piece("page.html", v)), b.err
}

// piece renders a part of the page by itself, so that its size is known before it is taken in. The type of what it gives
// keeps html/template, which made it, from escaping it again.
func (b *builder) piece(name string, data any) template.HTML {
	var out bytes.Buffer
	if err := b.templates.ExecuteTemplate(&out, name, data); err != nil && b.err == nil {
		b.err = err
	}
	return template.HTML(out.String())
}

// take reserves room for a piece; false where there is not enough.
func (b *builder) take(piece template.HTML) bool {
	if len(piece) > b.room {
		return false
	}
	b.room -= len(piece)
	return true
}
