package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"authenticator-conformance/suites/internal/wording"
)

// level is how much is shown of what a page holds beside that for which room is found last: causes, groups and their
// examples. What is too large for the first is shown by the next.
type level struct {
	text int // characters of one text
	list int // entries of one list
}

// levels lets the first take in whatever a run brings. The last is small enough for anything at all: its lists times
// its texts, all of them of signs that HTML writes with five characters, stay below half of MaxSize.
func levels() []level {
	return []level{{text: 2000, list: 1000}, {text: 300, list: 300}, {text: 100, list: 30}}
}

// maker is what a page is made with.
type maker struct {
	templates *template.Template
	level     level
	data      string // the file in which all stands that the page has no room for
	anchors   anchors
	room      int   // bytes of pieces that may still be added
	err       error // the first of a template
}

// produce writes a page, by the first level by which it is small enough. The function gives nil where it is not.
func produce(w io.Writer, file, data string, page func(*maker) ([]byte, error)) error {
	templates, err := template.New("page").ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("defect of the suite: the templates of %s do not parse: %w", file, err)
	}
	for _, l := range levels() {
		content, err := page(&maker{templates: templates, level: l, data: data, anchors: anchors{}})
		if err != nil {
			return fmt.Errorf("defect of the suite: %s can't be made: %w", file, err)
		}
		if content != nil {
			_, err := w.Write(content)
			return err
		}
	}
	return fmt.Errorf("defect of the suite: %s would be larger than %d bytes", file, MaxSize)
}

// whole renders a page: all but the pieces first, then these as far as there is room, by a function that adds them to
// the view. It gives nil where the first part alone is too large.
func (m *maker) whole(name string, view any, fill func()) ([]byte, error) {
	bare := m.piece(name, view)
	if m.err != nil || len(bare) > MaxSize/2 {
		return nil, m.err
	}
	m.room = MaxSize - len(bare)
	fill()
	return []byte(m.piece(name, view)), m.err
}

// piece renders a part of the page by itself, so that its size is known before it is taken in. The type of what it
// gives keeps html/template, which made it, from escaping it again.
func (m *maker) piece(name string, data any) template.HTML {
	var out bytes.Buffer
	if err := m.templates.ExecuteTemplate(&out, name, data); err != nil && m.err == nil {
		m.err = err
	}
	return template.HTML(out.String())
}

// take reserves room for a piece; false where there is not enough.
func (m *maker) take(piece template.HTML) bool {
	if len(piece) > m.room {
		return false
	}
	m.room -= len(piece)
	return true
}

// noRoom says how many entries are left out, and where they stand; "" for none.
func (m *maker) noRoom(n int, one, many, where string) string {
	if n == 0 {
		return ""
	}
	return wording.Plural(n, one+" was", many+" were") + " left out, as the page has no room for more: see " + where + "."
}
