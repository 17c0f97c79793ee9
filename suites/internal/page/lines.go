package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/wording"
)

// Bounds of what is shown of a body: characters of a line, levels of indent, and lines.
const (
	longestValue = 300
	deepest      = 40
	mostLines    = 80
	linesLead    = 25 // of those, before the marked place
)

// line is one line of a body as it is shown.
type line struct {
	Text   string
	Mark   bool // the place that a finding names
	depth  int
	comma  bool   // is no part of what lines are compared by
	record string // which element of the outermost list it is in
}

// Indent is the white space before a line.
func (l line) Indent() string { return strings.Repeat("  ", min(l.depth, deepest)) }

// End is the comma after a line.
func (l line) End() string {
	if l.comma {
		return ","
	}
	return ""
}

// lines are a body's lines: one for each member and element.
func (b *body) lines() []line {
	if b.value != nil {
		return b.value.appendTo(nil, line{})
	}
	return b.text
}

// appendTo adds the lines of a value. The first one is given as far as it is known.
func (v *value) appendTo(list []line, first line) []line {
	if v.name != "" {
		first.Text = redact.Printable(v.name, longestName) + ": "
	}
	first.Mark = v.mark
	last, end := line{depth: first.depth, comma: first.comma, record: first.record},
		string(v.open+2) // '[' and ']', '{' and '}'
	switch {
	case v.open == 0:
		first.Text += redact.Printable(v.raw, longestValue)
		return append(list, first)
	case len(v.children) == 0 && !v.broken:
		first.Text += string(v.open) + end
		return append(list, first)
	}
	first.Text, first.comma = first.Text+string(v.open), false
	list = append(list, first)
	for i, c := range v.children {
		next := line{depth: first.depth + 1, comma: i+1 < len(v.children) && !c.broken, record: first.record}
		if first.depth == 0 && v.open == '[' {
			next.record = c.id
		}
		list = c.appendTo(list, next)
	}
	if v.broken {
		if n := len(v.children); n == 0 || !v.children[n-1].broken {
			list = append(list, line{Text: "…", depth: first.depth + 1})
		}
		return list
	}
	last.Text = end
	return append(list, last)
}

// plainLines lays out a text that is no JSON: its beginning.
func plainLines(text string) []line {
	var list []line
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range all[:min(len(all), mostLines-1)] {
		list = append(list, line{Text: redact.Printable(strings.TrimSuffix(l, "\r"), longestValue)})
	}
	return appendRest(list, len(all)-len(list))
}

// appendRest adds a line for lines that are not shown.
func appendRest(list []line, n int) []line {
	if n <= 0 {
		return list
	}
	return append(list, line{Text: fmt.Sprintf("… %s", wording.Count(n, "line"))})
}

// excerpt gives the lines of a body if they are few, else those around the first marked one.
func excerpt(lines []line) []line {
	if len(lines) <= mostLines {
		return lines
	}
	start := 0
	for i, l := range lines {
		if l.Mark {
			start = min(max(0, i-linesLead), len(lines)-mostLines)
			break
		}
	}
	kept := append(appendRest(nil, start), lines[start:start+mostLines]...)
	return appendRest(kept, len(lines)-start-mostLines)
}

// part is a run of text of a body, marked or not.
type part struct {
	Text string
	Mark bool
}

// parts joins lines into as few runs as possible.
func (b *budget) parts(lines []line) []part {
	var list []part
	plain := ""
	add := func(p part) {
		if p.Text != "" {
			b.charge(sizeOf(p.Text) + len(`<mark><span class="unseen">marked: </span></mark>`))
			list = append(list, p)
		}
	}
	for i, l := range lines {
		if i > 0 {
			plain += "\n"
		}
		plain += l.Indent()
		if l.Mark {
			add(part{Text: plain})
			add(part{Text: l.Text, Mark: true})
			plain = l.End()
			continue
		}
		plain += l.Text + l.End()
	}
	add(part{Text: plain})
	return list
}
