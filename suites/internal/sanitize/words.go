package sanitize

import (
	"sort"
	"strings"
)

// words iterates over the words of a text. A word is a quoted string literal, or a run of other characters. Runs end at
// white space, JSON punctuation and question marks, because a URL's query may contain the secret.
type words struct {
	text       string
	start, end int  // offsets of the word
	open       bool // a quotation mark was not closed: later ones start no literal either
}

// next moves to the next word, and reports whether there is one.
func (w *words) next() bool {
	for w.start = w.end; w.start < len(w.text); w.start++ {
		b := w.text[w.start]
		if b == '"' && !w.open {
			size := literal(w.text[w.start:])
			w.end = w.start + size
			if w.open = size == 0; !w.open {
				return true
			}
		}
		if !isSeparator[b] {
			for w.end = w.start + 1; w.end < len(w.text) && !isSeparator[w.text[w.end]]; {
				w.end++
			}
			return true
		}
	}
	w.end = w.start
	return false
}

// isSeparator is true for the bytes between words. A quotation mark starts the next word.
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

// replace replaces each word that overlaps a trace. Several words under one trace are replaced together: a secret may
// have spaces, and so have pairs of hexadecimal digits.
func (s *Secrets) replace(text string) string {
	var out strings.Builder
	w, done := words{text: text}, 0
	for from := 0; ; {
		start, end, ok := s.findTrace(text, from)
		if !ok {
			return out.String() + text[done:]
		}
		for w.end <= start && w.next() {
		}
		first, last := start, end
		if w.start < end {
			first = w.start
			for next := w; w.end < end && next.next() && next.start < end; {
				w = next
			}
			last = w.end
		} // else it has no word, but separators only
		out.WriteString(text[done:first])
		if text[first] == '"' && text[last-1] == '"' {
			out.WriteString(`"` + s.redacted + `"`)
		} else {
			out.WriteString(s.redacted)
		}
		from, done = max(last, end), last
	}
}

// findTrace returns the first minimal part of a text, at from or later, that has a trace.
func (s *Secrets) findTrace(text string, from int) (start, end int, ok bool) {
	found := func(start, end int) bool { return s.scan([]byte(text[start:end])) }
	size := maxRun
	for ; !found(from, min(from+size, len(text))); size *= 2 {
		if from+size >= len(text) {
			return 0, 0, false
		}
	}
	least, most := size/2, min(size, len(text)-from)
	end = from + least + sort.Search(most-least, func(n int) bool { return found(from, from+least+n) })
	start = end - sort.Search(end-from, func(n int) bool { return found(end-n, end) })
	return start, end, true
}
