package sweep

import (
	"context"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// repeat asks each version once more, the other way round, of two answers that differ. Of a version that is recorded a
// third call is kept, and nothing more is asked.
func (c *comparison) repeat(ctx context.Context) (*stats.Result, error) {
	back := orderFor(c.pair, c.user.Index)
	if c.records() {
		back = back[:1]
	}
	slices.Reverse(back)
	fault, err := c.askAll(ctx, back)
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return c.incomparable(c.found(), faultsOf(fault)+", when it was read again"), nil
	case !c.records():
		return nil, nil
	}
	found := c.found()
	if reason := faultsOf(c.lookup.Calls[len(c.lookup.Calls)-1]); reason != "" {
		return c.incomparable(found, reason+", when it was read again"), nil
	}
	found.Outcome, found.Why = stats.EqualUnderRule, "identical calls are answered differently"
	return found, nil
}

// repeatLast asks each version for the last time, at the end of the block, and compares all calls (J15).
func (c *comparison) repeatLast(ctx context.Context) (*stats.Result, error) {
	fault, err := c.askAll(ctx, orderFor(c.pair, c.user.Index))
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return c.incomparable(c.found(), faultsOf(fault)+", when it was read again"), nil
	}
	return c.concluded(c.lookup.Compared[0], c.found()), nil
}

// concluded turns the differences into findings, notes what is unsteady, or records why there is nothing.
func (c *comparison) concluded(compared *check.Comparison, found *stats.Result) *stats.Result {
	lastFrom, lastTo := c.lastOf(c.pair.From), c.lastOf(c.pair.To)
	var volatile []string
	undecided := false
	for _, change := range compared.Changes {
		documented := c.Contract.IsDocumented(c.op, change.Place)
		if !change.Moved && (documented || len(found.Changes) < maxFindings) {
			found.Changes = append(found.Changes, c.change(compared, change, documented))
		}
		if !change.Ended {
			undecided = undecided || documented || change.From != change.To
			volatile = append(volatile, change.Place)
		}
	}
	switch {
	case c.saysNothing(c.lookup.Calls[2:]):
		found.Outcome, found.Changes = stats.Moved, nil
		return found
	case len(compared.Differences) > 0 && c.isNotEnrolled() &&
		lastFrom.Answer.DisclosesData() != lastTo.Answer.DisclosesData():
		return c.incomparable(found,
			"one version shows something of a user who is marked enrolled: false, the other does not")
	case len(compared.Differences) > 0:
		found.Outcome = stats.Different
	case undecided:
		found.Outcome, found.Why = stats.Unsteady, c.quoteSome(volatile)
	case len(volatile) == 0:
		found.Outcome = stats.Moved
	case !compared.Comparable || !c.reader.Rule.ShapeOnly && !compared.Valued:
		return c.incomparable(found, "nothing is left to compare, volatile is "+c.quoteSome(volatile))
	default:
		found.Outcome, found.Why = stats.EqualUnderRule, "volatile: "+c.quoteSome(volatile)
	}
	perShape := map[bool]int{}
	var all check.Outcome
	for _, d := range compared.Differences {
		all.Find(compared.FindingOf(d))
	}
	for _, difference := range compared.Differences {
		shape := difference.Kind.Shape()
		if perShape[shape]++; perShape[shape] > maxFindings {
			continue // of the other requirement; a later difference may belong to one that no waiver covers
		}
		d := compared.FindingOf(difference)
		f := stats.Finding{
			Requirement: c.suite.ParityRequirementID(c.op, shape), Version: c.pair.Version(), Kind: d.Kind,
			Off: d.Key().Off, Count: 1,
			Pointer:  c.out.Pointer(d.Pointer),
			Expected: report.Expected(c.out, d), Actual: report.Actual(c.out, d),
		}
		c.setRoot(&f, all.RootOf(d))
		expected, actual := d.Expected.(check.Shown), d.Actual.(check.Shown)
		f.SetValue(expected.Version, c.valueOrStatus(expected.Value, lastFrom))
		f.SetValue(actual.Version, c.valueOrStatus(actual.Value, lastTo))
		found.Findings = append(found.Findings, c.finding(c.lastOf(d.Probe.Version), f))
	}
	return found
}

// change returns a place that changes within the calls of a version, with the finding that it is if it does so in one
// version only: that is decided over all users.
func (c *comparison) change(compared *check.Comparison, u parity.Change, documented bool) stats.Change {
	f := compared.Changed(u)
	return stats.Change{Documented: documented, Ended: u.Ended, Again: c.attempt > 1,
		In: map[schemas.Version]bool{c.pair.From: u.From, c.pair.To: u.To},
		Finding: c.finding(c.lastOf(f.Probe.Version),
			stats.Finding{Requirement: c.suite.ParityRequirementID(c.op, u.Shape || c.reader.Rule.ShapeOnly),
				Version: c.pair.Version(), Kind: f.Kind, Count: 1, Pointer: c.out.Pointer(u.Place),
				Expected: report.Expected(c.out, f), Actual: report.Actual(c.out, f)})}
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
				k.Pointer == f.Pointer && k.Off == f.Off
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
		names = append(names, report.Printable(report.UnsteadyPlace(c.out.Pointer(place)), long))
	}
	return strings.Join(names, ", ")
}
