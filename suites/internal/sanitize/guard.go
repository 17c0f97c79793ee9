package sanitize

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// Guard finds whole secrets in written files, as a second check after Clean. It shares nothing with Clean but the
// secrets, so that a defect in one does not affect the other. It is safe for concurrent use.
type Guard struct {
	vocabulary string // of the suite's own text, in lower case
	index      atomic.Pointer[guardIndex]
}

// guardIndex is what a Guard searches for. It is immutable.
type guardIndex struct {
	starts    []bool // true at the hash of each form's first four bytes
	encodings []guarded
}

// guarded is one text to search for, with the name of its encoding.
type guarded struct{ text, name string }

// NewGuard returns a Guard that searches for the values, ignoring case. It knows them raw and escaped for JSON, URL or
// HTML. It knows base64 in both alphabets and any alignment, also of UTF-16, and hexadecimal with and without
// separators. A value that occurs in vocabulary, the suite's own text, is not searched for.
func NewGuard(vocabulary string, values ...string) *Guard {
	g := &Guard{vocabulary: lower(vocabulary)}
	g.index.Store(&guardIndex{starts: make([]bool, 1<<hashBits)})
	g.Add(values...)
	return g
}

// Add makes the Guard search for further values, also in files that are being written.
func (g *Guard) Add(values ...string) {
	before := g.index.Load()
	now := &guardIndex{slices.Clone(before.starts), slices.Clone(before.encodings)}
	for _, value := range values {
		for _, secret := range searchTexts(value) {
			if strings.Contains(g.vocabulary, lower(secret)) {
				continue
			}
			for _, encoding := range encodingsOf(secret) {
				encoding.text = lower(encoding.text)
				now.encodings = append(now.encodings, encoding)
				now.starts[hash(first4(encoding.text))] = true
			}
		}
	}
	g.index.Store(now)
}

// encodingsOf returns the encodings of a secret.
func encodingsOf(secret string) []guarded {
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
	for _, text := range append(utf16Texts(secret), secret) {
		for _, core := range cores(text) {
			list = append(list, guarded{core, "in base64"})
		}
	}
	return list
}

// leakWriter checks a stream while it is written. Write never fails.
type leakWriter struct {
	guard *Guard
	file  string
	tail  []byte // end of the text so far, in lower case: a secret may span two writes
	found string
}

// Watch returns a check of one file. With a nil Guard it finds nothing.
func (g *Guard) Watch(file string) atomicfile.Watcher { return &leakWriter{guard: g, file: file} }

// Err returns a Leak if a secret was found.
func (l *leakWriter) Err() error {
	if l.found == "" {
		return nil
	}
	return &Leak{l.file, l.found}
}

func (l *leakWriter) Write(p []byte) (int, error) {
	if l.guard == nil || l.found != "" {
		return len(p), nil
	}
	index := l.guard.index.Load()
	if len(index.encodings) == 0 {
		return len(p), nil
	}
	text := append(l.tail, p...)
	for i, b := range p {
		text[len(l.tail)+i] = lowerByte(b)
	}
	l.found = index.search(text)
	longest := 0
	for _, encoding := range index.encodings {
		longest = max(longest, len(encoding.text))
	}
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

// search returns the name of the first form in a text in lower case, or "".
func (g *guardIndex) search(text []byte) string {
	for rest := text; len(rest) >= hashed; rest = rest[1:] {
		if !g.starts[hash(binary.BigEndian.Uint32(rest))] {
			continue
		}
		for _, encoding := range g.encodings {
			if len(rest) >= len(encoding.text) && string(rest[:len(encoding.text)]) == encoding.text {
				return encoding.name
			}
		}
	}
	return ""
}
