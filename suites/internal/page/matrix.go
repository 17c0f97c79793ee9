package page

import (
	"net/url"
	"slices"

	"authenticator-conformance/suites/internal/report"
)

// matrix is the number of rows by section, version and state.
type matrix struct {
	Versions []string
	Sections []matrixRow
	Total    matrixRow
}

type matrixRow struct {
	Number, Heading, Link string
	Cells                 []count // by version
}

// count is one cell: the rows of one section in one version.
type count struct {
	Version string
	States  []tallied // empty if there are no rows
}

// tallied is the number of rows of a cell in one state, with a link that filters for them.
type tallied struct {
	State report.State
	Count int
	Link  string
	Where string
}

// matrixOf counts the rows. It returns nil if nothing was judged.
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

// filterLink returns a link to the page with a filter. The script applies it; without JavaScript the link leads to the
// list.
func filterLink(section, version string, s report.State) string {
	query := url.Values{}
	if section != "" {
		query.Set("section", section)
	}
	query.Set("version", version)
	query.Set("verdict", s.Name)
	return "?" + query.Encode() + "#requirements"
}

// whereIn names the section and version of a cell, for users of screen readers, who hear the link without the table.
func whereIn(section, version string) string {
	if section == "" {
		return "in all sections, " + version
	}
	return "in section " + section + ", " + version
}
