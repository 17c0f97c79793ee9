package sanitize

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"sync/atomic"
)

// Guard finds whole secrets in written files, as a second check after Clean. It decodes nothing, but knows the usual
// encodings of each secret, so that a defect in the search of one does not affect the other. It is safe for concurrent
// use.
type Guard struct {
	vocabulary string // of the suite's own text, folded
	values     []string
	index      atomic.Pointer[index] // of the encodings, with their names
}

// NewGuard returns a Guard that searches for the values, ignoring case. It knows them raw, escaped for JSON, URL or
// HTML, in hexadecimal and in base64. A value that occurs in vocabulary, the suite's own text, is not searched for.
func NewGuard(vocabulary string, values ...string) *Guard {
	g := &Guard{vocabulary: string(fold([]byte(vocabulary)))}
	g.Add(values...)
	return g
}

// Add makes the Guard search for further values, also in files that are being written.
func (g *Guard) Add(values ...string) {
	g.values = append(g.values, values...)
	x := newIndex()
	for _, value := range g.values {
		for _, secret := range searchTexts(value) {
			if !strings.Contains(g.vocabulary, string(fold([]byte(secret)))) {
				addEncodings(x, secret)
			}
		}
	}
	g.index.Store(x)
}

// addEncodings adds the encodings of a secret, and last the secret itself, which may be equal to some of them.
func addEncodings(x *index, secret string) {
	inJSON, _ := json.Marshal(secret) // a string always has a JSON form
	x.add(string(inJSON[1:len(inJSON)-1]), "escaped for JSON")
	x.add(strings.ReplaceAll(strings.ReplaceAll(secret, `\`, `\\`), `"`, `\"`), "escaped for JSON")
	x.add(url.QueryEscape(secret), "escaped for a URL")
	x.add(url.PathEscape(secret), "escaped for a URL")
	x.add(html.EscapeString(secret), "escaped for HTML")
	x.addHexadecimal(secret, "in hexadecimal")
	for _, encoded := range inBase64(secret) {
		x.add(encoded, "in base64")
	}
	x.add(secret, "raw")
}

// LeakWriter searches all that is written to a file. Write never fails.
type LeakWriter struct {
	guard *Guard
	file  string
	tail  []byte // end of the text so far: a secret may span two writes
	found string
}

// Watch returns a check of one file. With a nil Guard it finds nothing.
func (g *Guard) Watch(file string) *LeakWriter { return &LeakWriter{guard: g, file: file} }

// Err returns a Leak if a secret was found.
func (l *LeakWriter) Err() error {
	if l.found == "" {
		return nil
	}
	return &Leak{l.file, l.found}
}

func (l *LeakWriter) Write(p []byte) (int, error) {
	if l.guard == nil || l.found != "" {
		return len(p), nil
	}
	index := l.guard.index.Load()
	longest := index.longest()
	if longest == 0 {
		return len(p), nil
	}
	text := append(l.tail, p...)
	l.found = index.find(text)
	l.tail = text[:copy(text, text[max(0, len(text)-longest+1):])]
	return len(p), nil
}

// Leak is the error for a file that would have contained a secret, a defect of the suite. Nothing is put into the
// report folder then.
type Leak struct{ File, Encoding string }

func (l *Leak) Error() string {
	return fmt.Sprintf("defect of the suite, not of the target: %s would have contained a secret, %s; no file of "+
		"this run was written; please report this", l.File, l.Encoding)
}
