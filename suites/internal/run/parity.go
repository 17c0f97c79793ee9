package run

import (
	"context"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/parity"
)

// askAgain asks once more where answers differed: v5, v6; and where something changed in one version only, v6, v5, v6, v5
// (J15). Then it says what parity makes of it.
func (r *Run) askAgain(ctx context.Context, book *book) error {
	list := book.restless
	for _, item := range list {
		item.third = exchange.Rounds(item.chain.probes[0], r.Settings.Versions, 3, 3)
		item.back = exchange.Rounds(item.chain.probes[0], reversed(r.Settings.Versions), 4, 5)
		// The ids of both are given now, so that they do not depend on which chain gets there first.
		r.next = number(item.back, number(item.third, r.next))
		r.plan(len(item.third))
	}
	conclusions := make([]parity.Conclusion, len(list))
	finish := inOrder(len(list), func(i int, result *chainResult) error {
		for _, j := range result.judgements {
			if err := r.Ledger.Add(j); err != nil {
				return err
			}
		}
		for _, p := range result.lacking {
			r.Ledger.Lack(p)
		}
		if len(result.lacking) > 0 {
			return nil // the rows of parity were lacking something before they were compared
		}
		return book.conclude(list[i].chain, conclusions[i], append(list[i].judgements, result.judgements...))
	})
	return r.each(ctx, len(list), func(ctx context.Context, i int) error {
		item := list[i]
		result, err := r.sendChain(ctx, item.third, item.judgements)
		if err != nil {
			return err
		}
		calls := callsOf(item.chain, append(slices.Clone(item.judgements), result.judgements...))
		again := parity.Calls{Operation: calls.Operation}
		if r.rule.OneSided(calls) {
			r.plan(len(item.back))
			more, err := r.sendChain(ctx, item.back, item.judgements)
			if err != nil {
				return err
			}
			again = callsOf(item.chain, more.judgements)
			result.judgements = append(result.judgements, more.judgements...)
			result.lacking = append(result.lacking, more.lacking...)
			result.held += more.held
		}
		conclusions[i] = r.rule.Conclude(calls, again)
		r.memory.held.Release(item.held + result.held)
		return finish(i, result)
	})
}

func reversed(versions []schemas.Version) []schemas.Version {
	list := slices.Clone(versions)
	slices.Reverse(list)
	return list
}

// conclude enters into the ledger what parity says of one chain.
func (b *book) conclude(c chain, conclusion parity.Conclusion, judgements []*judge.Judgement) error {
	op := c.probes[0].Operation
	shape, values := &judge.Outcome{}, &judge.Outcome{}
	last := lastOf(judgements)
	show := func(value any) string { return b.run.Secrets().ShowJSON(value, mostShown) }
	for _, told := range b.run.rule.Findings(conclusion) {
		row := values
		if told.Shape {
			row = shape
		}
		row.FindShown(told.Kind, told.Pointer, func() judge.Finding {
			f := judge.Finding{
				Probe:    last[schemas.V6].Answer.Exchange.Probe,
				Against:  last[schemas.V5].Answer.Exchange.Probe.ID,
				Expected: told.Expected(last[schemas.V5].Answer.Exchange.Probe.ID, show),
				Actual:   told.Actual(show),
			}
			if v := told.Restless; v != "" {
				f.Probe, f.Against = last[v].Answer.Exchange.Probe, firstOf(judgements, v).ID
			}
			return f
		})
	}
	if conclusion.Comparable && shape.Count == 0 {
		shape.Witnesses = 1
	}
	if conclusion.Valued && values.Count == 0 {
		values.Witnesses = 1
	}
	for _, pointer := range conclusion.Volatile {
		b.run.Ledger.LeaveOut(op, pointer)
	}
	return b.run.Ledger.Compared(op, shape, values)
}

// mostShown is how many characters of a value stand in a finding.
const mostShown = 200

// firstOf is the first probe of a version.
func firstOf(judgements []*judge.Judgement, v schemas.Version) exchange.Probe {
	i := slices.IndexFunc(judgements, func(j *judge.Judgement) bool { return j.Answer.Exchange.Probe.Version == v })
	return judgements[i].Answer.Exchange.Probe
}

func lastOf(judgements []*judge.Judgement) map[schemas.Version]*judge.Judgement {
	last := map[schemas.Version]*judge.Judgement{}
	for _, j := range judgements {
		last[j.Answer.Exchange.Probe.Version] = j
	}
	return last
}
