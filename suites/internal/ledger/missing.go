package ledger

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// missing is what the evidence lacks, in a run that is judged again.
type missing struct {
	reads  map[operationVersion]bool // a well-formed request is missing that might have been served
	points map[point]bool
}

type point struct {
	id        string
	operation schemas.Operation
}

// NoteMissing records that the evidence lacks an exchange. Rows that need it can fail, but not pass.
func (l *Ledger) NoteMissing(p exchange.Probe) {
	if len(l.Missing) < maxDistinct {
		l.Missing = append(l.Missing, p)
	}
	if p.WellFormed() {
		l.missing.reads[operationVersion{p.Operation, p.Version}] = true
	}
	for _, r := range l.suite.Requirements() {
		if r.Asks(p) {
			l.missing.points[point{r.ID, p.Operation}] = true
		}
	}
	for _, row := range l.rows {
		if row.Requirement.Asks(p) && slices.Contains([]schemas.Version{p.Version, schemas.Parity}, row.Version) {
			row.Missing = true
		}
	}
}
