package redact

import (
	"encoding/json"
	"regexp"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// segments goes through a text: string literals in quotation marks, else runs of characters that are neither white
// space nor punctuation of JSON nor a question mark, after which a URL may go on with a secret. In a text that begins
// with a JSON value it finds the strings and numbers of that value.
type segments struct {
	text       string
	start, end int  // of the segment
	open       bool // a quotation mark without another one was seen: those after it open nothing either
}

// next goes to the next segment, if there is one.
func (g *segments) next() bool {
	for g.start = g.end; g.start < len(g.text); g.start++ {
		b := g.text[g.start]
		if b == '"' && !g.open {
			size := literal(g.text[g.start:])
			g.end = g.start + size
			if g.open = size == 0; !g.open {
				return true
			}
		}
		if !between[b] {
			for g.end = g.start + 1; g.end < len(g.text) && !between[g.text[g.end]]; {
				g.end++
			}
			return true
		}
	}
	return false
}

// between are the bytes between segments. A quotation mark begins another one.
var between = func() (table [256]bool) {
	for _, b := range []byte(" \t\r\n{}[]:,?\"") {
		table[b] = true
	}
	return table
}()

// literal is the length of the string literal that a text begins with, 0 if it does not end.
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

// segment is the pseudonym of a segment: a string literal for one, a number for one.
func (s *Secrets) segment(text string) string {
	if text[0] == '"' {
		return s.literal(text)
	}
	if name := s.ofNumber(text); name != "" {
		return name
	}
	return s.ofString(text)
}

// literal is a string literal with the pseudonym of its value. What makes it no JSON (a control character, an unknown
// escape), or none that RFC 7493 takes (half of a surrogate pair), is kept.
func (s *Secrets) literal(text string) string {
	var value string
	if json.Unmarshal([]byte(text), &value) == nil && !strings.ContainsRune(value, utf8.RuneError) {
		return `"` + s.ofString(value) + `"`
	}
	kept := ""
	for _, special := range specials.FindAllString(text, -1) {
		unit, ok := unitAt([]byte(special), `\u`)
		if ok && utf16.IsSurrogate(unit) || !ok && !strings.Contains(`\"\\\/\b\f\n\r\t`, special) {
			kept += special
		}
	}
	name := s.ofString(text)
	if s.Found(kept) {
		kept = ""
	}
	return `"` + name + kept + `"`
}

// specials are control characters and escapes.
var specials = regexp.MustCompile(`(?s)[\x00-\x1f]|\\(?:u[0-9a-fA-F]{4}|.)`)

const (
	// rounds is how often what was redacted is looked at again. What is taken out can bring together what stood apart.
	rounds = 8
	// The bytes that all readings of a text may come to, in all searches until it is free of secrets: per byte and beside.
	replaceCost       = 32
	replaceCostBeside = 128 << 20
)

// replacement is the work on one text.
type replacement struct {
	*Secrets
	cost int // what is left
}

// replace gives a text with a pseudonym for each segment that has a trace, or that is touched by one. False is for a
// text in which a trace would stay, or of which it would cost too much to tell.
func (s *Secrets) replace(text string) (string, bool) {
	r := replacement{s, len(text)*replaceCost + replaceCostBeside}
	for round := range rounds {
		if !r.found(text) {
			return text, r.cost > 0
		}
		if round == 0 {
			text = r.each(text)
		} else {
			text = r.across(text)
		}
	}
	return "", false
}

// found is Found as long as there is something left to spend.
func (r *replacement) found(text string) bool {
	if r.cost <= 0 {
		return false
	}
	found, tooComplex, cost := r.scan([]byte(text))
	r.cost -= cost
	return found || tooComplex
}

// each replaces the segments that have a trace by themselves.
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

// across replaces the segments that are touched by a trace that none of them has alone: a secret with spaces in it, or
// pairs of hexadecimal digits with spaces between.
func (r *replacement) across(text string) string {
	var out strings.Builder
	g := segments{text: text}
	more, done := g.next(), 0
	for from := 0; ; {
		start, end, ok := r.trace(text, from)
		if !ok {
			return out.String() + text[done:]
		}
		for ; more && g.start < end; more = g.next() {
			one := text[g.start:g.end]
			if g.end <= start || one == "true" || one == "false" || one == "null" {
				continue
			}
			out.WriteString(text[done:g.start])
			// What only spaces part becomes one pseudonym: a text in hexadecimal would become many.
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

// trace finds the first part of a text, from a place on, that has a trace and no smaller part that has one.
func (r *replacement) trace(text string, from int) (start, end int, ok bool) {
	size := mostRun
	for ; !r.found(text[from:min(from+size, len(text))]); size *= 2 {
		if from+size >= len(text) {
			return 0, 0, false
		}
	}
	least := size / 2
	most := min(size, len(text)-from)
	end = from + least + sort.Search(most-least, func(n int) bool { return r.found(text[from : from+least+n]) })
	start = end - sort.Search(end-from, func(n int) bool { return r.found(text[end-n : end]) })
	return start, end, true
}
