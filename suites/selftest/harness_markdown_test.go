package selftest_test

import "strings"

// outsideCode returns a Markdown text without its blocks and spans of code, in which everything is literal. Here a span
// ends on its line, although Markdown lets it continue on the next one.
func outsideCode(text string) string {
	var b strings.Builder
	fence := "" // of the block that is open
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		run := backticks(trimmed)
		switch {
		case fence != "":
			if len(run) >= len(fence) && run == trimmed {
				fence = ""
			}
		case len(run) >= 3 && !strings.Contains(trimmed[len(run):], "`"):
			fence = run
		default:
			b.WriteString(outsideSpans(line))
		}
	}
	return b.String()
}

// outsideSpans returns a line of Markdown without its spans of code. A span begins and ends with the same number of
// backticks.
func outsideSpans(line string) string {
	var b strings.Builder
	for line != "" {
		before, _, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			break
		}
		line = line[len(before):]
		mark := backticks(line)
		line = line[len(mark):]
		for rest := line; rest != ""; {
			at := strings.Index(rest, mark)
			if at < 0 {
				break // nothing ends it, so it is no span
			}
			end := backticks(rest[at:])
			rest = rest[at+len(end):]
			if end == mark {
				line = rest
				break
			}
		}
	}
	return b.String()
}

// backticks returns the backticks that a text begins with.
func backticks(text string) string { return text[:len(text)-len(strings.TrimLeft(text, "`"))] }
