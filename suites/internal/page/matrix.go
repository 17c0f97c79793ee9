package page

import (
	"net/url"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
)

// matrix is the number of rows by section, version and state.
type matrix struct {
	Versions []string
	Pairs    string // which columns compare two versions
	Sections []matrixRow
	Total    []matrixCell
}

type matrixRow struct {
	*section
	Cells []matrixCell // by version
}

// matrixCell is the rows of one section in one version.
type matrixCell struct {
	Version string
	States  []stateLink // empty if there are no rows
}

// stateLink is the number of rows of a cell in one state, with a link that filters for them.
type stateLink struct {
	report.StateCount
	Link, Where string
}

// matrixOf counts the rows. It returns nil if nothing was judged.
func matrixOf(sections []*section) *matrix {
	all := rowsOf(sections...)
	if len(all) == 0 {
		return nil
	}
	m := &matrix{Versions: columns(all)}
	m.Pairs = pairsSentence(m.Versions)
	for _, s := range sections {
		m.Sections = append(m.Sections, matrixRow{s, m.cells(s.Number, rowsOf(s))})
	}
	m.Total = m.cells("", all)
	return m
}

// columns returns the versions of the rows, in order of appearance.
func columns(rows []*row) []string {
	var list []string
	for _, r := range rows {
		if len(list) < maxColumns && !slices.Contains(list, r.Version) {
			list = append(list, r.Version)
		}
	}
	return list
}

// pairsSentence says which columns compare two versions; "" if none does.
func pairsSentence(columns []string) string {
	var pairs []schemas.Version
	for _, name := range columns {
		if v := schemas.Version(name); v.IsPair() {
			pairs = append(pairs, v)
		}
	}
	switch len(pairs) {
	case 0:
		return ""
	case 1:
		return "; the column " + string(pairs[0]) + " compares both"
	}
	return "; the columns " + schemas.Named(pairs) + " compare two each"
}

// cells counts the rows of a section, or of all sections if that is "".
func (m *matrix) cells(section string, rows []*row) []matrixCell {
	var cells []matrixCell
	for _, version := range m.Versions {
		cell := matrixCell{Version: version}
		other := func(r *row) bool { return r.Version != version }
		for _, s := range countStates(slices.DeleteFunc(slices.Clone(rows), other)) {
			cell.States = append(cell.States,
				stateLink{s, filterLink(section, version, s.Name), whereIn(section, version)})
		}
		cells = append(cells, cell)
	}
	return cells
}

func countStates(rows []*row) []report.StateCount {
	counted := make([]*report.Row, len(rows))
	for i, r := range rows {
		counted[i] = r.from
	}
	return report.CountStates(counted)
}

// filterLink returns a link to the page with a filter. The script applies it; without JavaScript the link leads to the
// list.
func filterLink(section, version, state string) string {
	query := url.Values{"version": {version}, "verdict": {state}}
	if section != "" {
		query.Set("section", section)
	}
	return "?" + query.Encode() + "#requirements"
}

// whereIn names the section and version of a cell, for users of screen readers, who hear the link without the table.
func whereIn(section, version string) string {
	if section == "" {
		return "in all sections, " + version
	}
	return "in section " + section + ", " + version
}
