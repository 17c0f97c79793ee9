// Package page writes report.html and sweep.html. Each is one self-contained file, for the person who approves the
// result and for the one who repairs the service. The pages need no network and, except for filters and buttons, no
// JavaScript. The templates walk the model of the report. Text from a target is only ever data in them: it is made
// printable, then escaped by html/template.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// MaxSize is the maximum size of a page in bytes.
const MaxSize = 5_000_000

// limits are how many entries of each kind a page shows, and how many characters of a text.
type limits map[string]int

// levels are the limits to try, largest first, until a page has at most MaxSize. Other users, examples and causes go
// before groups and texts. The catalogue has 80 checks; a report has 53 open points and 37 libraries.
var levels = []limits{
	newLimits(1000, 100, 15, 8, 200, 50),
	newLimits(1000, 100, 8, 3, 200, 4),
	newLimits(1000, 100, 4, 1, 200, 1),
	newLimits(300, 100, 4, 1, 200, 1),
	newLimits(80, 100, 1, 1, 200, 1),
	newLimits(40, 50, 1, 0, 100, 1),
}

func newLimits(characters, entries, causes, examples, groups, users int) limits {
	return limits{"character": characters, "check": 120, "entry": entries, "note": 5, "cause": causes, "place": causes,
		"example": examples, "group": groups, "user": users}
}

// Limits on one text, in characters.
const (
	longestText   = 1000
	longestPlace  = 300 // a JSON Pointer, or a line of a body
	longestName   = 120 // an id, a version
	longestAnchor = 120 // the ids of the catalogue are far shorter
)

