package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// most is the maximum size of a summary in bytes. GitHub allows 65,536 characters in a comment.
const most = 59_500

// limits are how much a summary shows: the items of a section, the lines of an item and of the head and the facts, and
// the characters of a text.
type limits struct{ items, lines, text int }

// levels are the limits to try, largest first, until a summary has at most so many bytes. All sections have the same
// limits, so that ten thousand failures don't push out the open points.
var levels = []limits{{1000, 200, 1000}, {200, 100, 1000}, {60, 50, 1000}, {20, 10, 500}, {8, 6, 200}, {3, 3, 60}}

// render renders a section, each entry complete or not at all. It ends with the number of entries left out.
func (l limits) render(s report.Section, d *report.Document) string {
	text := "### " + s.Title + "\n\n"
	if s.Intro != "" {
		text += plain(s.Intro) + "\n\n"
	}
	shown := min(len(s.Items), l.items)
	for _, item := range s.Items[:shown] {
		text += l.entry(item)
	}
	if n := report.Count(s.Items[shown:]); n > 0 {
		text += fmt.Sprintf("\n%s left out here; `%s` has all.\n", wording.Plural(n, "entry is", "entries are"),
			d.Files[0].Name)
	}
	return strings.TrimRight(text, "\n") + "\n\n"
}

// entry renders an item with its lines, as many as the limits allow.
func (l limits) entry(item report.Item) string {
	var parts []string
	for _, part := range []string{item.Name, item.Text} {
		if part != "" {
			parts = append(parts, code(part, l.text))
		}
	}
	text := "- "
	if item.Word != "" {
		text += item.Word + ": "
	}
	text += cmp.Or(strings.Join(parts, ": "), empty) + "\n"
	lines := slices.Concat(item.Lines, item.More)
	for i, line := range lines {
		if i == l.lines {
			text += "  - and " + wording.Plural(len(lines)-i, "more line", "more lines") + "\n"
			break
		}
		text += "  - " + code(line, 2*l.text) + "\n"
	}
	if item.Waivers != "" {
		return text + "\n  To waive them, paste this into the configuration file:\n\n" + toCopy("yaml", item.Waivers)
	}
	for n := range item.Lines {
		if e := item.ExampleOf(n); e != nil && e.Commands != "" {
			return text + "\n" + toCopy("sh", e.Commands) // the page has those of the other lines
		}
	}
	return text
}

// toCopy renders lines to copy. If they don't fit completely, it refers to the page: a shortened command would do
// something else.
func toCopy(language, lines string) string {
	if len(lines) <= maxRepeat && backticks(lines) <= longestRun {
		return fenced(language, lines, 2) + "\n"
	}
	return "  What to copy does not fit here; see the page.\n\n"
}
