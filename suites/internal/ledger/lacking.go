package ledger

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// lacking is what the evidence of a run that is judged again does not keep.
type lacking struct {
	reads  map[spot]bool // where a well-formed request is missing: it might have shown that the version serves
	points map[point]bool
}

type point struct {
	id        string
	operation schemas.Operation
}

// Lack notes that the evidence does not keep an exchange: the rows that need it can fail, but not pass.
func (l *Ledger) Lack(p exchange.Probe) {
	if len(l.Lacking) < mostDistinct {
		l.Lacking = append(l.Lacking, p)
	}
	if p.WellFormed() {
		l.lacking.reads[spot{p.Operation, p.Version}] = true
	}
	for _, r := range l.suite.Requirements() {
		if r.Asks(p) {
			l.lacking.points[point{r.ID, p.Operation}] = true
		}
	}
	for _, row := range l.rows {
		if row.Requirement.Asks(p) && slices.Contains([]schemas.Version{p.Version, schemas.Parity}, row.Version) {
			row.Lacking = true
		}
	}
}
