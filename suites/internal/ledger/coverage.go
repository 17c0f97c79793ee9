package ledger

import (
	"authenticator-conformance/suites/internal/spec"
)

// Coverage is what a run has seen of one requirement in one version.
type Coverage struct {
	Key
	Seen  map[string]int // by alternative: how many users showed it, or how many requests were refused so
	Never []string       // the alternatives that nobody showed
}

func (l *Ledger) cover(j *spec.Judgement) {
	for id, alternatives := range j.Covers {
		key := Key{id, j.Answer.Exchange.Probe.Version}
		if l.covered[key] == nil {
			l.covered[key] = map[string]int{}
		}
		for _, a := range alternatives {
			l.covered[key][a]++
		}
	}
}

// Coverage lists what was seen of each selected row that has alternatives, in the catalogue's order.
func (l *Ledger) Coverage() (list []Coverage) {
	for _, row := range l.rows {
		if !row.Selected {
			continue
		}
		c := Coverage{Key: row.Key, Seen: map[string]int{}, Never: []string{}}
		for _, a := range row.Requirement.Alternatives(row.Version) {
			if n := l.covered[row.Key][a]; n > 0 {
				c.Seen[a] = n
			} else {
				c.Never = append(c.Never, a)
			}
		}
		if len(c.Seen)+len(c.Never) > 0 {
			list = append(list, c)
		}
	}
	return list
}
