package ledger

import (
	"maps"
	"math/big"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
)

// Unsteady is a place that changes between identical calls, with for how many users it does in each version (J15).
type Unsteady struct {
	Operation  schemas.Operation
	Place      string // JSON Pointer from the record; "" is the answer as a whole, and /* how a list is made up
	Documented bool
	WarmedUp   bool // only the first calls to one version were others
	Users      map[schemas.Version]int
}

// compared is an operation in a pair of versions.
type compared struct {
	operation schemas.Operation
	pair      schemas.Pair
}

// place is a place (J15) in the answers to an operation, in a pair of versions.
type place struct {
	compared
	pointer string
}

// changing is what all users together show at a place that changes for some of them. A set has numbers of users.
type changing struct {
	place
	shape         bool
	unsteady      userSets[schemas.Version]
	settled       userSets[schemas.Version] // in this version only, and they ended equal
	settledInBoth int
	findings      check.Outcome // of the users for whom one version changes
}

// noteChanges notes the places that change within the calls of a lookup.
func (l *Ledger) noteChanges(op schemas.Operation, user exchange.User, c *check.Comparison) {
	of := compared{op, c.Pair}
	l.compared[of]++
	for _, change := range c.Changes {
		if change.Moved {
			continue
		}
		p := l.changingAt(place{of, change.Place})
		if p == nil {
			continue
		}
		p.shape = p.shape || change.Shape
		sets := p.unsteady
		switch {
		case change.Ended && change.From && change.To:
			p.settledInBoth++
			continue
		case change.Ended:
			sets = p.settled
		}
		for v, changes := range map[schemas.Version]bool{c.Pair.From: change.From, c.Pair.To: change.To} {
			if changes {
				sets.add(v, l.user(user).number)
			}
		}
		if change.From != change.To {
			p.findings.Find(c.Changed(change))
		}
	}
}

// changingAt returns a place, and notes it. It returns nil if there are too many. Those that the document shows have
// room of their own.
func (l *Ledger) changingAt(at place) *changing {
	if p := l.places[at]; p != nil {
		return p
	}
	room := maxDistinct
	if l.suite.Contract.IsDocumented(at.operation, at.pointer) {
		room = 2 * maxDistinct // below a member of a wrong type there may be any number
	}
	if len(l.changing) >= room {
		return nil
	}
	p := &changing{place: at, unsteady: userSets[schemas.Version]{}, settled: userSets[schemas.Version]{}}
	l.changing, l.places[at] = append(l.changing, p), p
	return p
}

// users returns the users for whom a place changes within the calls of a version.
func (p *changing) users(v schemas.Version) *big.Int { return union(p.unsteady[v], p.settled[v]) }

// pooled counts the users.
func (l *Ledger) pooled(p *changing) parity.Pooled {
	count := func(set *big.Int) int64 { return int64(bitCount(set)) }
	from, to := p.unsteady[p.pair.From], p.unsteady[p.pair.To]
	return parity.Pooled{From: count(from), To: count(to), Either: count(union(from, to)),
		SettledFrom: count(p.settled[p.pair.From]), SettledTo: count(p.settled[p.pair.To]),
		SettledInBoth: int64(p.settledInBoth),
		Compared:      int64(l.compared[p.compared]), Documented: l.suite.Contract.IsDocumented(p.operation, p.pointer)}
}

// judgeChanges judges, over all users, the places that change between identical calls (J15).
func (l *Ledger) judgeChanges() {
	for _, p := range l.changing {
		pooled := l.pooled(p)
		users := map[schemas.Version]int{p.pair.From: bitCount(p.users(p.pair.From)),
			p.pair.To: bitCount(p.users(p.pair.To))}
		standing := pooled.Standing(0)
		switch standing {
		case parity.Steady:
			continue
		case parity.OneSided:
			l.findChanges(p, users)
		case parity.Undecided:
			for _, row := range l.parityRows(p) {
				pooled.Differ = int64(bitCount(row.differing(p)))
				if !pooled.Differs() {
					row.withdraw(p)
				}
				if p.isOf(row) {
					row.Merge(check.IsUndecided(p.pair, p.pointer, users))
				}
			}
		}
		l.Unsteady = append(l.Unsteady, Unsteady{p.operation, p.pointer, pooled.Documented,
			standing == parity.WarmedUp, users})
	}
}

// parityRows returns the rows of shape and values that a place belongs to.
func (l *Ledger) parityRows(p *changing) []*Row {
	var rows []*Row
	for _, r := range l.suite.ParityRequirements(p.operation) {
		if row := l.index[Key{r.ID, p.pair.Version()}]; row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// isOf reports whether a change of the place counts in a row: in that of values, if only values change.
func (p *changing) isOf(row *Row) bool {
	return p.shape == (row.Requirement.Comparison == check.HaveTheSameShape)
}

// findChanges adds the findings of a place that changes in one version only.
func (l *Ledger) findChanges(p *changing, users map[schemas.Version]int) {
	found, all := p.findings.WithUsers(users), union(p.users(p.pair.From), p.users(p.pair.To))
	for _, row := range l.parityRows(p) {
		if !p.isOf(row) {
			continue
		}
		row.Merge(found)
		for user := range all.BitLen() {
			if all.Bit(user) == 1 {
				row.fails(user, found.Causes)
			}
		}
	}
}

// at reports whether the cause of a difference is at a place.
func (p *changing) at(key check.Key) bool {
	return key.Kind != check.Changes && parity.PlaceOf(p.operation, key.Pointer) == p.pointer
}

// differing returns the users for whom the versions differ at a place.
func (r *Row) differing(p *changing) *big.Int {
	var list []*big.Int
	for cause, users := range r.failing {
		if cause != (check.Key{}) && p.at(cause) {
			list = append(list, users)
		}
	}
	return union(list...)
}

// withdraw removes the differences at a place from a row.
func (r *Row) withdraw(p *changing) {
	r.Outcome.Withdraw(p.at)
	delete(r.failing, check.Key{})
	maps.DeleteFunc(r.failing, func(cause check.Key, _ *big.Int) bool { return p.at(cause) })
	r.failing[check.Key{}] = union(slices.Collect(maps.Values(r.failing))...)
}

// sortFindings puts the findings of each row into the order in which their requests were planned.
func (l *Ledger) sortFindings() {
	for _, row := range l.rows {
		slices.SortStableFunc(row.Findings, func(a, b check.Finding) int { return a.Probe.Number() - b.Probe.Number() })
	}
}
