package proof_test

import (
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

// registerUnmarked sweeps users of whom the file does not say whether they are enrolled. Each may be, so a service can
// be accused of how it answers for one who is not, by two rules and no other: it sends neither a record nor a sign that
// there is none (J1), or one version sends an empty array, which is an answer, and the other refuses (J14).
func registerUnmarked(a *jobs) {
	registerUnmarkedConforming(a)
	registerUnmarkedMutants(a)
}

func registerUnmarkedConforming(a *jobs) {
	list := slices.DeleteFunc(conforming.All(), func(
		s conforming.Service) bool {
		return strings.HasPrefix(s.Name, "throttling-")
	})
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, s := range list {
		services[i] = service{name: s.Name, users: s.Users(), flags: s.Flags, start: s.Start, unmarked: true}
	}
	result := a.add(services)

	Describe("A conforming service, swept for users who may be enrolled,", func() {
		for i, s := range list {
			It(s.Name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				Expect(j.sweep.Complete).To(BeTrue())
				for _, g := range j.sweep.Tally.Groups {
					expectUnenrolled(s.Users(), g)
					if strings.HasSuffix(g.Requirement, "/served") {
						Expect(g.Kind).To(BeElementOf("status", "syntax"))
						continue
					}
					Expect(g.Requirement).To(HaveSuffix("/shape"))
					Expect(g.Kind).To(Equal("served against refused"))
				}
				open := openGrounds(j.sweep)
				for _, why := range open {
					Expect(why).To(Or(HavePrefix("both say that there is nothing, in different ways"),
						Equal("one version breaks the contract, the other says that there is nothing")))
				}
				if len(j.sweep.Tally.Groups)+len(open) == 0 {
					Expect(j.sweep.Verdict).To(Equal(ledger.Pass))
				}
			})
		}
	})
}

// expectUnenrolled expects that only users who are not enrolled show a cause.
func expectUnenrolled(users []fixtures.User, g *stats.Group) {
	GinkgoHelper()
	for _, f := range g.Sample {
		Expect(users[f.User.Index].Enrolled).To(BeFalse(), "%s: %s", g.Requirement, f.Actual)
	}
}

// openGrounds are the grounds on which users could not be compared.
func openGrounds(s *stats.Summary) []string {
	var list []string
	for _, op := range schemas.Operations() {
		list = slices.AppendSeq(list, maps.Keys(s.Tally.Outcomes[op][stats.NotComparable].Why))
	}
	return list
}

// registerUnmarkedMutants sweeps the mutants for which it matters who is enrolled: those that serve what must not be
// served, or differ in shape.
func registerUnmarkedMutants(a *jobs) {
	list := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool {
		return strings.Contains(m.Sentence, " 503 ") || !slices.ContainsFunc(m.Expect, func(id string) bool {
			return strings.HasSuffix(id, "/served") || id == "4.1/user" || strings.HasSuffix(id, "/shape")
		})
	})
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, m := range list {
		services[i] = service{name: m.Name, users: m.Users(), flags: []string{"--concurrency", "1"}, start: m.Start,
			unmarked: true}
	}
	result, right := a.add(services), kit.Reference(kit.Users(), fixtures.AccessToken)

	Describe("A mutant, swept for users who may be enrolled,", func() {
		for i, m := range list {
			It(m.Name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				if m.RefusesAll {
					Expect(j.sweep.Verdict).To(Equal(ledger.Fault), m.Sentence)
					return
				}
				Expect(j.sweep.Verdict).NotTo(Equal(ledger.Fault), j.sweep.Reason)
				for _, g := range j.sweep.Tally.Groups {
					Expect(slices.Concat(m.Expect, m.Also)).To(ContainElement(g.Requirement),
						"it is accused of what it does right")
				}
				if j.sweep.Verdict == ledger.Pass {
					Expect(unseen(m, right)).NotTo(BeEmpty(), "it is passed, and breaks %v: %s", m.Expect, m.Sentence)
				}
			})
		}
	})
}
