// Package explain describes requirements: the catalogue, and of each one which requests it sends, by which rules
// answers are judged, and what the schema says.
package explain

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

// Select returns the requirements that match the ids and patterns, without duplicates, in the catalogue's order. As in
// a waiver, `*` in a pattern matches any characters. The error lists every name that matches nothing, with a similar
// id.
func Select(suite *spec.Suite, names []string) ([]*spec.Requirement, error) {
	all, selected := suite.Requirements(), map[string]bool{}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	var faults []error
	for _, name := range names {
		found := false
		matches := settings.Matcher(name)
		for _, r := range all {
			if matches(r.ID) {
				selected[r.ID], found = true, true
			}
		}
		if !found {
			faults = append(faults, settings.NoRequirement(name, ids))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *spec.Requirement) bool { return !selected[r.ID] }),
		errors.Join(faults...)
}

// WriteList writes one line for each requirement: id, section, kind, statement.
func WriteList(w io.Writer, list []*spec.Requirement) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range list {
		statement := r.Statement
		if r.Reason != "" {
			statement += " Not observable: " + r.Reason
		}
		fmt.Fprintf(out, "%s\t§%s\t%s\t%s\n", r.ID, r.Section, r.Kind, statement)
	}
	return out.Flush()
}

// listed is one requirement of the catalogue for other programs.
type listed struct {
	ID         string              `json:"id"`
	Section    string              `json:"section"`
	Kind       schemas.Kind        `json:"kind"`
	Operations []schemas.Operation `json:"operations"`
	Parity     bool                `json:"parity"`
	Risk       schemas.Risk        `json:"risk"`
	Rules      []string            `json:"rules"`
	Statement  string              `json:"statement"`
	Reason     string              `json:"reason"`
}

// WriteJSON writes requirements as data, with the digest of their contract.
func WriteJSON(w io.Writer, contract *schemas.Contract, requirements []*spec.Requirement) error {
	list := []listed{}
	for _, r := range requirements {
		list = append(list, listed{r.ID, r.Section, r.Kind, append([]schemas.Operation{}, r.Operations...), r.Parity,
			r.Risk, append([]string{}, r.Rules...), r.Statement, r.Reason})
	}
	return strictjson.WriteIndented(w, struct {
		Contract     string   `json:"contract"`
		Requirements []listed `json:"requirements"`
	}{contract.Digest, list})
}

// Explain returns, in lines, what a requirement states, what it sends, the rules and the schema's line.
func Explain(suite *spec.Suite, r *spec.Requirement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, §%s", r.ID, r.Kind, r.Section)
	for _, s := range suite.Sections {
		if s.Number == r.Section {
			b.WriteString(" " + s.Title)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.Statement)
	part := func(name string, lines ...string) {
		for _, line := range lines {
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %-6s  %s", name, line), " ") + "\n")
			name = ""
		}
	}
	if r.Reason != "" {
		part("reason", r.Reason)
	}
	part("sent", sent(suite.Contract, r)...)
	for _, id := range r.Rules {
		heading, text := schemas.Rule(id)
		part("rule", append([]string{heading}, strings.Split(text, "\n")...)...)
	}
	part("schema", schemaLine(suite.Contract, r)...)
	return b.String()
}

// ruleName matches the name of a judging rule.
var ruleName = regexp.MustCompile(`^[Jj][0-9]+$`)

// IsRule reports whether a name is that of a judging rule, such as J14, and not of a requirement.
func IsRule(name string) bool { return ruleName.MatchString(name) }

// Rules returns the judging rules of these names, each with its heading.
func Rules(names []string) (string, error) {
	var b strings.Builder
	for i, name := range names {
		id := strings.ToUpper(name)
		heading, text := schemas.Rule(id)
		switch {
		case !IsRule(name):
			return "", fmt.Errorf("%q is no rule: name rules or requirements, not both", name)
		case heading == "":
			return "", fmt.Errorf("there is no rule %s: the first is J1, and schemas/README.md has all", id)
		case i > 0:
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %s\n\n%s\n", id, heading, text)
	}
	return b.String(), nil
}

// sent lists the requests that a requirement sends to the first version for which it holds. What a target's owner sets
// is shown by placeholders.
func sent(contract *schemas.Contract, r *spec.Requirement) (list []string) {
	user := exchange.User{ID: "$ID", UserID: "$USER_ID", Enrolled: true}
	for _, op := range r.Operations {
		first := r.Requirement.Versions[0]
		base := exchange.Probe{Operation: op, Version: first, User: user}
		probes := exchange.Mutated(base, r.Sends(op))
		if slices.Contains(r.Sends(op), spec.WellFormed) {
			probes = exchange.Rounds(base, []schemas.Version{first}, 1, 1)
		}
		for _, p := range probes {
			name := "well-formed"
			if !p.WellFormed() {
				name = p.Name()
			}
			body := p.Body(contract.Of(first).Request(op), exchange.Shown(exchange.UnknownToken),
				"$AUTHN_APPLICATION_ID")
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s, %s: %s %s %s", r.Risk, name,
				p.Method(), p.Path(), body)))
		}
	}
	return list
}

// schemaLine returns the place of the schema's member that a requirement is about, with what is accepted there; nil if
// it is about none.
func schemaLine(contract *schemas.Contract, r *spec.Requirement) []string {
	schema, member := r.Shape()
	if schema == nil || schema.Expected(member) == "" {
		return nil
	}
	mark := `"description"`
	if member != "" {
		mark = `"` + member + `": {`
	}
	before, _, _ := strings.Cut(string(contract.Files[schema.File()]), mark)
	return []string{fmt.Sprintf("%s:%d: %s", schema.File(), 1+strings.Count(before, "\n"), schema.Expected(member))}
}
