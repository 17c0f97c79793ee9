package ledger

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// lacking is what the evidence of a run that is judged again does not keep.
type lacking struct {
	operations map[schemas.Operation]bool // of which any exchange is lacking
	reads      map[spot]bool              // of which a well-formed one is: by it the version might have been seen to serve, and to serve what its other probes need
	points     map[string]bool            // operation and open point, of the altered ones
}

func (l *lacking) note(p exchange.Probe) {
	l.operations[p.Operation] = true
	if p.WellFormed() {
		l.reads[spot{p.Operation, p.Version}] = true
	}
	for _, id := range p.Rows() {
		l.points[string(p.Operation)+" "+id] = true
	}
}

// tells tells whether something is lacking that an open point tells about. What the header of a refusal shows, that of a
// well-formed answer may show too, and the other way round.
func (l *lacking) tells(r schemas.Requirement, op schemas.Operation) bool {
	return l.points[string(op)+" "+r.ID] || l.operations[op] && r.Risk == schemas.Read
}

// Lack notes that the evidence does not keep an exchange: the rows that need it can fail, but not pass.
func (l *Ledger) Lack(p exchange.Probe) {
	if len(l.Lacking) < mostDistinct {
		l.Lacking = append(l.Lacking, p)
	}
	l.lacking.note(p)
	for _, row := range l.rows {
		needed := slices.Contains(p.Rows(), row.ID)
		if p.WellFormed() {
			needed = row.Requirement.Risk == schemas.Read && slices.Contains(row.Requirement.Operations, p.Operation)
		}
		// What the versions do at the open points is seen in every exchange.
		diverges := row.Requirement.Setting != "" && slices.Contains(row.Requirement.Operations, p.Operation)
		if diverges || needed && (row.Version == p.Version || row.Version == schemas.Parity) {
			row.Lacking = true
		}
	}
}
