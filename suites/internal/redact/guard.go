package redact

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Guard looks for whole secrets in what has been written. It is the second lock: it shares nothing with Clean but the
// secrets, so that a fault of the one does not blind the other. It is immutable.
type Guard struct {
	starts []bool    // by hash of the first four bytes
	forms  []guarded // sorted by text
}

// guarded is one text to look for.
type guarded struct{ text, name string }

// NewGuard looks for the values in each form that they may take: raw, escaped for JSON, URL or HTML, in base64 of
// either alphabet and any alignment, also of its UTF-16, in hexadecimal with and without a separator; whatever the
// case. A value that stands in vocabulary, which is all that the suite says by itself, is left out.
func NewGuard(vocabulary string, values ...string) *Guard {
	g := &Guard{starts: make([]bool, 1<<hashBits)}
	vocabulary = lower(vocabulary)
	for _, value := range values {
		for _, secret := range forms(value) {
			if strings.Contains(vocabulary, lower(secret)) {
				continue
			}
			for _, form := range written(secret) {
				form.text = lower(form.text)
				g.forms = append(g.forms, form)
				g.starts[hash(first4(form.text))] = true
			}
		}
	}
	slices.SortStableFunc(g.forms, func(a, b guarded) int { return strings.Compare(a.text, b.text) })
	return g
}

// written lists how a secret may be written.
func written(secret string) []guarded {
	inJSON := func(secret string) string {
		text, _ := json.Marshal(secret) // a string always has a JSON form
		return string(text[1 : len(text)-1])
	}
	list := []guarded{
		{secret, "raw"},
		{inJSON(secret), "escaped for JSON"},
		{strings.ReplaceAll(strings.ReplaceAll(secret, `\`, `\\`), `"`, `\"`), "escaped for JSON"},
		{url.QueryEscape(secret), "escaped for a URL"},
		{url.PathEscape(secret), "escaped for a URL"},
		{html.EscapeString(secret), "escaped for HTML"},
		{hex.EncodeToString([]byte(secret)), "in hexadecimal"},
	}
	for _, separator := range separators {
		pairs := strings.ReplaceAll(fmt.Sprintf("% x", secret), " ", string(separator))
		list = append(list, guarded{pairs, "in hexadecimal"})
	}
	for _, text := range append(wide(secret), secret) {
		for _, core := range cores(text) {
			list = append(list, guarded{core, "in base64"})
		}
	}
	return list
}

// LeakWriter looks at a stream as it is written; it can't fail.
type LeakWriter struct {
	guard *Guard
	tail  []byte // of what was written, folded: a secret may stand across two writes
	hit   string
}

// LeakWriter begins to look at one stream. A nil Guard looks for nothing.
func (g *Guard) LeakWriter() *LeakWriter { return &LeakWriter{guard: g} }

// Found tells in what form a secret was seen; "" where none was.
func (w *LeakWriter) Found() string { return w.hit }

func (w *LeakWriter) Write(p []byte) (int, error) {
	if w.guard == nil || w.hit != "" || len(w.guard.forms) == 0 {
		return len(p), nil
	}
	text := append(w.tail, lower(string(p))...)
	w.hit = w.guard.search(string(text))
	longest := 0
	for _, form := range w.guard.forms {
		longest = max(longest, len(form.text))
	}
	w.tail = append([]byte{}, text[max(0, len(text)-longest+1):]...)
	return len(p), nil
}

// Leak is a defect of the suite: a file would have held a secret. Nothing was put into the report folder then.
type Leak struct{ File, Form string }

func (l *Leak) Error() string {
	return fmt.Sprintf("defect of the suite, not of the target: %s would have held a secret, %s; it was not kept, and neither was any other file of the run: please report this", l.File, l.Form)
}

// search gives the name of the first form that stands in a folded text.
func (g *Guard) search(text string) string {
	four := uint32(0)
	for i := range len(text) {
		four = four<<8 | uint32(text[i])
		if i < hashed-1 || !g.starts[hash(four)] {
			continue
		}
		rest := text[i-(hashed-1):]
		for _, form := range g.forms {
			if strings.HasPrefix(rest, form.text) {
				return form.name
			}
		}
	}
	return ""
}
