package redact

import "strings"

// PrintableLines returns a text of several lines with each line made Printable. It keeps line breaks and cuts nothing.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 0)
	}
	return strings.Join(lines, "\n")
}
