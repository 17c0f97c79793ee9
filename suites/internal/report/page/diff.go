package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"authenticator-conformance/suites/internal/judge/parity"
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
	left, right := bodyOf(earlier, true), bodyOf(later, true)
	if left.isJSON && right.isJSON {
		sortRecords(left.lines, right.lines)
		for _, f := range found {
			highlightBoth(left.lines, right.lines, f)
		}
	}
	d := &diff{answerOf(earlier, left), answerOf(later, right), sideBySide(left.lines, right.lines)}
	for side, k := range map[*answer]*evidence.Entry{d.Left: earlier, d.Right: later} {
		side.Name = fmt.Sprintf("%s, %s, %s", k.Probe.Version, k.Probe.ID, k.Probe.Name())
	}
	return d
}

// sortRecords sorts the elements of two lists by their ids, if all have one (J14), so that matching elements stand side
// by side. If not, elements are matched by position.
func sortRecords(earlier, later []line) {
	left, right := ids(earlier), ids(later)
	if left == nil || right == nil {
		return
	}
	for _, side := range []struct {
		lines []line
		ids   map[string]string
	}{{earlier, left}, {later, right}} {
		elements := side.lines[1:max(1, len(side.lines)-1)]
		for i := range elements {
			elements[i].record = side.ids[elements[i].record]
		}
		if last := len(elements) - 1; last >= 0 {
			elements[last].comma = true
			slices.SortStableFunc(elements, func(a, b line) int { return strings.Compare(a.record, b.record) })
			elements[last].comma = false
		}
	}
}

// ids returns what identifies each element of a list, by its index: a record's Id, or a scalar itself, in either case
// of letters. It is nil for anything but a list, and if an element has no id, or a record that of another.
func ids(lines []line) map[string]string {
	if !isList(lines) {
		return nil
	}
	ids, owners := map[string]string{}, map[string]string{}
	for _, l := range lines[1:] {
		id := strings.ToLower(l.raw)
		switch l.pointer {
		case "/" + l.record:
			ids[l.record] = id // a record has none so far
		case "/" + l.record + "/Id":
			if other, taken := owners[id]; taken && other != l.record {
				return nil
			}
			ids[l.record], owners[id] = id, l.record
		}
	}
	if slices.Contains(slices.Collect(maps.Values(ids)), "") {
		return nil
	}
	return ids
}

// isList reports whether lines are those of a list of JSON.
func isList(lines []line) bool {
	return len(lines) > 0 && lines[0].pointer == "" && strings.HasPrefix(lines[0].Text, "[")
}

// highlightBoth marks the place of a finding in two answers. The pointer refers to the earlier answer, except for an
// element that only the later one has.
func highlightBoth(earlier, later []line, f report.Finding) {
	if f.Kind == string(parity.ElementAdded) {
		highlight(later, f.Pointer)
		earlier[0].Highlighted = true
		return
	}
	highlight(earlier, f.Pointer)
	index, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
	i := lineAt(earlier, "/"+index)
	if i < 0 || earlier[i].record == "" { // no element of a list
		highlight(later, f.Pointer)
		return
	}
	at := slices.IndexFunc(later, func(l line) bool { return l.depth == 1 && l.record == earlier[i].record })
	if at < 0 {
		later[0].Highlighted = true
		return
	}
	highlight(later, later[at].pointer+strings.TrimPrefix(f.Pointer, "/"+index))
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
	lists := isList(left) && isList(right)
	for _, d := range lcs.DiffLines(contents(left, lists), contents(right, lists)) {
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

// contents returns the lines without comma and indent, for the comparison, if they are of lists with the record that
// they belong to. A comma shows only whether something follows. An indent shows only how many brackets are open, and
// brackets have lines of their own.
func contents(lines []line, records bool) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		list[i] = l.record + "\n" + l.Text
		if !records {
			list[i] = l.Text
		}
	}
	return list
}

func (d diffRow) isHighlighted() bool {
	return d.Left != nil && d.Left.Highlighted || d.Right != nil && d.Right.Highlighted
}

// isOfInterest reports whether the row is shown with those around it.
func (d diffRow) isOfInterest() bool { return d.Kind == "changed" || d.isHighlighted() }

// collapse replaces long runs of equal rows by a gap and limits the number of rows, beginning shortly before the first
// marked one.
func collapse(rows []diffRow) []diffRow {
	if !slices.ContainsFunc(rows, diffRow.isOfInterest) {
		gap := "the bodies are alike: " + wording.Count(len(rows), "line")
		if len(rows) == 0 {
			gap = "neither answer has a body"
		}
		return []diffRow{{Kind: "gap", Gap: gap}}
	}
	var kept []diffRow
	equal := 0
	for i, r := range rows {
		near := rows[max(0, i-diffContext):min(len(rows), i+diffContext+1)]
		hidden := !slices.ContainsFunc(near, diffRow.isOfInterest)
		if hidden {
			equal++
		}
		if equal > 0 && (!hidden || i == len(rows)-1) {
			kept = append(kept, diffRow{Kind: "gap", Gap: wording.Count(equal, "equal line") + " not shown"})
			equal = 0
		}
		if !hidden {
			kept = append(kept, r)
		}
	}
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
