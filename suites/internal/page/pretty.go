package page

import (
	"strings"

	"authenticator-conformance/suites/internal/redact"
)

// Bounds of one line, in characters.
const (
	longestName  = 200
	longestValue = 600
)

// brackets are those of an object or an array.
func brackets(open byte) (string, string) {
	if open == '{' {
		return "{", "}"
	}
	return "[", "]"
}

// lines lays a value out: a line for each member and element, marked where a finding's place is.
func (n *node) lines() []line {
	var list []line
	n.layOut(0, "", false, &list)
	return list
}

func (n *node) layOut(depth int, name string, comma bool, list *[]line) {
	add := func(l line) { *list = append(*list, l) }
	if n.open == 0 {
		add(line{depth: depth, text: name + redact.Printable(n.raw, longestValue), comma: comma, mark: n.mark})
		return
	}
	open, end := brackets(n.open)
	if len(n.children) == 0 && !n.broken {
		add(line{depth: depth, text: name + open + end, comma: comma, mark: n.mark})
		return
	}
	add(line{depth: depth, text: name + open, mark: n.mark})
	for i, c := range n.children {
		label := ""
		if n.open == '{' {
			label = redact.Printable(c.raw, longestName) + ": "
		}
		c.value.layOut(depth+1, label, i+1 < len(n.children) && !c.value.broken, list)
	}
	if n.broken {
		if len(n.children) == 0 || !n.children[len(n.children)-1].value.broken {
			add(line{depth: depth + 1, text: "…"})
		}
		return
	}
	add(line{depth: depth, text: end, comma: comma})
}

// plainLines lays out a text that is no JSON: its beginning.
func plainLines(text string) []line {
	var list []line
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range all[:min(len(all), mostLines-1)] {
		list = append(list, line{text: redact.Printable(strings.TrimSuffix(l, "\r"), longestValue)})
	}
	if more := len(all) - len(list); more > 0 {
		list = append(list, leftOut(more))
	}
	return list
}

// Bounds of an excerpt, in lines.
const (
	mostLines = 80
	linesLead = 25 // before the marked place
)

// excerpt is a body's lines where they are few, else those around the first marked one.
func excerpt(lines []line) []line {
	if len(lines) <= mostLines {
		return lines
	}
	start := 0
	for i, l := range lines {
		if l.mark {
			start = min(max(0, i-linesLead), len(lines)-mostLines)
			break
		}
	}
	kept := append([]line{}, lines[start:start+mostLines]...)
	if start > 0 {
		kept = append([]line{leftOut(start)}, kept...)
	}
	if more := len(lines) - start - mostLines; more > 0 {
		kept = append(kept, leftOut(more))
	}
	return kept
}
