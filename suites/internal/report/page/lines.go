package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// Limits on a body: characters in a line, levels of indent, and number of lines.
const (
	longestValue = 300
	maxIndent    = 40
	maxLines     = 80
	linesLead    = 25 // of these, before the marked line
)

// line is one line of a body.
type line struct {
	Text        string
	Highlighted bool // a finding names this place
	depth       int
	comma       bool   // ignored when lines are compared
	record      string // the index of the element in the outermost list
}

// Indent returns the white space before a line.
func (l line) Indent() string { return strings.Repeat("  ", min(l.depth, maxIndent)) }

// End returns the comma after a line, or "".
func (l line) End() string {
	if l.comma {
		return ","
	}
	return ""
}

// lines returns a body as lines, one for each member and element.
func (b *body) lines() []line {
	if b.value != nil {
		return b.value.appendTo(nil, line{})
	}
	return b.text
}

// appendTo appends the lines of a value. first has the members of its first line that are already known.
func (v *value) appendTo(list []line, first line) []line {
	if v.name != "" {
		first.Text = report.Printable(v.name, longestName) + ": "
	}
	first.Highlighted = v.highlighted
	end := string(v.open + 2) // '[' and ']', '{' and '}'
	last := line{Text: end, depth: first.depth, comma: first.comma, record: first.record}
	switch {
	case v.open == 0:
		first.Text += report.Printable(v.raw, longestValue)
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
	return append(list, last)
}

// plainLines returns the beginning of a text that is not JSON.
func plainLines(text string) []line {
	var list []line
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range all[:min(len(all), maxLines-1)] {
		list = append(list, line{Text: report.Printable(strings.TrimSuffix(l, "\r"), longestValue)})
	}
	return appendRest(list, len(all)-len(list))
}

// appendRest appends a line with the number of omitted lines.
func appendRest(list []line, n int) []line {
	if n <= 0 {
		return list
	}
	return append(list, line{Text: fmt.Sprintf("… %s", wording.Count(n, "line"))})
}

// excerpt returns all lines if they are few, else those around the first marked one.
func excerpt(lines []line) []line {
	if len(lines) <= maxLines {
		return lines
	}
	start := 0
	for i, l := range lines {
		if l.Highlighted {
			start = min(max(0, i-linesLead), len(lines)-maxLines)
			break
		}
	}
	kept := append(appendRest(nil, start), lines[start:start+maxLines]...)
	return appendRest(kept, len(lines)-start-maxLines)
}

// line makes a line shorter if the page is too large.
func (f *frame) line(text string) string {
	if f.limits["character"] > longestValue {
		return text // it was cut when it was made
	}
	return f.text(text)
}
