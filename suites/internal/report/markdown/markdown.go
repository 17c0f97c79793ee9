package markdown

import (
	"regexp"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// longestRun is the longest run of backticks that code and fenced leave unchanged. Common Markdown parsers support code
// spans of up to 80 backticks, and the enclosing run must be longer than any run inside.
const longestRun = 60

// empty is shown in place of an empty text, because Markdown has no empty code span.
const empty = "(empty)"

// code renders text as a code span on one line, with at most limit characters. Only in code does Markdown treat nothing
// as markup or a link, and GitHub and GitLab nothing as a mention, reference or commit. A backslash does not prevent
// the latter. So every text that is not the suite's own must go through code or fenced.
func code(text string, limit int) string {
	if text == "" {
		return empty
	}
	text = report.Printable(limitBackticks(text), limit)
	style := strings.Repeat("`", backticks(text)+1)
	first, last := text[0], text[len(text)-1]
	if spaces := strings.Trim(text, " ") == ""; first == '`' || last == '`' || first == ' ' && last == ' ' && !spaces {
		text = " " + text + " " // parsers strip one space at both ends, unless the text is only spaces
	}
	return style + text + style
}

// fenced renders lines as a code block in a language, indented by the given number of spaces.
func fenced(language, text string, indent int) string {
	text = limitBackticks(text)
	style, space := strings.Repeat("`", max(3, backticks(text)+1)), strings.Repeat(" ", indent)
	lines := space + style + language + "\n"
	for _, line := range strings.Split(report.PrintableLines(text), "\n") {
		lines += space + line + "\n"
	}
	return lines + space + style + "\n"
}

// limitBackticks escapes the backticks of a text visibly if it has too many in a row.
func limitBackticks(text string) string {
	if backticks(text) > longestRun {
		return strings.ReplaceAll(text, "`", `\u0060`)
	}
	return text
}

// ticks matches backticks in a row.
var ticks = regexp.MustCompile("`+")

// backticks returns the length of the longest run of backticks.
func backticks(text string) (longest int) {
	for _, run := range ticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return longest
}
