// Package markdown renders the result of a run or a sweep for a code review: as Markdown, as GitHub annotations, and as
// the summary of a GitHub step. Text from a target is shown but never interpreted as markup.
package markdown

import (
	"fmt"
	"regexp"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// Limits on one text, in characters.
const (
	maxText   = 1000
	maxRepeat = 2000
)

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
	text := "### Error\n\nCorrect what is named here, and run again.\n\n"
	lines := strings.Split(limitBackticks(d.Error), "\n")
	if more := len(lines) - l.lines; more > 0 {
		lines = append(lines[:l.lines:l.lines], "… and "+wording.Plural(more, "more line", "more lines"))
	}
	for i, line := range lines {
		lines[i] = report.Printable(line, l.text)
	}
	return text + fenced("text", strings.Join(lines, "\n"), 0) + "\n"
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
