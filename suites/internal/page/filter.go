package page

import (
	"slices"

	"authenticator-conformance/suites/internal/report"
)

// filter narrows a list of rows, by the script of the page. A row's own data say what each choice holds it against.
type filter struct {
	Of      string // what is filtered
	Choices []choice
	Rows    int
}

// choice is a control of a filter. Its name is that of the row's data, and of the parameter in the URL.
type choice struct {
	Name, Label string
	Options     []option
}

type option struct{ Value, Word string }

// filterOf narrows the rows of a run.
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
