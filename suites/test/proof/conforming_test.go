package proof_test

import (
	"cmp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/suites/internal/judge/ledger"
)

func registerConforming(a *jobs) {
	list := conforming.All()
	// The client waits for some refusals, up to two minutes in all: so they are the first.
	slices.SortStableFunc(list, func(a, b conforming.Service) int {
		return cmp.Compare(strings.Index(b.Name, "refusal-"), strings.Index(a.Name, "refusal-"))
	})
	services := make([]service, len(list))
	for i, s := range list {
		services[i] = service{name: s.Name, users: s.Users(), start: s.Start,
			flags: append(slices.Clone(s.Flags), oneAtATime...)}
	}
	draw(services, 2, nameOf)
	result, verdicts := a.add(services), newGolden("conforming", services)

	Describe("A conforming service passes if anybody can tell,", Label(proofLabel), Ordered, ContinueOnFailure, func() {
		for i := range chosenOf(services) {
			s := list[i]
			It(s.Name+": "+s.Sentence, Label(conformingLabel), func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				line := j.outcome().line(s.Sentence)
				if strings.HasPrefix(s.Name, "lag-") {
					line = timedLine(s.Sentence, ledger.Pass)
				}
				verdicts.expectLine(s.Name, line)

				Expect(j.run.Verdict).To(Equal(verdictOf(s)), "%s %s", s.Sentence, whyNot(j))
				Expect(j.inconclusive()).To(Equal(s.Inconclusive), s.Sentence)
				Expect(j.run.Complete).To(Equal(len(s.Inconclusive) == 0))
				Expect(j.sent).To(BeNumerically("<=", j.run.Counts.Requests), "the report does not count all requests")
				if !strings.HasPrefix(s.Name, "connection-") {
					// With these, a request may be lost on a connection that the service has closed meanwhile.
					Expect(j.sent).To(BeEquivalentTo(j.run.Counts.Requests),
						"the report counts requests that never arrived")
				}
				Expect(j.sweep.Complete).To(BeTrue())
				Expect(j.sweep.Verdict).To(BeElementOf(ledger.Pass, ledger.Inconclusive), s.Sentence)
			})
		}

		It("and verdicts.txt has no other service", func() { verdicts.expectNoOther() })
	})
}

// verdictOf returns the verdict of a run against a conforming service.
func verdictOf(s conforming.Service) ledger.Verdict {
	if len(s.Inconclusive) > 0 {
		return ledger.Inconclusive
	}
	return ledger.Pass
}

// inconclusive returns the requirements that the run left undecided, with the reason; nil if there are none.
func (j *judged) inconclusive() (reasons map[string]string) {
	for _, row := range j.run.Requirements {
		if row.Verdict != ledger.Inconclusive || row.NotRun() {
			continue
		}
		if reasons == nil {
			reasons = map[string]string{}
		}
		reasons[row.ID] = string(*row.Reason)
	}
	return reasons
}
