package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/wording"
)

// line is one line of a body as it is shown.
type line struct {
	depth int
	text  string
	comma bool // it stands at the end, and is no part of what two lines are compared by
	mark  bool // the place that a finding names
}

// deepest is how far lines are indented; what lies deeper is told by its brackets.
const deepest = 40

// indent is the white space before a line.
func (l line) indent() string { return strings.Repeat("  ", min(l.depth, deepest)) }

func (l line) end() string {
	if l.comma {
		return ","
	}
	return ""
}

// part is a run of text of a body, marked or not.
type part struct {
	Text string
	Mark bool
}

// parts joins lines into as few runs as possible: a page holds thousands of them.
func parts(lines []line) []part {
	var list []part
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			list = append(list, part{Text: plain.String()})
			plain.Reset()
		}
	}
	for i, l := range lines {
		if i > 0 {
			plain.WriteByte('\n')
		}
		plain.WriteString(l.indent())
		if l.mark {
			flush()
			list = append(list, part{Text: l.text, Mark: true})
			plain.WriteString(l.end())
			continue
		}
		plain.WriteString(l.text + l.end())
	}
	flush()
	return list
}

// bytesOf says a size in words.
func bytesOf(n int) string { return wording.Plural(n, "byte", "bytes") }

// leftOut stands for lines that are not shown.
func leftOut(n int) line {
	return line{text: fmt.Sprintf("… %s", wording.Plural(n, "line", "lines"))}
}
