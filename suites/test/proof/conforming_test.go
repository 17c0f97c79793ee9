package proof_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/suites/internal/judge/ledger"
)

func registerConforming(a *jobs) {
	list := conforming.All()
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, s := range list {
		services[i] = service{name: s.Name, users: s.Users(), flags: s.Flags, start: s.Start}
		if !slices.Contains(s.Flags, "--concurrency") {
			services[i].flags = append(slices.Clone(s.Flags), "--concurrency", "1")
		}
	}
	result, verdicts := a.add(services), newGolden("conforming")

	Describe("A conforming service passes,", Label(proofLabel), Ordered, ContinueOnFailure, func() {
		for i, s := range list {
			It(s.Name+": "+s.Sentence, Label(conformingLabel), func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				verdicts.expectLines(s.Name, j.lines())

				Expect(j.run.Verdict).To(Equal(ledger.Pass), s.Sentence)
				Expect(j.run.Complete).To(BeTrue())
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
