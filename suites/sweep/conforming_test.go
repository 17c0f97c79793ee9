package sweep_test

import (
	"net/http"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/tally"
)

// sweptRight sweeps all services that keep the contract. Those that throttle are asked for few users: they are given time.
func sweptRight(marked bool, check func(s conforming.Service, users []fixtures.User, out *swept)) {
	GinkgoHelper()
	all := conforming.All()
	known := make([][]fixtures.User, len(all))
	for i, s := range all {
		known[i] = s.Users()
		if strings.HasPrefix(s.Name, "throttling-") {
			known[i] = known[i][:2]
		}
	}
	for i, out := range sweepAll(len(all), func(i int) (http.Handler, []person) { return all[i].Handler(), people(known[i], marked) }) {
		check(all[i], known[i], out)
	}
}

var _ = Describe("Services that keep the contract", Label("fixtures"), func() {
	It("are passed", func() {
		passed := 0
		sweptRight(true, func(s conforming.Service, users []fixtures.User, out *swept) {
			Expect(out.Complete).To(BeTrue(), s.Name)
			Expect(out.Verdict).NotTo(Equal(ledger.Fail), "%s: %s %s\n%s", s.Name, s.Sentence, out.Reason, out.text)
			if out.Verdict == ledger.Pass {
				passed++
				return
			}
			// Somebody of whom the population says that there is nothing was enrolled between two calls.
			for _, f := range out.lines {
				Expect(users[f.User.Index].Enrolled).To(BeFalse(), "%s: %s", s.Name, out.text)
			}
		})
		Expect(passed).To(BeNumerically(">", len(conforming.All())-3))
	})

	// A population that does not say who is enrolled takes every user for one who may be (J1). So a service can be accused for
	// how it speaks of one who is not, by two rules and no other: it says neither a record nor that there is none, which breaks
	// J1; or one version finds nothing in an empty array, which is an answer, and the other refuses (J14).
	It("are accused only for how they speak of users without authenticators, where the population does not say who they are", func() {
		sweptRight(false, func(s conforming.Service, users []fixtures.User, out *swept) {
			Expect(out.Complete).To(BeTrue(), s.Name)
			Expect(out.Verdict).To(BeElementOf(ledger.Pass, ledger.Fail, ledger.Inconclusive), s.Name)
			for _, f := range out.lines {
				told := s.Name + ": " + s.Sentence + "\n" + out.text
				Expect(users[f.User.Index].Enrolled).To(BeFalse(), told)
				switch {
				case f.Open():
					Expect(f.Actual).To(Or(HavePrefix("both say that there is nothing, in different ways"),
						Equal("one version breaks the contract, the other says that there is nothing")), told)
				case strings.HasSuffix(f.Requirement, "/served"):
					Expect(f.Kind).To(BeElementOf("status", "syntax"), told)
				default:
					Expect(f.Requirement).To(HaveSuffix("/shape"), told)
					Expect(f.Kind).To(Equal("served against refused"), told)
				}
			}
			if len(out.lines) == 0 {
				Expect(out.Verdict).To(Equal(ledger.Pass), s.Name)
			}
		})
	})

	It("can be read again and again: of those whose values change, each outcome is one that accuses nobody", func() {
		changing := slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool { return !strings.HasPrefix(s.Name, "change-") })
		Expect(len(changing)).To(BeNumerically(">", 10))
		outs := sweepAll(len(changing), func(i int) (http.Handler, []person) { return changing[i].Handler(), people(changing[i].Users(), true) })
		moved := int64(0)
		for i, out := range outs {
			Expect(out.Tally.Count(tally.Different)+out.Tally.Count(tally.BothViolate)).To(BeZero(), changing[i].Name)
			moved += out.Tally.Count(tally.EqualUnderRule) + out.Tally.Count(tally.Drift)
		}
		Expect(moved).To(BeNumerically(">", len(changing)), "nothing was read again")
	})
})
