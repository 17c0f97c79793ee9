package redact

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// deepestEscapes is how many layers of escapes are undone, one after the other.
	deepestEscapes = 5
	// deepestCodes is how many layers of base64 or hexadecimal are decoded.
	deepestCodes = 2
	// The bytes that all readings of a text may come to, per byte of it and beside that. An honest text comes to about
	// ten; only one that nests encodings on purpose passes this.
	costPerByte = 64
	costBeside  = 64 << 10
)

// mark is a part of a text that has a trace, from start to before end.
type mark struct{ start, end int }

// hunt is one search through all readings of a text.
type hunt struct {
	secrets *Secrets
	once    bool // one mark is enough
	marks   []mark
	cost    int // what is left
	tangled bool
	folded  []byte
	buffers [][]byte // for the views, by depth
}

// hunt gives the marks of a text in order, none touching another; tangled is true where the text is too costly to read.
func (s *Secrets) hunt(text string, once bool) (marks []mark, tangled bool) {
	if len(text) > math.MaxUint32/2 {
		return nil, true
	}
	h := &hunt{secrets: s, once: once, cost: len(text)*costPerByte + costBeside}
	h.alone(text)
	if len(s.index.lengths) > 0 {
		h.visit(&view{data: []byte(text)}, 0, deepestEscapes, deepestCodes)
	}
	if h.tangled {
		return nil, true
	}
	return merge(text, h.marks), false
}

func (h *hunt) done() bool { return h.tangled || h.once && len(h.marks) > 0 }

// alone finds the short secrets: unencoded, and only between characters that are neither letters nor digits.
func (h *hunt) alone(text string) {
	if len(h.secrets.short) == 0 {
		return
	}
	folded := lower(text)
	for _, secret := range h.secrets.short {
		for start := 0; ; start++ {
			next := strings.Index(folded[start:], secret)
			if next < 0 {
				break
			}
			start += next
			end := start + len(secret)
			before, _ := utf8.DecodeLastRuneInString(text[:start])
			after, _ := utf8.DecodeRuneInString(text[end:])
			if !isWord(before) && !isWord(after) {
				h.marks = append(h.marks, mark{start, end})
			}
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// visit searches a view and every further reading of it.
func (h *hunt) visit(v *view, depth, escapes, decodings int) {
	if h.cost -= len(v.data); h.cost < 0 {
		h.tangled = true
	}
	if h.done() {
		return
	}
	h.search(v)
	if depth == len(h.buffers) {
		h.buffers = append(h.buffers, nil)
	}
	if decodings > 0 {
		for _, c := range codes() {
			h.decode(v, c, depth, decodings)
		}
	}
	if escapes > 0 && !h.done() {
		if child, ok := v.unescaped(h.buffers[depth]); ok {
			h.buffers[depth] = child.data
			h.visit(child, depth+1, escapes-1, decodings)
		}
	}
}

func (h *hunt) search(v *view) {
	h.folded = slices.Grow(h.folded[:0], len(v.data))[:len(v.data)]
	foldInto(h.folded, v.data)
	h.secrets.index.search(h.folded, func(start, end int) bool {
		start, end = v.span(start, end)
		if last := len(h.marks) - 1; last >= 0 && h.marks[last].start <= start && start <= h.marks[last].end {
			h.marks[last].end = max(h.marks[last].end, end)
		} else {
			h.marks = append(h.marks, mark{start, end})
		}
		return h.once
	})
}

// decode visits what each run of digits stands for that is long enough for a trace. A run that the view's parent has
// too was decoded there.
func (h *hunt) decode(v *view, c code, depth, decodings int) {
	least := (h.secrets.index.lengths[0]*8 + c.bits - 1) / c.bits
	for start := 0; start < len(v.data); start++ {
		end := start
		for end < len(v.data) && c.digit(v.data[end]) >= 0 {
			end++
		}
		if end-start >= least && v.changed(start, end) {
			for offset := range c.starts {
				if h.done() {
					return
				}
				child := v.decoded(c, start+offset, end, h.buffers[depth])
				h.buffers[depth] = child.data
				h.visit(child, depth+1, deepestEscapes, decodings-1)
			}
		}
		start = end
	}
}

// merge puts marks in order and joins those that touch. None begins or ends within a character.
func merge(text string, marks []mark) []mark {
	for i := range marks {
		m := &marks[i]
		for range utf8.UTFMax - 1 {
			if m.start > 0 && !utf8.RuneStart(text[m.start]) {
				m.start--
			}
			if m.end < len(text) && !utf8.RuneStart(text[m.end]) {
				m.end++
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return a.start - b.start })
	joined := marks[:0]
	for _, m := range marks {
		if last := len(joined) - 1; last >= 0 && m.start <= joined[last].end {
			joined[last].end = max(joined[last].end, m.end)
		} else {
			joined = append(joined, m)
		}
	}
	return joined
}

func (s *Secrets) replace(text string, marks []mark) string {
	var out strings.Builder
	done := 0
	for _, m := range marks {
		out.WriteString(text[done:m.start])
		if s.names != nil {
			out.WriteString(s.names.of(text[m.start:m.end]))
		} else {
			out.WriteString(s.placeholder)
		}
		done = m.end
	}
	out.WriteString(text[done:])
	return out.String()
}
