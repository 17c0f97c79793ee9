package page

import (
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// filter is a filter over a list of rows; the page's script applies it. The data attributes of a row hold the values to
// match.
type filter struct {
	Of      string // what is filtered
	Choices []choice
	Rows    int
}

// choice is one control of a filter. Its name is also that of the rows' data attribute and of the URL parameter.
type choice struct {
	Name, Label string
	Options     []option
}

type option struct{ Value, Word string }

// filterOf returns the filter over the rows of a run.
func filterOf(sections []*section, rows []*row) filter {
	sectionOf := func(s *section) option { return option{s.Number, "§" + s.Number + " " + s.Heading} }
	same := func(version string) option { return option{version, version} }
	stateOf := func(s report.StateCount) option { return option{s.Name, s.Word} }
	return filter{"requirements", []choice{
		{"section", "Section", options(sections, sectionOf)},
		{"version", "Version", options(columns(rows), same)},
		{"verdict", "Verdict", options(countStates(rows), stateOf)},
	}, len(rows)}
}

// filterOfGroups returns the filter over the groups of a sweep. What has no control can be found by its text.
func filterOfGroups(groups []*group) filter {
	sorted := func(of func(*group) option) []option {
		list := options(groups, of)
		slices.SortFunc(list, func(a, b option) int { return strings.Compare(a.Word, b.Word) })
		return list
	}
	return filter{"groups", []choice{
		{"operation", "Operation", sorted(func(g *group) option { return option{g.Operation, g.Operation} })},
		{"version", "Version", sorted(func(g *group) option { return option{g.Version, g.Version} })},
		{"kind", "Kind", sorted(func(g *group) option { return option{g.Kind, g.Kind} })},
		{"verdict", "Verdict", sorted(func(g *group) option { return option{g.State.Name, g.State.Word} })},
	}, len(groups)}
}

// options returns the first distinct options of a list.
func options[T any](list []T, of func(T) option) []option {
	var distinct []option
	for _, entry := range list {
		if o := of(entry); len(distinct) < maxEntries && !slices.Contains(distinct, o) {
			distinct = append(distinct, o)
		}
	}
	return distinct
}
