package redact

import "strings"

// PrintableLines is Printable for a text of several lines, whole: its line breaks stay.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 0)
	}
	return strings.Join(lines, "\n")
}
