package ledger

import "authenticator-conformance/schemas"

// Complete reports whether every row of the run was judged, no filter left one out, and the evidence lacked nothing.
func (l *Ledger) Complete() bool {
	if len(l.Missing) > 0 {
		return false
	}
	for _, row := range l.rows {
		if !row.Selected || row.Reason == NotRun {
			return false
		}
	}
	return len(l.rows) > 0
}

// Excluded lists the requirements that can't be observed from outside the target.
func (l *Ledger) Excluded() []schemas.Requirement {
	var list []schemas.Requirement
	for _, r := range l.suite.Requirements() {
		if r.Kind == schemas.Excluded {
			list = append(list, r.Requirement)
		}
	}
	return list
}
