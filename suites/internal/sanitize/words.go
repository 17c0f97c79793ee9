package sanitize

import (
	"sort"
	"strings"
)

// betweenWords are the bytes between words. Words end at white space, JSON punctuation and question marks, because a
// URL's query may contain the secret.
const betweenWords = " \t\r\n{}[]:,?\""

// piecesOf returns where the pieces of a text end: quoted string literals, words, and each byte between them.
func piecesOf(text string) (ends []int) {
	open := false // a quotation mark was not closed: later ones start no literal either
	for start := 0; start < len(text); start = ends[len(ends)-1] {
		end := start + 1
		switch b := text[start]; {
		case b == '"' && !open:
			size := literal(text[start:])
			end, open = start+max(size, 1), size == 0
		case strings.IndexByte(betweenWords, b) < 0:
			if size := strings.IndexAny(text[start:], betweenWords); size >= 0 {
				end = start + size
			} else {
				end = len(text)
			}
		}
		ends = append(ends, end)
	}
	return ends
}

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

// replace replaces the pieces that have a trace. Several under one trace are replaced together: a secret may have
// spaces, and so have pairs of hexadecimal digits.
func (s *Secrets) replace(text string) string {
	ends := append([]int{0}, piecesOf(text)...) // piece n is between ends n and n+1
	found := func(first, after int) bool { return s.Found(text[ends[first]:ends[after]]) }
	var out strings.Builder
	for first, last := 0, len(ends)-1; ; {
		size := 1
		for ; !found(first, min(first+size, last)); size *= 2 {
			if first+size >= last {
				return out.String() + text[ends[first]:]
			}
		}
		least, most := size/2, min(size, last-first)
		after := first + least + sort.Search(most-least, func(n int) bool { return found(first, first+least+n) })
		begin := after - sort.Search(after-first, func(n int) bool { return found(after-n, after) })
		out.WriteString(text[ends[first]:ends[begin]])
		if traced := text[ends[begin]:ends[after]]; traced[0] == '"' && traced[len(traced)-1] == '"' {
			out.WriteString(`"` + s.redacted + `"`)
		} else {
			out.WriteString(s.redacted)
		}
		first = after
	}
}
