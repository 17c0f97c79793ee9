package page

import (
	"slices"
	"strconv"

	"github.com/aymanbagabas/go-udiff/lcs"

	"authenticator-conformance/suites/internal/wording"
)

// diffRow sets a line of one body beside a line of another.
type diffRow struct {
	Kind        string // "same", "changed" or "gap"
	Left, Right *cell  // nil where that side has no line
	Gap         string // of a gap: how many lines are not shown
}

// cell is a line on one side.
type cell struct {
	Indent, Text, End string
	Mark              bool
}

// Bounds of a diff, in rows.
const (
	diffContext = 3
	mostRows    = 100
)

// sideBySide sets two bodies beside each other: the lines that differ, those that are marked, and a few around them.
func sideBySide(left, right []line) []diffRow {
	var rows []diffRow
	at := 0
	same := func(end, shift int) {
		for ; at < end; at++ {
			rows = append(rows, diffRow{Kind: "same", Left: cellOf(left, at), Right: cellOf(right, at+shift)})
		}
	}
	shift := 0
	diffs := lcs.DiffLines(contents(left), contents(right))
	for i, d := range diffs {
		next := len(left)
		if i+1 < len(diffs) {
			next = diffs[i+1].Start
		}
		d = slid(d, left, right, at, next)
		same(d.Start, shift)
		for i := range max(d.End-d.Start, d.ReplEnd-d.ReplStart) {
			row := diffRow{Kind: "changed"}
			if d.Start+i < d.End {
				row.Left = cellOf(left, d.Start+i)
			}
			if d.ReplStart+i < d.ReplEnd {
				row.Right = cellOf(right, d.ReplStart+i)
			}
			rows = append(rows, row)
		}
		at, shift = d.End, d.ReplEnd-d.End
	}
	same(len(left), shift)
	if !slices.ContainsFunc(rows, func(r diffRow) bool { return r.Kind == "changed" || r.marked() }) {
		return []diffRow{{Kind: "gap", Gap: alike(len(rows))}}
	}
	return around(folded(rows))
}

// slid moves a block that stands on one side only to where it begins and ends with lines of little depth, so that a
// record that is missing reads as one. The lines between from and to are equal on both sides but for the block.
func slid(d lcs.Diff, left, right []line, from, to int) lcs.Diff {
	block, start, end := left, d.Start, d.End
	if start == end {
		block, start, end = right, d.ReplStart, d.ReplEnd
	} else if d.ReplStart != d.ReplEnd {
		return d
	}
	depth := func(by int) int { return max(block[start+by].depth, block[end+by-1].depth) }
	best := 0
	for by := -1; d.Start+by >= from && block[start+by].text == block[end+by].text; by-- {
		if depth(by) < depth(best) {
			best = by
		}
	}
	for by := 1; d.End+by <= to && block[start+by-1].text == block[end+by-1].text; by++ {
		if depth(by) < depth(best) {
			best = by
		}
	}
	return lcs.Diff{Start: d.Start + best, End: d.End + best, ReplStart: d.ReplStart + best, ReplEnd: d.ReplEnd + best}
}

// alike says of two bodies that no line differs.
func alike(lines int) string {
	if lines == 0 {
		return "neither answer has a body"
	}
	return "the bodies are alike: " + wording.Plural(lines, "line", "lines")
}

// contents are what lines are compared by: a comma tells only whether something follows, and an indent how many
// brackets are open, which their own lines tell too.
func contents(lines []line) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		list[i] = l.text
	}
	return list
}

func cellOf(lines []line, i int) *cell {
	return &cell{Indent: lines[i].indent(), Text: lines[i].text, End: lines[i].end(), Mark: lines[i].mark}
}

func (r diffRow) marked() bool {
	return r.Left != nil && r.Left.Mark || r.Right != nil && r.Right.Mark
}

// folded replaces long runs of equal rows by a gap.
func folded(rows []diffRow) []diffRow {
	near := make([]bool, len(rows))
	for i, r := range rows {
		if r.Kind == "same" && !r.marked() {
			continue
		}
		for j := max(0, i-diffContext); j < min(len(rows), i+diffContext+1); j++ {
			near[j] = true
		}
	}
	var kept []diffRow
	for i := 0; i < len(rows); {
		if near[i] {
			kept = append(kept, rows[i])
			i++
			continue
		}
		start := i
		for i < len(rows) && !near[i] {
			i++
		}
		if i == start+1 { // a gap would take as much room
			kept = append(kept, rows[start])
			continue
		}
		kept = append(kept, diffRow{Kind: "gap", Gap: strconv.Itoa(i-start) + " equal lines not shown"})
	}
	return kept
}

// around keeps the rows around the first marked one where there are too many.
func around(rows []diffRow) []diffRow {
	if len(rows) <= mostRows {
		return rows
	}
	first := max(0, slices.IndexFunc(rows, diffRow.marked))
	start := min(max(0, first-linesLead), len(rows)-mostRows)
	end := start + mostRows
	kept := slices.Clone(rows[start:end])
	if start > 0 {
		kept = slices.Insert(kept, 0, diffRow{Kind: "gap", Gap: "more above, not shown"})
	}
	if end < len(rows) {
		kept = append(kept, diffRow{Kind: "gap", Gap: "more below, not shown"})
	}
	return kept
}
