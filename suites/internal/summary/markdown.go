package summary

import (
	"strings"

	"authenticator-conformance/suites/internal/redact"
)

// longestRun bounds the backticks in a row that code and fenced leave as they are. Parsers of Markdown in use know code
// spans of up to 80 backticks, and an enclosing run must be longer than any inside.
const longestRun = 60

// empty stands where there is nothing to show: Markdown has no empty code span.
const empty = "(empty)"

// code shows text as a code span, on one line, at most so many characters of it. Code is the one place of Markdown in
// which nothing is read as markup, as a link, or, on GitHub and GitLab, as a mention, a reference or a commit: a
// backslash keeps none of the latter away. So all text that is not the suite's own goes through here or through fenced.
func code(text string, limit int) string {
	if text == "" {
		return empty
	}
	text = redact.Printable(fewBackticks(text), limit)
	mark := strings.Repeat("`", backticks(text)+1)
	first, last := text[0], text[len(text)-1]
	if spaces := strings.Trim(text, " ") == ""; first == '`' || last == '`' || first == ' ' && last == ' ' && !spaces {
		text = " " + text + " " // a parser takes one space off both ends, unless there are only spaces
	}
	return mark + text + mark
}

// fenced shows lines as a block of code of a language, each indented by so many spaces.
func fenced(language, text string, indent int) string {
	text = fewBackticks(text)
	mark, space := strings.Repeat("`", max(3, backticks(text)+1)), strings.Repeat(" ", indent)
	lines := space + mark + language + "\n"
	for _, line := range strings.Split(redact.PrintableLines(text), "\n") {
		lines += space + line + "\n"
	}
	return lines + space + mark + "\n"
}

// fewBackticks puts visible escapes for the backticks of a text that has too many in a row.
func fewBackticks(text string) string {
	if backticks(text) > longestRun {
		return strings.ReplaceAll(text, "`", `\u0060`)
	}
	return text
}

// backticks is the length of the longest run of them.
func backticks(text string) int {
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
