package page

import (
	"slices"

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
	f := filter{Of: "requirements", Rows: len(rows),
		Choices: []choice{{Name: "section", Label: "Section"}, {Name: "version", Label: "Version"},
			{Name: "verdict", Label: "Verdict"}}}
	for _, s := range sections {
		f.Choices[0].Options = append(f.Choices[0].Options, option{s.Number, "§" + s.Number + " " + s.Heading})
	}
	for _, version := range columns(rows) {
		f.Choices[1].Options = append(f.Choices[1].Options, option{version, version})
	}
	for _, s := range report.States() {
		if slices.ContainsFunc(rows, func(r *row) bool { return r.State.Name == s.Name }) {
			f.Choices[2].Options = append(f.Choices[2].Options, option{s.Name, s.Word})
		}
	}
	return f
}
