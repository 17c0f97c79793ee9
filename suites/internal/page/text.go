package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/wording"
)

// text is what may be shown of a text: printable, on one line, not too long. What is printable already stays as it is.
func (m *maker) text(s string) string { return redact.Printable(s, m.level.text) }

// short is text that is no longer than so many characters.
func (m *maker) short(s string, most int) string { return redact.Printable(s, min(most, m.level.text)) }

// lines is text for one of several lines.
func (m *maker) lines(s string) string {
	all := strings.Split(s, "\n")
	kept := all[:min(len(all), m.level.list)]
	for i, line := range kept {
		kept[i] = m.text(line)
	}
	if more := len(all) - len(kept); more > 0 {
		kept = append(kept, fmt.Sprintf("… and %d more lines", more))
	}
	return strings.Join(kept, "\n")
}

// texts is text for each of a list.
func (m *maker) texts(list []string) []string {
	kept, more := upTo(m, list)
	out := make([]string, 0, len(kept)+1)
	for _, s := range kept {
		out = append(out, m.lines(s))
	}
	if more != "" {
		out = append(out, more)
	}
	return out
}

// upTo gives the first entries of a list, and a sentence about the others.
func upTo[T any](m *maker, list []T) ([]T, string) {
	if more := len(list) - m.level.list; more > 0 {
		return list[:m.level.list], "… and " + wording.Plural(more, "more entry", "more entries") + ", in " + m.data
	}
	return list, ""
}
