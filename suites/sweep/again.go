package sweep

import (
	"context"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/tally"
)

// again reads a pair that differs once more: v5, v6, v5. Where something changed in one version only, it is read as in a run
// once more, v6, v5, v6, v5: a version that does not stand still while the other does is not alike (J15). What does not differ
// any more then is drift, and what changes from call to call in both versions is volatile.
func (p *pair) again(ctx context.Context, left, right *judge.Judgement, found tally.Look) (tally.Look, error) {
	v5, v6 := []*judge.Judgement{left}, []*judge.Judgement{right}
	read := func(versions ...schemas.Version) (why string, err error) {
		for _, v := range versions {
			ex, err := p.ask(ctx, v)
			if err != nil {
				return "", err
			}
			j := p.judged(ex)
			if why := faultsOf(j); why != "" {
				return why, nil
			}
			found.Findings = added(found.Findings, p.breaches(j))
			if v == schemas.V5 {
				v5 = append(v5, j)
			} else {
				v6 = append(v6, j)
			}
		}
		return "", nil
	}
	why, err := read(schemas.V5, schemas.V6, schemas.V5)
	if err != nil {
		return tally.Look{}, err
	}
	if why != "" {
		return p.incomparable(found, why+", when it was read again"), nil
	}
	first := callsOf(v5, v6, p.op)
	conclusion := p.rule.Conclude(first, parity.Calls{})
	if p.rule.OneSided(first) {
		n5, n6 := len(v5), len(v6)
		if why, err = read(schemas.V6, schemas.V5, schemas.V6, schemas.V5); err != nil {
			return tally.Look{}, err
		}
		if why != "" {
			return p.incomparable(found, why+", when it was read again"), nil
		}
		conclusion = p.rule.Conclude(first, callsOf(v5[n5:], v6[n6:], p.op))
	}
	return p.concluded(conclusion, v5, v6, found), nil
}

// concluded makes findings of what differs, or says why nothing does.
func (p *pair) concluded(c parity.Conclusion, v5, v6 []*judge.Judgement, found tally.Look) tally.Look {
	last5, last6 := v5[len(v5)-1], v6[len(v6)-1]
	last := callsOf([]*judge.Judgement{last5}, []*judge.Judgement{last6}, p.op)
	told := p.rule.Findings(c)
	switch {
	case len(told) > 0 && p.without() && last5.Answer.Telling() != last6.Answer.Telling():
		return p.incomparable(found, "J1: one version shows something of a user who is marked enrolled: false, the other does not")
	case len(told) > 0:
		found.Outcome = tally.Different
	case len(p.rule.Conclude(last, parity.Calls{}).Differences) == 0:
		found.Outcome, found.Why = tally.Drift, "what differed did not when it was read again"
	case !c.Comparable || !p.rule.ShapeOnly && !c.Valued:
		return p.incomparable(found, "J15: nothing is left to compare, volatile is "+p.some(c.Volatile))
	default:
		found.Outcome, found.Why = tally.EqualUnderRule, "J15: volatile "+p.some(c.Volatile)
	}
	listed := map[string]int{}
	for _, t := range told {
		row, at := "/values", last6
		if t.Shape {
			row = "/shape"
		}
		if listed[row]++; listed[row] > mostFindings {
			continue // of the other row, which a waiver may not set aside, there may be some behind it
		}
		if t.Restless == schemas.V5 {
			at = last5
		}
		found.Findings = append(found.Findings, p.finding(at, tally.Finding{
			Requirement: "9.3/" + string(p.op) + row, Version: schemas.Parity, Kind: t.Kind, Pointer: t.Pointer, Count: 1,
			Expected: t.Expected(last5.Answer.Exchange.Probe.ID, p.shown), Actual: t.Actual(p.shown),
		}))
	}
	return found
}

func (p *pair) shown(value any) string { return p.show.value(value, shown) }

// shown is how many characters of a value stand in a finding.
const shown = 200

// mostFindings bounds the differences told of one user and row: a hostile answer may differ in a hundred thousand places.
const mostFindings = 200

// added adds findings that are not there yet: what is read again may break the contract in the same way again.
func added(list, more []tally.Finding) []tally.Finding {
	for _, f := range more {
		known := slices.ContainsFunc(list, func(k tally.Finding) bool {
			return k.Requirement == f.Requirement && k.Version == f.Version && k.Kind == f.Kind && k.Pointer == f.Pointer
		})
		if !known {
			list = append(list, f)
		}
	}
	return list
}

// some names places, as many as can be told apart in a count.
func (p *pair) some(places []string) string {
	const most, long = 5, 60
	var names []string
	for i, place := range places {
		if i == most {
			names = append(names, "…")
			break
		}
		if place == "" {
			place = "the whole answer"
		}
		names = append(names, p.show.text(place, long))
	}
	return strings.Join(names, ", ")
}
