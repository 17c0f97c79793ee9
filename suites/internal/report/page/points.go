package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
)

// Points returns the open points, unless the run was not carried out.
func (p *runPage) Points() []report.Observation {
	if p.Error != nil {
		return nil
	}
	return p.Observations
}

// agreement returns whether the versions agree at an open point.
func agreement(o report.Observation) string {
	switch {
	case o.Explained:
		return "differ, by what failed"
	case o.Diverges():
		return "differ"
	case o.Agree != nil:
		return "alike"
	}
	return "not compared"
}

// seen is what a version shows at an open point, in a cell that spans Columns.
type seen struct {
	By      string
	Columns int
	Parts   report.SeenBy
}

// cellsOf returns what each version shows at an open point, or all of them alike.
func cellsOf(o report.Observation) (cells []seen) {
	for _, v := range o.Seen.Versions() {
		parts, tested := o.Seen[v]
		if !tested {
			parts = report.SeenBy{"not under test"}
		}
		cells = append(cells, seen{string(v), 1, parts})
	}
	other := func(s seen) bool { return !slices.Equal(s.Parts, cells[0].Parts) }
	if !slices.ContainsFunc(cells, other) {
		return []seen{{"both", len(cells), cells[0].Parts}}
	}
	return cells
}

// Compared says how many open points were compared, and at how many the versions differ.
func (p *runPage) Compared() string {
	compared, differ, names := 0, 0, schemas.Named(p.Observations[0].Seen.Versions())
	for _, o := range p.Observations {
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