var (
	//go:embed templates
	files embed.FS
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// frame is what the pages of runs and sweeps have in common.
type frame struct {
	Kind  string // what the page is about: a run or a sweep
	Doc   *report.Document
	Title string
	// Unfolded is true if the details are unfolded.
	Unfolded bool
	data     string // the file that contains everything

	limits limits
	ids    map[string]bool      // those in use; the ids of a page must be unique
	hrefs  map[[2]string]string // where rows are on the page, by id and version
}

// newFrame returns the frame of a page about a document.
func newFrame(kind string, d *report.Document, suite, data string) *frame {
	f := &frame{Kind: kind, Doc: d, data: data, limits: levels[0], ids: map[string]bool{},
		hrefs: map[[2]string]string{}}
	where := "no target"
	if i := slices.IndexFunc(d.Head, func(f report.Fact) bool { return strings.HasPrefix(f.Name, "Target") }); i >= 0 {
		where = f.name(d.Head[i].Value)
	}
	f.Title = strings.ToUpper(f.text(d.State.Word)) + " · " + where + " · " + f.text(suite)
	return f
}

// Style, Script and Policy return the page's style and script, and its Content-Security-Policy. The policy allows only
// these two, by their digests (CSP Level 3, section 2.3.1), and loads nothing. Images are allowed as data: URLs:
// an empty icon keeps browsers from requesting one from the server.
func (f *frame) Style() template.CSS { return template.CSS(style) }
func (f *frame) Script() template.JS { return template.JS(script) }
func (f *frame) Policy() string {
	source := func(content string) string {
		digest := sha256.Sum256([]byte(content))
		return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; "+
		"form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'", source(style), source(script))
}

// bounded is what was rendered of a page.
type bounded struct{ bytes.Buffer }

var errTooLarge = errors.New("larger than a page may be")

func (b *bounded) Write(text []byte) (int, error) {
	if b.Len()+len(text) > MaxSize {
		return 0, errTooLarge
	}
	return b.Buffer.Write(text)
}

// write renders a template to w. If the page becomes too large it is rendered again with less.
func (f *frame) write(w io.Writer, name string, data any) error {
	templates, err := template.New("page").Funcs(f.functions()).ParseFS(files, "templates/*.html")
	fixed := f.ids
	for _, f.limits = range levels {
		var out bounded
		f.ids = maps.Clone(fixed)
		if err == nil || errors.Is(err, errTooLarge) {
			err = templates.ExecuteTemplate(&out, name, data)
		}
		if err == nil {
			_, err = w.Write(bytes.TrimLeft(out.Bytes(), "\n"))
			return err
		}
	}
	return fmt.Errorf("defect of the suite: %s can't be made: %w", name, err)
}

// Listed returns the sections that the page shows as lists: those that need attention, or all others. Partial results
// must not count against the target.
func (f *frame) Listed(attention bool) []report.Section {
	needsAttention := func(i report.Item) bool { return i.Level > report.Info }
	return slices.DeleteFunc(slices.Clone(f.Doc.Sections), func(s report.Section) bool {
		partial := f.Doc.Error != "" && (s.Name == "failures" || s.Name == "baseline")
		return partial || s.Name == "findings" || slices.ContainsFunc(s.Items, needsAttention) != attention
	})
}

// functions returns the functions of the templates. Every text from outside passes text, name, place, lines or command.
func (f *frame) functions() template.FuncMap {
	return template.FuncMap{
		"text": f.text, "name": f.name, "kind": f.kind, "place": f.place, "lines": f.lines, "command": f.command,
		"id":    f.id,
		"first": f.first, "more": f.more, "number": number, "count": count, "times": wording.Times[int],
		"link": f.link, "headers": f.headers,
		"named": schemas.Named, "operations": schemas.Operations, "agreement": agreement, "cells": cellsOf,
		"href": func(id string, v schemas.Version) string { return f.hrefs[[2]string{id, string(v)}] },
	}
}

// cut makes a text printable, on one line, with at most the given number of characters.
func (f *frame) cut(value any, limit int) string {
	return report.Printable(fmt.Sprint(value), min(limit, f.limits["character"]))
}

func (f *frame) text(value any) string   { return f.cut(value, longestText) }
func (f *frame) place(value any) string  { return f.cut(value, longestPlace) }
func (f *frame) name(value any) string   { return f.cut(value, longestName) }
func (f *frame) kind(kind string) string { return f.name(report.KindText(kind)) }

// lines cuts a text of several lines.
func (f *frame) lines(text string) string {
	return report.ShownLines(text, f.limits["entry"], min(longestText, f.limits["character"]))
}

// command returns lines to copy. They are left out if they are too long or can't be shown as they are: changed, they
// would do something else.
func (f *frame) command(text string) string {
	if len(text) > 8*f.limits["character"] || report.PrintableLines(text) != text {
		return ""
	}
	return text
}

// id returns a new id made of parts, such as 2.1/CreatedOn/v5. A character that a URL's fragment would have to escape
// becomes an underscore, so that id and fragment are equal (RFC 3986, section 3.5). Every such id has a slash; the ids
// in the templates have none.
func (f *frame) id(parts ...any) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprint(part)
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-._~/=", r):
			return r
		}
		return '_'
	}, strings.Join(texts, "/"))
	if name = name[:min(len(name), longestAnchor)]; !strings.Contains(name, "/") {
		name = "/" + name
	}
	id := name
	for i := 2; f.ids[id]; i++ {
		id = fmt.Sprintf("%s~%d", name, i)
	}
	f.ids[id] = true
	return id
}

// first returns the first entries of a list that the limit on their kind allows.
func (f *frame) first(kind string, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), f.limits[kind])).Interface()
}

// more returns a sentence with the number of entries that first leaves out, and the file that has them; "" for none.
func (f *frame) more(kind string, list any) string {
	n := reflect.ValueOf(list).Len() - f.limits[kind]
	if n <= 0 {
		return ""
	}
	many := kind + "s"
	if kind == "entry" {
		many = "entries"
	}
	return "… and " + wording.Plural(n, "more "+kind, "more "+many) + ", in " + f.data
}

// number formats a number of any size.
func number(n any) string { return wording.Number(reflect.ValueOf(n).Int()) }

// count formats a count of something.
func count(n any, noun string) string { return wording.Count(reflect.ValueOf(n).Int(), noun) }

// link returns a link to the page with a filter. The script applies it; without JavaScript the link leads to the list.
func (f *frame) link(section string, version schemas.Version, state string) string {
	query := url.Values{"version": {f.name(version)}, "verdict": {state}}
	if section != "" {
		query.Set("section", f.name(section))
	}
	return "?" + query.Encode() + "#requirements"
}
