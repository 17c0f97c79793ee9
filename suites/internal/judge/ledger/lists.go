package ledger

// judgeLists judges the rows that are about the lists of all users together, if the run has them (J24).
func (l *Ledger) judgeLists() {
	for _, row := range l.rows {
		if row.Requirement.Lists == nil {
			continue
		}
		for _, outcome := range row.Requirement.Lists(&l.lists, row.Version) {
			row.Merge(outcome)
			if outcome.Count > 0 {
				row.fails(l.user(outcome.Findings[0].Probe.User).number, outcome.Causes)
			}
		}
	}
}
