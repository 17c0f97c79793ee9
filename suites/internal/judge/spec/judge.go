package spec

import (
	"cmp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Judgement is what one exchange shows about the requirements that asked for it.
type Judgement struct {
	Answer *check.Answer
	Rows   Outcomes
	Facts  Facts // of this exchange
	Shared Facts // facts about its body: the same for every answer with that body
	asked  []*Requirement
}

// Outcomes maps requirement ids to outcomes.
type Outcomes map[string]*check.Outcome

func (o Outcomes) add(id string, outcome check.Outcome) {
	if outcome.Witnesses+outcome.Count+outcome.Uncontrolled+outcome.Unsteady+len(outcome.Notes) == 0 {
		return
	}
	if o[id] == nil {
		o[id] = &check.Outcome{}
	}
	o[id].Merge(outcome)
}

// Fact is one thing that the target did at an open point.
type Fact struct {
	ID   string // of the open point
	Seen any    // an observation, as package check defines it
}

// Compare orders facts by id, then by what was seen.
func (f Fact) Compare(other Fact) int {
	return cmp.Or(strings.Compare(f.ID, other.ID), check.Compare(f.Seen, other.Seen))
}

// Facts counts how often each fact was seen. One answer may contain a million records.
type Facts map[Fact]int

// maxFacts limits how many different facts of one exchange are kept.
const maxFacts = 5000

func (f Facts) add(id string, all []any) {
	for _, seen := range all {
		fact := Fact{ID: id, Seen: seen}
		if _, known := f[fact]; known || len(f) < maxFacts {
			f[fact]++
		}
	}
}

// ObservedRounds is how many repetitions of a request are observed. Further ones are sent only if the answers differ.
// They would make the counts of v5 and v6 differ, and show nothing new.
const ObservedRounds = 2

// isObserved reports whether an exchange shows something at open points. A control does not: it repeats a request. Nor
// does a refusal while the target refused everybody (J23).
func isObserved(ex *exchange.Exchange) bool {
	p := ex.Probe
	return p.Round <= ObservedRounds && !p.Control && (ex.Control == nil || ex.Control.Served)
}

// Judge judges an exchange for each requirement that asks for it.
func (s *Suite) Judge(ex *exchange.Exchange) *Judgement {
	j := &Judgement{Rows: Outcomes{}, Facts: Facts{}, asked: s.requirementsFor(ex.Probe)}
	if ex.Probe.WellFormed() {
		j.Answer = s.reader(ex.Probe).Read(ex)
		j.judgeBody()
	} else {
		j.Answer = s.reader(ex.Probe).ReadRefusal(ex)
	}
	j.judgeExchange()
	return j
}

// LooksRefused reports whether the answer to a well-formed request is a refusal by its look (J19).
func (s *Suite) LooksRefused(ex *exchange.Exchange) bool {
	return s.reader(ex.Probe).LooksRefused(ex)
}

// MayBeRefused reports whether the answer to a well-formed request is a refusal if its control gets none better (J23).
func (s *Suite) MayBeRefused(ex *exchange.Exchange) bool {
	return s.reader(ex.Probe).MayBeRefused(ex)
}

// SaysNothing reports whether the answer to a well-formed request can mean that the user has no data (J22).
func (s *Suite) SaysNothing(ex *exchange.Exchange) bool {
	return s.reader(ex.Probe).SaysNothing(ex)
}

// Serves reports whether the answer to a well-formed request served it with a record or identifiers (J1, J13).
func (s *Suite) Serves(ex *exchange.Exchange) bool {
	p := ex.Probe
	if !ex.Answered() || !ex.Success() {
		return false
	}
	return s.reader(p).Read(ex).DisclosesData() || schemas.HoldsGUID(ex.Body) &&
		s.Contract.Of(p.Version).AcceptsAnswer(p.Operation, p.User.UserID, ex.Body)
}

// ReadsAlike reports whether two answers for one user and operation are read as the same: they are equal, and so are
// the contracts of their versions.
func (s *Suite) ReadsAlike(one, other *exchange.Exchange) bool {
	return one.SameAnswer(other) && s.Contract.Of(one.Probe.Version) == s.Contract.Of(other.Probe.Version)
}

// Discloses reports whether the answer to a request that should be refused has what it must not have (J13).
func (s *Suite) Discloses(ex *exchange.Exchange) bool {
	return s.reader(ex.Probe).ReadRefusal(ex).Discloses()
}

// HasFindings reports whether the exchange breaks a requirement.
func (j *Judgement) HasFindings() bool {
	for _, row := range j.Rows {
		if row.Count > 0 {
			return true
		}
	}
	return false
}

// KeepFindings keeps only the rows that have a finding of a cause for which keep returns true, and of them the
// findings.
func (j *Judgement) KeepFindings(keep func(id string, c check.Cause) bool) {
	for id, row := range j.Rows {
		if !slices.ContainsFunc(row.Causes, func(c check.Cause) bool { return keep(id, c) }) {
			delete(j.Rows, id)
			continue
		}
		row.Witnesses, row.Notes = 0, nil
	}
}

// Again judges an exchange with the status and body of an earlier one for the same user and operation, of a version
// with the same contract. It reuses the results for the body and decodes nothing.
func (j *Judgement) Again(s *Suite, ex *exchange.Exchange) *Judgement {
	again := &Judgement{
		Answer: j.Answer.Again(ex), Rows: make(Outcomes, len(j.Rows)), Facts: Facts{}, Shared: j.Shared,
		asked: s.requirementsFor(ex.Probe),
	}
	for _, r := range again.asked {
		if row := j.Rows[r.ID]; row != nil && r.eachAnswer == nil && r.eachCall == nil {
			outcome := row.Again(ex.Probe)
			again.Rows[r.ID] = &outcome
		}
	}
	if ex.Probe.Round > ObservedRounds {
		again.Shared = nil
	}
	again.judgeExchange()
	return again
}

func (s *Suite) requirementsFor(p exchange.Probe) []*Requirement {
	return s.selected(func(r *Requirement) bool { return r.Asks(p) })
}

// judgeBody judges what depends only on status and body.
func (j *Judgement) judgeBody() {
	observed := isObserved(j.Answer.Exchange)
	j.Shared = Facts{}
	j.Answer.Objects(func(record, device *check.Object) {
		for _, r := range j.asked {
			switch {
			case r.eachRecord != nil:
				j.Rows.add(r.ID, r.eachRecord(record))
			case r.eachDevice != nil && device != nil:
				j.Rows.add(r.ID, r.eachDevice(device))
			case r.observeRecords != nil && observed:
				j.Shared.add(r.ID, r.observeRecords(record, device))
			}
		}
	})
	for _, r := range j.asked {
		if r.eachList != nil {
			j.Rows.add(r.ID, r.eachList(j.Answer))
		}
	}
}

// judgeExchange judges what depends on the exchange as a whole.
func (j *Judgement) judgeExchange() {
	for _, r := range j.asked {
		switch {
		case r.eachAnswer != nil:
			j.Rows.add(r.ID, r.eachAnswer(j.Answer))
		case r.eachCall != nil:
			j.Rows.add(r.ID, r.eachCall(j.Answer, nil))
		case r.observe != nil && isObserved(j.Answer.Exchange):
			j.Facts.add(r.ID, r.observe(j.Answer))
		}
	}
}

// JudgeCalls judges all answers to the well-formed request for one user and operation beside each other: what one of
// them shows may be undecided because of another (J15). Call it once all are known.
func JudgeCalls(judgements []*Judgement) {
	calls := map[schemas.Version][]*check.Answer{}
	for _, j := range judgements {
		v := j.Answer.Exchange.Probe.Version
		calls[v] = append(calls[v], j.Answer)
	}
	for _, j := range judgements {
		for _, r := range j.asked {
			if r.eachCall != nil {
				delete(j.Rows, r.ID)
				j.Rows.add(r.ID, r.eachCall(j.Answer, calls[j.Answer.Exchange.Probe.Version]))
			}
		}
	}
}

// Observed lists the open points at which the exchange could show something, even if it showed nothing.
func (j *Judgement) Observed() []string {
	var ids []string
	for _, r := range j.asked {
		if r.noneCounts && r.Order == nil && j.Answer.Exchange.Answered() && isObserved(j.Answer.Exchange) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
