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
			line("sent", "%s, labelled %s:", e.to(r), e.Risk)
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
		var pairs []string
		for _, p := range e.pairs {
			pairs = append(pairs, string(p.From)+" with "+string(p.To))
		}
		return "documented, judged by comparing " + strings.Join(pairs, ", ")
	}
	return "documented, judged in " + e.inEach()
}

// to describes for whom and how often a request is sent.
func (e *Explanation) to(r Request) string {
	if r.WellFormed {
		return "for each user, twice to " + strings.ReplaceAll(e.inEach(), " in ", " to ")
	}
	return "for one user who is served, once to " + strings.ReplaceAll(e.inEach(), " in ", " to ")
}

// inEach names the versions in which the row holds: "v5 and in v6".
func (e *Explanation) inEach() string {
	return strings.ReplaceAll(schemas.Named(e.Versions), " and ", " and in ")
}

// String formats the example for people.
func (e Example) String() string {
	if e.Location == "" {
		return e.Text
	}
	return e.Text + " at " + e.Location
}
