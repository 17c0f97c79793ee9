package explain

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
)

// String formats the explanation for people. It ends in a line break.
func (x *Explanation) String() string {
	var b strings.Builder
	title := x.Section
	if x.Title != "" {
		title += " " + x.Title
	}
	fmt.Fprintf(&b, "%s (§%s)\n%s\n\n", x.ID, title, x.Statement)
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, fmt.Sprintf(format, values...))
	}
	line("kind", "%s", x.kind())
	for i, r := range x.Sent {
		if i == 0 {
			line("sent", "%s, labelled %s:", to(r), x.Risk)
		}
		line("", "%s: %s", r.Name, strings.TrimSpace(r.Method+" "+r.Path+" "+r.Body))
	}
	if x.Rule != "" {
		line("rule", "%s", x.Rule)
		line("accepted", "%s", x.Accepted)
		line("refused", "%s", x.Refused)
	}
	return b.String()
}

func (x *Explanation) kind() string {
	switch {
	case x.Kind == schemas.Excluded:
		return "excluded, never judged: " + x.Reason
	case x.Kind == schemas.Open:
		return "open: the document does not show it, so it is observed and never fails"
	case x.Parity:
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
