package page

import (
	"net/url"
	"slices"

	"authenticator-conformance/suites/internal/report"
)

// matrix counts the rows of each section by version and state.
type matrix struct {
	Versions []string
	Sections []matrixRow
	Total    matrixRow
}

type matrixRow struct {
	Number, Heading, Link string
	Cells                 []count // by version
}

// count holds the rows of one section in one version.
type count struct {
	Version string
	States  []tallied // none where there are no rows
}

// tallied is how many rows of a cell are in one state, with the filter that shows them.
type tallied struct {
	State report.State
	Count int
	Link  string
	Where string
}

// matrixOf counts; nil where nothing was judged.
func matrixOf(sections []*section) *matrix {
	all := rowsOf(sections...)
	if len(all) == 0 {
		return nil
	}
	m := &matrix{Versions: columns(all)}
	for _, s := range sections {
		m.Sections = append(m.Sections, matrixRow{Number: s.Number, Heading: s.Heading, Link: s.Link(),
			Cells: m.cells(s.Number, rowsOf(s))})
	}
	m.Total = matrixRow{Cells: m.cells("", all)}
	return m
}

// columns are the versions of the rows, as they come.
func columns(rows []*row) []string {
	var list []string
	for _, r := range rows {
		if len(list) < mostColumns && !slices.Contains(list, r.Version) {
			list = append(list, r.Version)
		}
	}
	return list
}

func (m *matrix) cells(section string, rows []*row) []count {
	cells := make([]count, len(m.Versions))
	for i, v := range m.Versions {
		cells[i].Version = v
		for _, s := range report.States() {
			n := 0
			for _, r := range rows {
				if r.Version == v && r.State.Name == s.Name {
					n++
				}
			}
			if n > 0 {
				cells[i].States = append(cells[i].States,
					tallied{State: s, Count: n, Link: filterLink(section, v, s), Where: whereIn(section, v)})
			}
		}
	}
	return cells
}

// filterLink is the page's own address with a filter: the script reads it, and without one it leads to the list.
func filterLink(section, version string, s report.State) string {
	query := url.Values{}
	if section != "" {
		query.Set("section", section)
	}
	query.Set("version", version)
	query.Set("verdict", s.Name)
	return "?" + query.Encode() + "#requirements"
}

// whereIn says where the rows of a cell are, for those who hear a link and do not see the table.
func whereIn(section, version string) string {
	if section == "" {
		return "in all sections, " + version
	}
	return "in section " + section + ", " + version
}
