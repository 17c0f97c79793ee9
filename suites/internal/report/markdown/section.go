package markdown

import (
	"cmp"
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// most is the maximum size of a summary in bytes. GitHub allows 65,536 characters in a comment.
const most = 59_500

// Sizes in bytes that are reserved for sections, so that ten thousand failures don't push out the open points. Sections
// without an entry here share what is left.
const (
	maxHeadBytes  = 6_000
	maxErrorBytes = 4_800
	maxFactsBytes = 4_000
)

var budgets = map[string]int{
	"failures":    15_000,
	"findings":    15_000,
	"baseline":    11_000,
	"stale":       3_000,
	"lacking":     3_000,
	"divergences": 4_000,
	"volatile":    2_000,
	"notes":       3_000,
}

// ending is the size reserved in each section for the sentence about what was left out.
const ending = 120

// render renders a section with as many entries as fit, each complete or not at all. It ends with the number of entries
// left out.
func render(s report.Section, budget int, d *report.Document) string {
	text := "### " + s.Title + "\n\n"
	if s.Intro != "" {
		text += plain(s.Intro) + "\n\n"
	}
	for i, item := range s.Items {
		made := entry(item, budget-len(text)-ending)
		if made == "" {
			n := report.Count(s.Items[i:])
			text += fmt.Sprintf("\n%s left out here; `%s` has all.\n", wording.Plural(n, "entry is", "entries are"),
				d.Files[0].Name)
			break
		}
		text += made
	}
	return strings.TrimRight(text, "\n") + "\n\n"
}

// entry renders an item with as many of its further lines as fit; "" if not even the first line does.
func entry(item report.Item, budget int) string {
	var parts []string
	for _, part := range []string{item.Name, item.Text} {
		if part != "" {
			parts = append(parts, code(part, maxText))
		}
	}
	text, end := "- ", ""
	if item.Word != "" {
		text += item.Word + ": "
	}
	text += cmp.Or(strings.Join(parts, ": "), empty) + "\n"
	if item.Code != "" {
		end = "\n" + toCopy(item.Lang, item.Code)
	}
	if item.Lang == "yaml" {
		end = "\n  To waive them, paste this into the configuration file:\n" + end
	}
	if len(text)+len(end)+ending > budget {
		return ""
	}
	for _, line := range item.Lines {
		text += "  - " + code(line, 2*maxText) + "\n"
	}
	if len(text)+len(end)+ending > budget {
		return ""
	}
	for i, line := range item.More {
		line = "  - " + code(line, 2*maxText) + "\n"
		if len(text)+len(line)+len(end)+ending > budget {
			text += "  - and " + wording.Plural(len(item.More)-i, "more line", "more lines") + "\n"
			break
		}
		text += line
	}
	return text + end
}

// toCopy renders lines to copy. If they don't fit completely, it refers to the page: a shortened command would do
// something else.
func toCopy(language, lines string) string {
	if len(lines) <= maxRepeat && backticks(lines) <= longestRun {
		return fenced(language, lines, 2) + "\n"
	}
	return "  What to copy does not fit here; see the page.\n\n"
}
