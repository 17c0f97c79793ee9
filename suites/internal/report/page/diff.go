package page

import (
	"fmt"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
)

// diff compares one answer with another.
type diff struct {
	Left, Right *answer
	Rows        []diffRow
}

// diffRow is a line of one body beside a line of the other.
type diffRow struct {
	Kind        string // "same", "changed" or "gap"
	Left, Right *line  // nil if that side has no line
	Gap         string // for a gap: how many lines are not shown
}

// Limits on a diff, in rows.
const (
	diffContext = 3
	maxRows     = 100
)

// diffOf compares an answer with an earlier one. The places of all findings are marked in both.
func diffOf(earlier, later *evidence.Entry, found []report.Finding) *diff {
	left, right := bodyOf(earlier), bodyOf(later)
	if left.value != nil && right.value != nil {
		named := identify(left.value, right.value)
		for _, f := range found {
			highlightBoth(left.value, right.value, f)
		}
		left.value.sort(named)
		right.value.sort(named)
	}
	d := &diff{answerOf(earlier, left), answerOf(later, right), sideBySide(left.lines(), right.lines())}
	for side, k := range map[*answer]*evidence.Entry{d.Left: earlier, d.Right: later} {
		side.Name = fmt.Sprintf("%s, %s, %s", k.Probe.Version, k.Probe.ID, k.Probe.Name())
	}
	return d
}

// sideBySide aligns two bodies. It keeps the lines that differ, those that are marked, and a few around them.
func sideBySide(left, right []line) []diffRow {
	var rows []diffRow
	at, shift := 0, 0
	same := func(end int) {
		for ; at < end; at++ {
			rows = append(rows, diffRow{Kind: "same", Left: &left[at], Right: &right[at+shift]})
		}
	}
	for _, d := range lcs.DiffLines(contents(left), contents(right)) {
		same(d.Start)
		for i := range max(d.End-d.Start, d.ReplEnd-d.ReplStart) {
			row := diffRow{Kind: "changed"}
			if d.Start+i < d.End {
				row.Left = &left[d.Start+i]
			}
			if d.ReplStart+i < d.ReplEnd {
				row.Right = &right[d.ReplStart+i]
			}
			rows = append(rows, row)
		}
		at, shift = d.End, d.ReplEnd-d.End
	}
	same(len(left))
	return collapse(rows)
}

// contents returns the lines without comma and indent, for the comparison. A comma shows only whether something
// follows. An indent shows only how many brackets are open, and brackets have lines of their own.
func contents(lines []line) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		list[i] = l.record + "\n" + l.Text
	}
	return list
}

func (d diffRow) isHighlighted() bool {
	return d.Left != nil && d.Left.Highlighted || d.Right != nil && d.Right.Highlighted
}

// collapse replaces long runs of equal rows by a gap and limits the number of rows, beginning shortly before the first
// marked one.
func collapse(rows []diffRow) []diffRow {
	near := make([]bool, len(rows))
	for i, r := range rows {
		if r.Kind == "changed" || r.isHighlighted() {
			for j := max(0, i-diffContext); j < min(len(rows), i+diffContext+1); j++ {
				near[j] = true
			}
		}
	}
	if !slices.Contains(near, true) {
		return []diffRow{{Kind: "gap", Gap: equalBodiesSentence(len(rows))}}
	}
	var kept []diffRow
	equal := 0
	gap := func() {
		if equal > 0 {
			kept = append(kept, diffRow{Kind: "gap", Gap: wording.Count(equal, "equal line") + " not shown"})
		}
		equal = 0
	}
	for i, r := range rows {
		if !near[i] {
			equal++
			continue
		}
		gap()
		kept = append(kept, r)
	}
	gap()
	if len(kept) <= maxRows {
		return kept
	}
	start := min(max(0, slices.IndexFunc(kept, diffRow.isHighlighted)-linesLead), len(kept)-maxRows)
	end := start + maxRows
	shown := slices.Clone(kept[start:end])
	if start > 0 {
		shown = slices.Insert(shown, 0, diffRow{Kind: "gap", Gap: "more above, not shown"})
	}
	if end < len(kept) {
		shown = append(shown, diffRow{Kind: "gap", Gap: "more below, not shown"})
	}
	return shown
}

// equalBodiesSentence is the sentence for two bodies in which no line differs.
func equalBodiesSentence(lines int) string {
	if lines == 0 {
		return "neither answer has a body"
	}
	return "the bodies are alike: " + wording.Count(lines, "line")
}
