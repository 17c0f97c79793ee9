package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
)

// point is an open point: what the document leaves open, and what the target does there.
type point struct{ report.Observation }

// Points returns the open points, unless the run was not carried out.
func (p *runPage) Points() (list []point) {
	for _, o := range p.Observations {
		if p.Error == nil {
			list = append(list, point{o})
		}
	}
	return list
}

// Names returns the names of the versions for a sentence.
func (p point) Names() string { return schemas.Named(p.Seen.Versions()) }

// Agreement returns whether the versions agree.
func (p point) Agreement() string {
	switch {
	case p.Explained:
		return "differ, by what failed"
	case p.Diverges():
		return "differ"
	case p.Agree != nil:
		return "alike"
	}
	return "not compared"
}

// seen is what a version shows, in a cell that spans Columns.
type seen struct {
	By      string
	Columns int
	Parts   []string
}

// Cells returns what each version shows, or all of them alike.
func (p point) Cells() []seen {
	var cells []seen
	for _, v := range p.Seen.Versions() {
		one, tested := p.Seen[v]
		switch {
		case !tested:
			one.Parts = []string{"not under test"}
		case len(one.Parts) == 0: // the report was read from a file, which has only the text
			one.Parts = []string{one.Text}
		}
		cells = append(cells, seen{string(v), 1, one.Parts})
	}
	other := func(s seen) bool { return !slices.Equal(s.Parts, cells[0].Parts) }
	if !slices.ContainsFunc(cells, other) {
		return []seen{{"both", len(cells), cells[0].Parts}}
	}
	return cells
}

// Compared says how many open points were compared, and at how many the versions differ.
func (p *runPage) Compared() string {
	compared, differ, names := 0, 0, ""
	for _, o := range p.Points() {
		names = o.Names()
		if o.Explained || o.Agree != nil {
			compared++
		}
		if o.Explained || o.Diverges() {
			differ++
		}
	}
	if compared == 0 {
		return names + " were compared at none of them."
	}
	return fmt.Sprintf("%s differ at %d of the %d at which they were compared.", names, differ, compared)
}
