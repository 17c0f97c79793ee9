package ledger

import "authenticator-conformance/schemas"

// Complete tells whether every row of the run was judged, none was left out by a filter, and the evidence lacked
// nothing.
func (l *Ledger) Complete() bool {
	if len(l.Lacking) > 0 {
		return false
	}
	for _, row := range l.rows {
		if !row.Selected || row.Reason == NotRun {
			return false
		}
	}
	return len(l.rows) > 0
}

// Excluded lists the requirements that nothing outside the target can observe.
func (l *Ledger) Excluded() []schemas.Requirement {
	var list []schemas.Requirement
	for _, r := range l.suite.Requirements() {
		if r.Kind == schemas.Excluded {
			list = append(list, r.Requirement)
		}
	}
	return list
}
