package sanitize

import (
	"encoding/json"
	"regexp"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// segments iterates over the segments of a text. A segment is a quoted string literal, or a run of other characters.
// Runs end at white space, JSON punctuation and question marks, because a URL's query may contain the secret. In a text
// that starts with a JSON value the segments are the value's strings and numbers.
type segments struct {
	text       string
	start, end int  // offsets of the segment
	open       bool // a quotation mark was not closed: later ones start no literal either
}

// next moves to the next segment, and reports whether there is one.
func (s *segments) next() bool {
	for s.start = s.end; s.start < len(s.text); s.start++ {
		b := s.text[s.start]
		if b == '"' && !s.open {
			size := literal(s.text[s.start:])
			s.end = s.start + size
			if s.open = size == 0; !s.open {
				return true
			}
		}
		if !isSeparator[b] {
			for s.end = s.start + 1; s.end < len(s.text) && !isSeparator[s.text[s.end]]; {
				s.end++
			}
			return true
		}
	}
	return false
}

// isSeparator is true for the bytes between segments. A quotation mark starts the next segment.
var isSeparator = func() (table [256]bool) {
	for _, b := range []byte(" \t\r\n{}[]:,?\"") {
		table[b] = true
	}
	return table
}()

// literal returns the length of the string literal at the start of a text, or 0 if it is not closed.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// segment returns the pseudonym of a segment. A string literal stays a string literal, and a number a number.
func (s *Secrets) segment(text string) string {
	if text[0] == '"' {
		return s.literal(text)
	}
	if name := s.ofNumber(text); name != "" {
		return name
	}
	return s.ofString(text)
}

// literal returns a string literal with the pseudonym of its value. It keeps what makes the literal invalid JSON
// (control characters, unknown escapes), or invalid under RFC 7493 (half of a surrogate pair).
func (s *Secrets) literal(text string) string {
	var value string
	if json.Unmarshal([]byte(text), &value) == nil && !strings.ContainsRune(value, utf8.RuneError) {
		return `"` + s.ofString(value) + `"`
	}
	kept := ""
	for _, escape := range specials.FindAllString(text, -1) {
		unit, ok := unitAt([]byte(escape), `\u`)
		if utf16.IsSurrogate(unit) || !ok && !strings.Contains(`\"\\\/\b\f\n\r\t`, escape) {
			kept += escape
		}
	}
	name := s.ofString(text)
	if s.Found(kept) {
		kept = ""
	}
	return `"` + name + kept + `"`
}

// specials matches control characters and escapes.
var specials = regexp.MustCompile(`(?s)[\x00-\x1f]|\\(?:u[0-9a-fA-F]{4}|.)`)

const (
	// rounds is how often a redacted text is searched again: removing a part can join two others to a trace.
	rounds = 8
	// The most bytes that all searches of a text may read until it has no trace: per byte of the text, and a constant.
	replaceCost       = 32
	replaceCostBeside = 128 << 20
)

// replacement is the state of one call of Body.
type replacement struct {
	*Secrets
	cost int // bytes that may still be searched
}

// found is Found within the remaining cost; after that it returns false.
func (r *replacement) found(text string) bool {
	if r.cost <= 0 {
		return false
	}
	found, tooComplex, cost := r.scan([]byte(text))
	r.cost -= cost
	return found || tooComplex
}

// each replaces the segments that contain a whole trace.
func (r *replacement) each(text string) string {
	var out strings.Builder
	done := 0
	for g := (segments{text: text}); g.next(); {
		if one := text[g.start:g.end]; r.found(one) {
			out.WriteString(text[done:g.start] + r.segment(one))
			done = g.end
		}
	}
	return out.String() + text[done:]
}

// across replaces the segments that overlap a trace which spans several of them. Such a trace is a secret with spaces,
// or pairs of hexadecimal digits with spaces between.
func (r *replacement) across(text string) string {
	var out strings.Builder
	g := segments{text: text}
	done := 0
	for from := 0; ; {
		start, end, ok := r.findTrace(text, from)
		if !ok {
			return out.String() + text[done:]
		}
		for ; g.start < end; g.next() {
			one := text[g.start:g.end]
			if g.end <= start || one == "true" || one == "false" || one == "null" {
				continue
			}
			out.WriteString(text[done:g.start])
			// Segments with only spaces between become one pseudonym. Otherwise a text in hexadecimal would become
			// many.
			for next := g; next.next() && next.start < end && text[next.start] != '"'; {
				if strings.Trim(text[g.end:next.start], " ") != "" {
					break
				}
				one, g.end = one+text[g.end:next.end], next.end
			}
			out.WriteString(r.segment(one))
			done = g.end
		}
		from = max(end, done)
	}
}

// findTrace returns the first minimal part of a text, at from or later, that has a trace.
func (r *replacement) findTrace(text string, from int) (start, end int, ok bool) {
	size := maxRun
	for ; !r.found(text[from:min(from+size, len(text))]); size *= 2 {
		if from+size >= len(text) {
			return 0, 0, false
		}
	}
	least := size / 2
	length := min(size, len(text)-from)
	end = from + least + sort.Search(length-least, func(n int) bool { return r.found(text[from : from+least+n]) })
	start = end - sort.Search(end-from, func(n int) bool { return r.found(text[end-n : end]) })
	return start, end, true
}
