package ledger

import (
	"fmt"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// Waive sets rows aside as the waivers say, and returns what is wrong with the waivers: stale ones, whose rows pass, fail
// the run; expired ones and those that set nothing aside are only named.
func (l *Ledger) Waive(waivers []settings.Waiver, now time.Time) (stale, named []string) {
	for _, w := range waivers {
		name := fmt.Sprintf("the waiver of %s (%s)", w.Requirement, w.Where)
		if !w.Holds(now) {
			named = append(named, fmt.Sprintf("%s ended on %s and no longer holds", name, w.Until.Format(time.DateOnly)))
			continue
		}
		used, passing := 0, 0
		for _, row := range l.rows {
			if row.ID != w.Requirement || w.Version != "" && row.Version != w.Version || !row.Selected {
				continue
			}
			switch verdict := row.Verdict(); {
			case string(verdict) == w.Verdict:
				row.Waiver = &Waived{Reason: w.Reason, Until: w.Until}
				used++
			case verdict == Pass:
				passing++
			}
		}
		switch {
		case used > 0:
		case passing > 0 && w.Verdict == string(Fail):
			stale = append(stale, name+" is stale: what it waives passes now; remove it")
		default:
			named = append(named, name+" set nothing aside")
		}
	}
	return stale, named
}

// Complete tells whether every row of the run was judged, none was left out by a filter, and the evidence lacked nothing.
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
	for _, r := range l.requirements {
		if r.Kind == schemas.Excluded {
			list = append(list, r)
		}
	}
	return list
}
