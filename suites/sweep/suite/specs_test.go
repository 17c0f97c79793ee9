package suite_test

import (
	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/sweep"
)

// registerSpecs registers the results of a sweep as Ginkgo specs. The specs send nothing: the sweep is executed once,
// before the first of them.
func registerSpecs(w *sweep.Sweep) {
	Describe("Authenticator API, the users of a population", Ordered, ContinueOnFailure, Serial, func() {
		var s *stats.Summary
		versions := w.Contract.PairsOf(w.Settings.Versions)[0].Version().Both()
		BeforeAll(func(ctx SpecContext) {
			err := w.Execute(ctx, sweep.Watch{})
			s = w.Summary(w.Started, err)
			if s.Verdict == ledger.Fault {
				AbortSuite("the sweep was not carried out to its end: " + s.Reason)
			}
		})
		for _, op := range schemas.Operations() {
			It("§9.3 "+string(op)+" answers alike in "+versions, Label("9.3", string(op)), func() {
				if n := s.Tally.Findings[op].Differences; n > 0 {
					Fail(wording.Count(n, "difference") + " between " + versions + " that no waiver sets aside; see " +
						stats.FindingsFile)
				}
			})
			It("§2 to §5 "+string(op)+" keeps the contract in both", Label("contract", string(op)), func() {
				if n := s.Tally.Findings[op].Violations; n > 0 {
					Fail(wording.Plural(n, "breach", "breaches") + " of the contract that no waiver sets aside; see " +
						stats.FindingsFile)
				}
			})
			It(string(op)+" was served to somebody, and nobody was left out", Label("population", string(op)), func() {
				if open := s.Tally.Outcomes[op][stats.NotComparable].Count; open > 0 {
					Skip("inconclusive: " + wording.Count(open, "user") + " could not be compared; repair what " +
						stats.FindingsFile + " says of them, and sweep again")
				}
				if few := s.TooFewServed(); few != "" {
					Skip("inconclusive: " + few)
				}
				if !s.Tally.Witnessed[op] {
					Skip("inconclusive: nobody was served anything in both versions; check the token and the users " +
						"file")
				}
			})
		}
	})
}
