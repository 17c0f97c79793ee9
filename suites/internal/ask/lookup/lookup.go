// Package lookup has the unit of a run, of a sweep and of a second judgement: one user and operation, asked of each
// version, judged and compared, as a value (J15).
package lookup

import (
	"bytes"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Lookup is the calls for one user and operation, in the order sent. A method that adds something returns another
// value.
type Lookup struct {
	User      exchange.User
	Operation schemas.Operation
	Calls     []*spec.Judgement
	Missing   []exchange.Probe    // requests whose exchange the evidence or the record does not have
	Compared  []*check.Comparison // pair by pair; nil if an answer is missing

	identical bool // all answers are equal, byte for byte
}

// StandsStill reports whether all answers are alike, so that no request is repeated (J15).
func (l Lookup) StandsStill() bool {
	return !slices.ContainsFunc(l.Compared, func(c *check.Comparison) bool { return !c.StandsStill() })
}

// Size returns the number of bytes of the bodies.
func (l Lookup) Size() (size int) {
	for _, j := range l.Calls {
		size += len(j.Answer.Exchange.Body)
	}
	return size
}

// Round returns the last repetition of a request that was sent.
func (l Lookup) Round() (round int) {
	for _, j := range l.Calls {
		round = max(round, j.Answer.Exchange.Probe.Round)
	}
	return round
}

// short is how much is kept of the body of a lookup that is done: it may be needed for a message.
const short = 16 << 10

// Release frees what was decoded and, of bodies that are not short, all but the beginning. A hostile target may answer
// every request with as much as the suite reads, and a decoded body can take sixty times the memory of its text (J20).
func (l Lookup) Release() {
	for _, j := range l.Calls {
		j.Answer.Drop()
		if ex := j.Answer.Exchange; len(ex.Body) > short {
			ex.Size, ex.Withheld = ex.Length(), ex.Unkept()
			ex.Body = bytes.ToValidUTF8(ex.Body[:short], nil)
		}
	}
}

// Reader judges and compares the answers of lookups.
type Reader struct {
	Suite *spec.Suite
	Pairs []schemas.Pair // the versions that are compared
	Rule  parity.Rule
	// Compares reports whether an answer can be compared. Other answers are left out of the comparison.
	Compares func(*spec.Judgement) bool
	// Owners, if set, notes to whom the GUIDs of each answer were served.
	Owners *check.Owners
}

// With returns a lookup with more answers, judged, and compared with those before.
func (r *Reader) With(l Lookup, answers []*exchange.Exchange, missing ...exchange.Probe) Lookup {
	l.Calls, l.Missing = slices.Clone(l.Calls), slices.Concat(l.Missing, missing)
	for _, ex := range answers {
		l.identical = len(l.Calls) == 0 || l.identical && l.Calls[0].Answer.Exchange.SameAnswer(ex)
		l.Calls = append(l.Calls, r.judge(l, ex))
	}
	if l.Compared = nil; len(l.Missing) == 0 {
		l.Compared = r.compare(l)
	}
	return l
}

// judge judges an answer. One that equals an earlier one is not judged twice. The values of any but short answers are
// freed at once: they are decoded again to be compared.
func (r *Reader) judge(l Lookup, ex *exchange.Exchange) *spec.Judgement {
	i := slices.IndexFunc(l.Calls, func(j *spec.Judgement) bool {
		return r.Suite.ReadsAlike(j.Answer.Exchange, ex)
	})
	if i >= 0 {
		ex.Body = l.Calls[i].Answer.Exchange.Body // equal bodies share one copy
		return l.Calls[i].Again(r.Suite, ex)
	}
	judgement := r.Suite.Judge(ex)
	if r.Owners != nil {
		r.Owners.Note(judgement.Answer)
	}
	if len(ex.Body) > short {
		judgement.Answer.Drop()
	}
	return judgement
}

// compare compares the answers, pair by pair.
func (r *Reader) compare(l Lookup) []*check.Comparison {
	first, last := map[schemas.Version]exchange.Probe{}, map[schemas.Version]exchange.Probe{}
	unserved, at := map[schemas.Version]check.Finding{}, map[schemas.Version]time.Time{}
	for _, j := range l.Calls {
		p := j.Answer.Exchange.Probe
		at[p.Version] = j.Answer.Exchange.Started
		if _, known := first[p.Version]; !known {
			first[p.Version] = p
		}
		last[p.Version] = p
		delete(unserved, p.Version)
		if fault, ok := j.Answer.Fault(); ok {
			unserved[p.Version] = fault
		}
	}
	list := []*check.Comparison{}
	for _, pair := range r.Pairs {
		rule, calls := r.ruleFor(r.Rule, pair), r.calls(l.Calls, pair)
		compared := &check.Comparison{Pair: pair, First: first, Last: last, Unserved: unserved,
			Days: daysOf(at[pair.From], at[pair.To], pair)}
		if l.identical {
			compared.Conclusion = rule.Identical(calls)
		} else {
			compared.Conclusion = rule.Conclude(calls)
		}
		list = append(list, compared)
	}
	return list
}

// Differences returns the differences between two answers, one of each version of a pair, by a rule.
func (r *Reader) Differences(rule parity.Rule, pair schemas.Pair, left, right *spec.Judgement) []parity.Difference {
	return r.ruleFor(rule, pair).Conclude(r.calls([]*spec.Judgement{left, right}, pair)).Differences
}

// ruleFor returns a rule for a pair, whose versions may document different members.
func (r *Reader) ruleFor(rule parity.Rule, pair schemas.Pair) parity.Rule {
	rule.InOne = r.Suite.Contract.InOne(pair)
	return rule
}

// daysOf returns the days of two answers, one of which was recorded; nil if they are the same, or within an hour.
func daysOf(from, to time.Time, pair schemas.Pair) map[schemas.Version]string {
	days := map[schemas.Version]string{
		pair.From: from.UTC().Format(time.DateOnly), pair.To: to.UTC().Format(time.DateOnly)}
	if days[pair.From] == days[pair.To] || to.Sub(from).Abs() < time.Hour {
		return nil
	}
	return days
}

// calls converts judged answers of a pair to the input of package parity, in the order of time: a record is older than
// what is asked now.
func (r *Reader) calls(judgements []*spec.Judgement, pair schemas.Pair) parity.Lookup {
	l := parity.Lookup{Pair: pair}
	judgements = slices.Clone(judgements)
	slices.SortStableFunc(judgements, func(a, b *spec.Judgement) int {
		return a.Answer.Exchange.Started.Compare(b.Answer.Exchange.Started)
	})
	for _, j := range judgements {
		ex := j.Answer.Exchange
		l.Operation = ex.Probe.Operation
		if v := ex.Probe.Version; v != pair.From && v != pair.To || !r.Compares(j) {
			continue
		}
		l.Calls = append(l.Calls, parity.Call{Version: ex.Probe.Version, Served: j.Answer.Served(),
			Value: j.Answer.Value, Body: ex.Body})
	}
	return l
}
