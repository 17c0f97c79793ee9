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
	maxName   = 300 // for ids, URLs and digests
	maxText   = 1000
	maxRepeat = 2000
)

// Render renders summary.md as Markdown for GitHub and GitLab: first the verdict, then what a reviewer asks next. It
// stays under 60,000 bytes: entries that do not fit are left out and counted. The same document gives the same bytes.
func Render(d *report.Document) []byte {
	begin := writeHead(d) + fault(d)
	end := writeFacts(d) + files(d)
	left := most - len(begin) - len(end)
	parts := map[string]string{}
	for _, reserved := range []bool{true, false} { // sections without a reserved size share what the others leave
		for _, s := range d.Sections {
			budget, own := budgets[s.Name]
			if own != reserved {
				continue
			}
			if !own {
				budget = left
			}
			parts[s.Name] = render(s, min(budget, left), d)
			left -= len(parts[s.Name])
		}
	}
	var b strings.Builder
	b.WriteString(begin)
	for _, s := range d.Sections {
		b.WriteString(parts[s.Name])
	}
	b.WriteString(end)
	return []byte(b.String())
}

func writeHead(d *report.Document) string {
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
			value = code(f.Value, maxName)
		}
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, value)
	}
	b.WriteString("\n")
	if len(d.Table.Rows) == 0 {
		return b.String()
	}
	for i, row := range append([][]string{d.Table.Heads}, d.Table.Rows...) {
		for j, cell := range row {
			if i > 0 && j == 0 {
				cell = code(strings.ReplaceAll(cell, "|", "¦"), maxName)
			} else {
				cell = plain(cell)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
		if b.Len() > maxHeadBytes {
			break
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
func fault(d *report.Document) string {
	if d.Error == "" {
		return ""
	}
	text := "### Error\n\nCorrect what is named here, and run again.\n\n"
	lines, size := strings.Split(limitBackticks(d.Error), "\n"), 0
	for i, line := range lines {
		lines[i] = report.Printable(line, maxText)
		if size += len(lines[i]) + len("\n"); size > maxErrorBytes {
			lines = append(lines[:i:i], "… and "+wording.Plural(len(lines)-i, "more line", "more lines"))
			break
		}
	}
	return text + fenced("text", strings.Join(lines, "\n"), 0) + "\n"
}

// writeFacts renders the facts at the end. Reviewers know them; they are there for the archive.
func writeFacts(d *report.Document) string {
	var b strings.Builder
	b.WriteString("### What was judged, and by what\n\n")
	for _, f := range d.Facts {
		if b.Len() > maxFactsBytes {
			break
		}
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, code(f.Value, maxName))
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
