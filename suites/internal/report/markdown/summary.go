// Package markdown renders the result of a run or a sweep for a code review: as Markdown, as GitHub annotations, and as
// the summary of a GitHub step. Text from a target is shown but never interpreted as markup.
package markdown

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// Limits on one text, in characters.
const (
	maxText   = 1000
	maxRepeat = 2000
)

// most is the maximum size of a summary in bytes. GitHub allows 65,536 characters in a comment.
const most = 59_500

// limits are how much a summary shows: the items of a section, the lines of an item and of the head and the facts, and
// the characters of a text.
type limits struct{ items, lines, text int }

// levels are the limits to try, largest first, until a summary has at most so many bytes. All sections have the same
// limits, so that ten thousand failures don't push out the open points.
var levels = []limits{{1000, 200, 1000}, {200, 100, 1000}, {60, 50, 1000}, {20, 10, 500}, {8, 6, 200}, {3, 3, 60}}

// Render renders summary.md as Markdown for GitHub and GitLab: first the verdict, then what a reviewer asks next. It
// stays under 60,000 bytes: what does not fit is left out and counted. The same document gives the same bytes.
func Render(d *report.Document) []byte {
	text := ""
	for _, l := range levels {
		text = l.head(d) + l.fault(d)
		for _, s := range d.Sections {
			text += l.render(s, d)
		}
		if text += l.facts(d) + files(d); len(text) <= most {
			break
		}
	}
	return []byte(text)
}

func (l limits) head(d *report.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n", writeHeadline(d), d.Title)
	for _, sentence := range []string{d.Sentence, d.Scope} {
		if sentence != "" {
			b.WriteString(plain(sentence) + "\n\n")
		}
	}
	for _, f := range d.Head {
		value := plain(f.Value)
		if f.Exact {
			value = code(f.Value, l.text)
		}
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, value)
	}
	b.WriteString("\n")
	if len(d.Table.Rows) == 0 {
		return b.String()
	}
	rows := d.Table.Rows[:min(len(d.Table.Rows), l.lines)]
	for i, row := range append([][]string{d.Table.Heads}, rows...) {
		for j, cell := range row {
			if i > 0 && j == 0 {
				cell = code(strings.ReplaceAll(cell, "|", "¦"), l.text)
			} else {
				cell = plain(cell)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// writeHeadline returns the verdict with its sign.
func writeHeadline(d *report.Document) string {
	return d.State.Sign + " " + plain(d.State.Word)
}

// fault renders the reason why the run could not be carried out.
func (l limits) fault(d *report.Document) string {
	if d.Error == "" {
		return ""
	}
	return "### Error\n\nCorrect what is named here, and run again.\n\n" +
		fenced("text", report.ShownLines(limitBackticks(d.Error), l.lines, l.text), 0) + "\n"
}

// facts renders the facts at the end. Reviewers know them; they are there for the archive.
func (l limits) facts(d *report.Document) string {
	var b strings.Builder
	b.WriteString("### What was judged, and by what\n\n")
	for _, f := range d.Facts[:min(len(d.Facts), max(l.lines, 30))] {
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, code(f.Value, l.text))
	}
	b.WriteString("\n")
	return b.String()
}

func files(d *report.Document) string {
	var list []string
	for _, f := range d.Files {
		list = append(list, fmt.Sprintf("`%s` %s", f.Name, f.Purpose))
	}
	return "In the report folder: " + strings.Join(list, ", ") + ".\n"
}

// harmless matches texts in which Markdown, GitHub and GitLab find no markup, link, mention, reference or commit.
var harmless = regexp.MustCompile(`^[\p{L}\p{N} .,;:()%§–≈✓✗?!'="-]*$`)

// special matches what can still be special in a harmless text: an address, the key of an issue, a commit.
var special = regexp.MustCompile(`(?i)www\.|[A-Z]+-[0-9]|[0-9a-f]{7}`)

// plain leaves a sentence of the suite unchanged if it is harmless, and renders it as code otherwise.
func plain(text string) string {
	if harmless.MatchString(text) && !special.MatchString(text) {
		return text
	}
	return code(strings.ReplaceAll(text, "|", "¦"), maxText)
}

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
