package explain

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
)

// String formats the explanation for people. It ends in a line break.
func (e *Explanation) String() string {
	var b strings.Builder
	title := e.Section
	if e.Title != "" {
		title += " " + e.Title
	}
	fmt.Fprintf(&b, "%s (§%s)\n%s\n\n", e.ID, title, e.Statement)
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, fmt.Sprintf(format, values...))
	}
	line("kind", "%s", e.kind())
	for i, r := range e.Sent {
		if i == 0 {
			line("sent", "%s, labelled %s:", to(r), e.Risk)
		}
		line("", "%s: %s", r.Name, strings.TrimSpace(r.Method+" "+r.Path+" "+r.Body))
	}
	if e.Rule != "" {
		line("rule", "%s", e.Rule)
		line("accepted", "%s", e.Accepted)
		line("refused", "%s", e.Refused)
	}
	return b.String()
}

func (e *Explanation) kind() string {
	switch {
	case e.Kind == schemas.Excluded:
		return "excluded, never judged: " + e.Reason
	case e.Kind == schemas.Open:
		return "open: the document does not show it, so it is observed and never fails"
	case e.Parity:
		return "documented, judged by comparing v5 with v6"
	}
	return "documented, judged in v5 and in v6"
}

// to describes for whom and how often a request is sent.
func to(r Request) string {
	if r.WellFormed {
		return "for each user, twice to v5 and to v6"
	}
	return "for one user who is served, once to v5 and to v6"
}

// String formats the example for people.
func (e Example) String() string {
	if e.Location == "" {
		return e.Text
	}
	return e.Text + " at " + e.Location
}
