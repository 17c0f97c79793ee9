package sweep

import (
	"context"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// repeatAndCompare repeats the requests of two answers that differ: v5, v6, v5. If a value changed in one version only,
// it repeats them as a run does: v6, v5, v6, v5 (J15). If the difference is gone, the outcome is drift. A value that
// changes from call to call in both versions is volatile. Of a version that is recorded a third call is kept.
func (c *comparison) repeatAndCompare(ctx context.Context, found stats.Result) (stats.Result, error) {
	first, from, to := len(c.answers.Judgements), c.pair.From, c.pair.To
	again, back := probesOf(from, to, from), probesOf(to, from, to, from)
	if c.records() {
		again = probesOf(from)
	}
	if c.records() || c.record != nil {
		back = nil // what changes in one version is left out, as the other can't be asked now (J15)
	}
	comparisons, err := c.engine.Conclude(ctx, &c.answers, again, back)
	if err != nil {
		return stats.Result{}, err
	}
	for _, j := range c.answers.Judgements[first:] {
		found.Findings = appendNew(found.Findings, c.findings(j))
	}
	c.noteAnswers(&found, c.answers.Judgements...)
	last := c.answers.Judgements[len(c.answers.Judgements)-1]
	switch reason := faultsOf(last); {
	case c.answers.Fault != nil || c.records() && reason != "":
		return c.unanswered(found, reason+", when it was read again", last), nil
	case c.records():
		found.Outcome, found.Why = stats.EqualUnderRule, "identical calls are answered differently"
		return found, nil
	}
	return c.conclude(comparisons[0], found), nil
}

// probesOf returns probes in which only the version is set.
func probesOf(versions ...schemas.Version) []exchange.Probe {
	var probes []exchange.Probe
	for _, v := range versions {
		probes = append(probes, exchange.Probe{Version: v})
	}
	return probes
}

// conclude turns the remaining differences into findings, or records why there are none.
func (c *comparison) conclude(compared *check.Comparison, found stats.Result) stats.Result {
	last := map[schemas.Version]*spec.Judgement{}
	for _, j := range c.answers.Judgements {
		last[j.Answer.Exchange.Probe.Version] = j
	}
	lastFrom, lastTo := last[c.pair.From], last[c.pair.To]
	differing := compared.Differing()
	switch {
	case c.saysNothing(c.answers.Judgements[2:]):
		found.Outcome, found.Why = stats.Drift, "what differed did not when it was read again"
		return found
	case len(differing) > 0 && c.isNotEnrolled() && lastFrom.Answer.DisclosesData() != lastTo.Answer.DisclosesData():
		return c.incomparable(found,
			"one version shows something of a user who is marked enrolled: false, the other does not")
	case len(differing) > 0:
		found.Outcome = stats.Different
	case len(c.engine.Differences(c.engine.Rule, c.pair, lastFrom, lastTo)) == 0:
		found.Outcome, found.Why = stats.Drift, "what differed did not when it was read again"
	case !compared.Comparable || !compared.ShapeOnly && !compared.Valued:
		return c.incomparable(found, "nothing is left to compare, volatile is "+c.quoteSome(compared.Volatile))
	default:
		found.Outcome, found.Why = stats.EqualUnderRule, "volatile: "+c.quoteSome(compared.Volatile)
	}
	perShape := map[bool]int{}
	var all check.Outcome
	for _, d := range differing {
		all.Find(d.Finding)
	}
	for _, d := range differing {
		if perShape[d.Shape]++; perShape[d.Shape] > maxFindings {
			continue // of the other requirement; a later difference may belong to one that no waiver covers
		}
		f := stats.Finding{
			Requirement: c.suite.ParityRequirementID(c.op, d.Shape), Version: c.pair.Version(), Kind: d.Kind, Count: 1,
			Pointer:  c.out.Pointer(d.Pointer),
			Expected: report.Expected(c.out, d.Finding), Actual: report.Actual(c.out, d.Finding),
		}
		c.setRoot(&f, all.RootOf(d.Finding))
		at := last[d.Probe.Version]
		switch actual := d.Actual.(type) {
		case check.Changing:
			f.SetValue(actual.Version, c.valueOrStatus(actual.From, at)+", then "+
				c.valueOrStatus(actual.Then, at))
		case check.Shown:
			expected := d.Expected.(check.Shown)
			f.SetValue(expected.Version, c.valueOrStatus(expected.Value, lastFrom))
			f.SetValue(actual.Version, c.valueOrStatus(actual.Value, lastTo))
		}
		found.Findings = append(found.Findings, c.finding(at, f))
	}
	return found
}

// maxFindings limits the differences recorded for one user and requirement: a hostile answer may differ at a hundred
// thousand places.
const maxFindings = 200

// appendNew appends the findings that are not in the list yet: a repeated answer may break the contract in the same way
// again.
func appendNew(list, others []stats.Finding) []stats.Finding {
	for _, f := range others {
		known := slices.ContainsFunc(list, func(k stats.Finding) bool {
			return k.Requirement == f.Requirement && k.Version == f.Version && k.Kind == f.Kind &&
				k.Pointer == f.Pointer
		})
		if !known {
			list = append(list, f)
		}
	}
	return list
}

// quoteSome names the first five places, each shortened: counts keep only a limited number of different grounds.
func (c *comparison) quoteSome(paths []string) string {
	const limit, long = 5, 60
	var names []string
	for i, place := range paths {
		if i == limit {
			names = append(names, "…")
			break
		}
		if place == "" {
			names = append(names, "the whole answer")
			continue
		}
		names = append(names, report.Printable(c.out.Pointer(place), long))
	}
	return strings.Join(names, ", ")
}
