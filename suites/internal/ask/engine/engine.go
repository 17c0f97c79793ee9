// Package engine sends the well-formed requests for one user and operation, judges and compares the answers, and
// repeats requests whose answers are unstable (J15). A run, a sweep and a second judgement of evidence use it with
// different repetitions and orders.
package engine

import (
	"context"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Source returns the exchange for a probe: a target answers it, and a record has the answer of an earlier time. An
// error that wraps exchange.ErrNotRecorded means that the record lacks it. Any other ends the run or the sweep.
type Source interface {
	Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
}

// Engine holds the functions that it works with. It is safe for concurrent use.
type Engine struct {
	Suite *spec.Suite
	Pairs []schemas.Pair // the versions that are compared
	Rule  parity.Rule
	// Send returns the exchange for a probe, or nil if the evidence does not have that exchange.
	Send func(context.Context, exchange.Probe) (*exchange.Exchange, error)
	// Judge judges an answer that differs from all earlier ones.
	Judge func(*exchange.Exchange) *spec.Judgement
	// Served, if set, is called for each answer that served its user with a record or identifiers.
	Served func(*exchange.Exchange)
	// Compares reports whether an answer can be compared. Other answers are left out of the comparison.
	Compares func(*spec.Judgement) bool
	// StopAtFault stops at the first request without an answer. The answers are then not compared.
	StopAtFault bool
}

// Answers are the answers to the well-formed request for one user and operation, in the order sent.
type Answers struct {
	Judgements []*spec.Judgement
	Missing    []exchange.Probe // requests whose exchange the evidence does not keep
	Identical  bool             // all answers are equal, byte for byte
	Fault      *spec.Judgement  // the answerless request at which StopAtFault stopped
}

// Ask sends probes one after the other and adds their answers to r.
func (e *Engine) Ask(ctx context.Context, r *Answers, probes []exchange.Probe) error {
	for _, p := range probes {
		ex, err := e.Send(ctx, p)
		if err != nil {
			return err
		}
		if ex == nil {
			r.Missing = append(r.Missing, p)
			continue
		}
		if j := e.Add(r, ex); e.StopAtFault && !ex.Answered() {
			r.Fault = j
			return nil
		}
	}
	return nil
}

// Add judges an answer and adds it to r. An answer that equals an earlier one is not judged twice.
func (e *Engine) Add(r *Answers, ex *exchange.Exchange) *spec.Judgement {
	contract := e.Suite.Contract
	i := slices.IndexFunc(r.Judgements, func(j *spec.Judgement) bool {
		earlier := j.Answer.Exchange
		return earlier.SameAnswer(ex) && contract.Of(earlier.Probe.Version) == contract.Of(ex.Probe.Version)
	})
	r.Identical = len(r.Judgements) == 0 || r.Identical && r.Judgements[0].Answer.Exchange.SameAnswer(ex)
	var judgement *spec.Judgement
	if i >= 0 {
		judgement = r.Judgements[i].Again(e.Suite, ex)
		ex.Body = r.Judgements[i].Answer.Exchange.Body // equal bodies share one copy
	} else {
		judgement = e.Judge(ex)
	}
	r.Judgements = append(r.Judgements, judgement)
	if e.Served != nil && judgement.Answer.DisclosesData() {
		e.Served(ex)
	}
	return judgement
}

// Compare compares the answers so far, pair by pair. It returns nil if the answers of a pair differ and the requests
// must be repeated (J15).
func (e *Engine) Compare(r *Answers) []*check.Comparison {
	if r.Identical {
		return e.comparisons(r, func(rule parity.Rule, pair schemas.Pair) parity.Conclusion {
			return rule.Identical(e.calls(r.Judgements, pair))
		})
	}
	for _, pair := range e.Pairs {
		if !e.ruleFor(e.Rule, pair).AllEqual(e.calls(r.Judgements, pair)) {
			return nil
		}
	}
	return e.comparisons(r, func(rule parity.Rule, pair schemas.Pair) parity.Conclusion {
		return rule.Conclude(e.calls(r.Judgements, pair), parity.Calls{})
	})
}

// Conclude repeats the requests whose answers differ. It sends `again` once and, if something changed in one version
// of a pair only, also `back`. Without `back`, what changed in one version only is volatile, too. It returns nil if an
// answer is missing.
func (e *Engine) Conclude(ctx context.Context, r *Answers, again, back []exchange.Probe) ([]*check.Comparison, error) {
	if err := e.Ask(ctx, r, again); err != nil || r.Fault != nil {
		return nil, err
	}
	before := len(r.Judgements)
	oneSided := func(pair schemas.Pair) bool {
		return e.ruleFor(e.Rule, pair).OneSided(e.calls(r.Judgements[:before], pair))
	}
	if len(back) > 0 && slices.ContainsFunc(e.Pairs, oneSided) {
		if err := e.Ask(ctx, r, back); err != nil || r.Fault != nil {
			return nil, err
		}
	}
	return e.comparisons(r, func(rule parity.Rule, pair schemas.Pair) parity.Conclusion {
		return rule.Conclude(e.calls(r.Judgements[:before], pair), e.calls(r.Judgements[before:], pair))
	}), nil
}

// Differences returns the differences between two answers, one of each version of a pair, by a rule.
func (e *Engine) Differences(rule parity.Rule, pair schemas.Pair, left, right *spec.Judgement) []parity.Difference {
	return e.ruleFor(rule, pair).Conclude(e.calls([]*spec.Judgement{left, right}, pair), parity.Calls{}).Differences
}

// ruleFor returns a rule for a pair, whose versions may document different members.
func (e *Engine) ruleFor(rule parity.Rule, pair schemas.Pair) parity.Rule {
	rule.InOne = e.Suite.Contract.InOne(pair)
	return rule
}

// comparisons returns a comparison for each pair, with what conclude says of it.
func (e *Engine) comparisons(r *Answers,
	conclude func(parity.Rule, schemas.Pair) parity.Conclusion) []*check.Comparison {
	first, last := map[schemas.Version]exchange.Probe{}, map[schemas.Version]exchange.Probe{}
	unserved, at := map[schemas.Version]check.Finding{}, map[schemas.Version]time.Time{}
	for _, j := range r.Judgements {
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
	for _, pair := range e.Pairs {
		list = append(list, &check.Comparison{Conclusion: conclude(e.ruleFor(e.Rule, pair), pair), Pair: pair,
			ShapeOnly: e.Rule.ShapeOnly,
			First:     first, Last: last, Unserved: unserved, Days: daysOf(at[pair.From], at[pair.To], pair)})
	}
	return list
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

// calls converts judged answers of a pair to the input of package parity.
func (e *Engine) calls(judgements []*spec.Judgement, pair schemas.Pair) parity.Calls {
	var calls parity.Calls
	for _, j := range judgements {
		ex := j.Answer.Exchange
		calls.Operation = ex.Probe.Operation
		if !e.Compares(j) {
			continue
		}
		call := parity.Call{Served: j.Answer.Served()}
		if call.Served {
			call.Value, call.Body = j.Answer.Value, ex.Body
		}
		switch ex.Probe.Version {
		case pair.From:
			calls.From = append(calls.From, call)
		case pair.To:
			calls.To = append(calls.To, call)
		}
	}
	return calls
}
