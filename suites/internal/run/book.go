package run

import (
	"bytes"
	"context"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
)

// chainResult is what a chain brought, in the order sent.
type chainResult struct {
	judgements []*judge.Judgement
	lacking    []exchange.Probe // which the evidence does not keep
	alike      bool             // every answer is the first one, byte for byte
	held       int64            // of the budget for large bodies
}

// sendChain sends the probes of a chain one after the other and judges each answer, an answer equal to an earlier one only
// once.
func (r *Run) sendChain(ctx context.Context, probes []exchange.Probe, earlier []*judge.Judgement) (*chainResult, error) {
	injectDefect()
	result := &chainResult{alike: true}
	for _, p := range probes {
		ex, err := r.send(ctx, p)
		if err != nil {
			return nil, err
		}
		if ex == nil {
			result.lacking = append(result.lacking, p)
			continue
		}
		same := func(j *judge.Judgement) bool { return equal(j.Answer.Exchange, ex) }
		known := slices.Concat(earlier, result.judgements)
		if i := slices.IndexFunc(known, same); i >= 0 {
			result.alike = result.alike && i == 0
			result.judgements = append(result.judgements, r.judge.Again(known[i], ex))
			// One copy of equal bodies is enough to hold.
			ex.Body = known[i].Answer.Exchange.Body
			continue
		}
		result.alike = result.alike && len(known) == 0
		judgement, held := r.memory.wellFormed(r.judge, ex)
		result.judgements = append(result.judgements, judgement)
		result.held += held
	}
	return result, nil
}

func equal(a, b *exchange.Exchange) bool {
	return a.Fault == nil && b.Fault == nil && !a.LetGo && !b.LetGo && a.Status == b.Status && bytes.Equal(a.Body, b.Body)
}

// book keeps, beside the ledger, what later phases need to know of the chains: who is fit for altered probes, and which
// chains must be asked again. It is added to in the plan's order.
type book struct {
	run      *Run
	known    map[schemas.Operation]map[settings.User]bool
	fitting  map[schemas.Operation]map[schemas.Version]settings.User
	restless []*restless
	atRest   int                           // bytes of the bodies of restless chains
	records  map[schemas.Version]recordIDs // of the user whose getUserAuth came last
}

// recordIDs are the Ids of a user's records.
type recordIDs struct {
	user settings.User
	ids  []string
}

// restless is a chain whose answers differ, between calls or between versions.
type restless struct {
	chain      chain
	judgements []*judge.Judgement
	held       int64            // of the budget for large bodies
	third      []exchange.Probe // once more
	back       []exchange.Probe // and there and back, where something changed in one version only
}

func newBook(r *Run) *book {
	b := &book{run: r, known: map[schemas.Operation]map[settings.User]bool{}, fitting: map[schemas.Operation]map[schemas.Version]settings.User{}, records: map[schemas.Version]recordIDs{}}
	for _, op := range schemas.Operations() {
		b.known[op] = map[settings.User]bool{}
		b.fitting[op] = map[schemas.Version]settings.User{}
	}
	return b
}

func (b *book) knows(op schemas.Operation, user settings.User) bool { return b.known[op][user] }

func (b *book) fit(op schemas.Operation, v schemas.Version) (settings.User, bool) {
	user, ok := b.fitting[op][v]
	return user, ok
}

func (b *book) fitIn(op schemas.Operation, versions []schemas.Version) bool {
	for _, v := range versions {
		if _, ok := b.fitting[op][v]; !ok {
			return false
		}
	}
	return true
}

// add takes a chain's judgements into the ledger.
func (b *book) add(c chain, result *chainResult) error {
	op := c.probes[0].Operation
	b.known[op][c.user] = true
	for _, j := range result.judgements {
		if err := b.run.Ledger.Add(j); err != nil {
			return err
		}
	}
	for _, v := range b.run.Settings.Versions {
		if _, found := b.fitting[op][v]; !found && c.user.Enrolled && b.telling(result.judgements, v) {
			b.fitting[op][v] = c.user
		}
	}
	for _, p := range result.lacking {
		b.run.Ledger.Lack(p)
	}
	b.orders(op, result.judgements)
	b.overlaps(op, c.user, result.judgements)
	return b.compare(c, result)
}

// telling tells whether a version served all calls of a chain with what a refusal must not hold.
func (b *book) telling(judgements []*judge.Judgement, v schemas.Version) bool {
	asked := 0
	for _, j := range judgements {
		if j.Answer.Exchange.Probe.Version != v {
			continue
		}
		if !j.Answer.Telling() {
			return false
		}
		asked++
	}
	return asked > 0
}

// compare settles parity where all answers are alike, and keeps the chain for later where they differ (J15).
func (b *book) compare(c chain, result *chainResult) error {
	if len(b.run.readVersions()) < 2 || len(result.lacking) > 0 {
		b.run.memory.held.Release(result.held)
		return nil
	}
	calls := callsOf(c, result.judgements)
	size := 0
	for _, j := range result.judgements {
		size += len(j.Answer.Exchange.Body)
	}
	switch {
	case result.alike:
		b.run.memory.held.Release(result.held)
		return b.conclude(c, b.run.rule.Identical(calls), result.judgements)
	case b.run.rule.Alike(calls) || b.atRest+size > mostAtRest:
		b.run.memory.held.Release(result.held)
		return b.conclude(c, b.run.rule.Conclude(calls, parity.Calls{}), result.judgements)
	}
	for _, j := range result.judgements {
		j.Answer.LetGo()
	}
	b.atRest += size
	b.restless = append(b.restless, &restless{chain: c, judgements: result.judgements, held: result.held})
	return nil
}

// callsOf are a chain's answers as parity sees them. A call that brought no answer is not comparable and left out; so is,
// of a user without authenticators, an answer that holds nothing: how an empty result looks is open (§4.3).
func callsOf(c chain, judgements []*judge.Judgement) parity.Calls {
	calls := parity.Calls{Operation: c.probes[0].Operation}
	for _, j := range judgements {
		a := j.Answer
		if !a.Exchange.Answered() || a.Exchange.LetGo || !c.user.Enrolled && !a.Telling() {
			continue
		}
		call := parity.Call{Served: a.Served()}
		if call.Served {
			call.Value, call.Body = a.Value, a.Exchange.Body
		}
		if a.Exchange.Probe.Version == schemas.V5 {
			calls.V5 = append(calls.V5, call)
		} else {
			calls.V6 = append(calls.V6, call)
		}
	}
	return calls
}
