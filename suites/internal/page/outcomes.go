package page

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// outcome is how an outcome is shown: by a sign and a word, so that it does not depend on colour.
type outcome struct {
	Outcome  stats.Outcome
	Sign     string
	Class    string // the CSS class for the colours
	Sentence string
}

// allOutcomes returns the outcomes in order.
func allOutcomes() []outcome {
	return []outcome{
		{stats.Equal, "✓", "pass", "Both versions answer alike, within the contract."},
		{stats.EqualUnderRule, "≈", "known", "They differ only where a rule says that it does not count: a volatile " +
			"place, one that is ignored, or an open point."},
		{stats.NothingAlike, "∅", "not-run", "Both versions say that the user has no data, in whatever way."},
		{stats.Drift, "~", "waived", "They differed, but no longer when the requests were repeated: " +
			"something changed in between."},
		{stats.Different, "≠", "fail", "They differ, also when the requests were repeated."},
		{stats.BothViolate, "✕", "error", "They do not differ, and both break the contract."},
		{stats.NotComparable, "?", "inconclusive",
			"One version gave no answer, or the two answers can't be compared. " +
				"Repair what the reason names, and sweep again."},
	}
}

// outcomeRow is how many users had one outcome.
type outcomeRow struct {
	outcome
	Cells []outcomeCell // by operation
	None  bool          // no user had it
}

type outcomeCell struct {
	Operation    schemas.Operation
	Count, Share string
	None         bool
}

func (b *sweepBuilder) outcomes() []outcomeRow {
	var list []outcomeRow
	for _, o := range allOutcomes() {
		row := outcomeRow{outcome: o, None: true}
		for _, op := range schemas.Operations() {
			n := b.counts.Outcomes[op][o.Outcome].Count
			row.Cells = append(row.Cells,
				outcomeCell{op, wording.Number(n), wording.Percent(n, b.counts.Users), n == 0})
			row.None = row.None && n == 0
		}
		list = append(list, row)
	}
	return list
}

// divergenceRow is two ways to say that there is nothing, with how many users got them.
type divergenceRow struct {
	Operation   schemas.Operation
	Count, Ways string
}

// divergences returns the pairs of ways in which the versions say that there is nothing (J16, J22).
func (b *sweepBuilder) divergences() (list []divergenceRow) {
	for _, op := range schemas.Operations() {
		for _, ways := range b.counts.DivergencesOf(op) {
			list = append(list, divergenceRow{op, wording.Number(ways.Count), b.text(ways.Why)})
		}
	}
	return list
}

// reasonRow is one reason for an outcome, with how many users had it.
type reasonRow struct {
	outcome
	Operation  schemas.Operation
	Count, Why string
}

// reasons returns the reasons for all outcomes, in the order of the outcomes, the most frequent reason first.
func (b *sweepBuilder) reasons() ([]reasonRow, string) {
	var list []reasonRow
	for _, o := range slices.Backward(allOutcomes()) {
		for _, op := range schemas.Operations() {
			for _, g := range b.counts.Outcomes[op][o.Outcome].Reasons() {
				list = append(list, reasonRow{o, op, wording.Number(g.Count), g.Why})
			}
		}
	}
	return upTo(b.budget, list, func(r reasonRow) reasonRow {
		r.Why = b.text(r.Why)
		return r
	})
}
