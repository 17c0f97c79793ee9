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
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
)

// registerUnknownEnrolmentConforming sweeps users without saying in the users file who is enrolled. So a sweep may
// report findings about users who are not, only if the service sends neither a record nor a sign that there is none
// (J1), perhaps in one version only (J14). Two ways to say that there is none are alike (J22).
func registerUnknownEnrolmentConforming(a *jobs) {
	list := slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool {
		return strings.HasPrefix(s.Name, "throttling-")
	})
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, s := range list {
		services[i] = service{name: s.Name, users: s.Users(), flags: s.Flags, start: s.Start, enrolmentUnknown: true}
	}
	draw(services, 2, nameOf)
	result := a.add(services)

	Describe("A conforming service passes a sweep if nobody says who is enrolled,", Label(proofLabel), func() {
		for i := range chosenOf(services) {
			s := list[i]
			It(s.Name+": "+s.Sentence, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
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
				reasons := incomparableReasons(j.sweep)
				for _, reason := range reasons {
					Expect(reason).To(Equal("one version breaks the contract, the other says that there is nothing"))
				}
				switch few := j.sweep.TooFewServed(); {
				case len(j.sweep.Tally.Groups)+len(reasons) > 0:
				case few != "": // one operation serves hardly anybody
					Expect(j.sweep.Verdict).To(Equal(ledger.Inconclusive))
					Expect(few).To(HaveSuffix(" would hold"))
				default:
					Expect(j.sweep.Verdict).To(BeElementOf(ledger.Pass, verdictOf(s)))
				}
			})
		}
	})
}

// expectUnenrolled asserts that a group has only users who are not enrolled.
func expectUnenrolled(users []fixtures.User, g *stats.Group) {
	GinkgoHelper()
	for _, f := range g.Sample {
		Expect(users[f.User.Index].Enrolled).To(BeFalse(), "%s: %s", g.Requirement, f.Actual)
	}
}

// incomparableReasons lists the reasons why users could not be compared.
func incomparableReasons(s *stats.Summary) []string {
	var list []string
	for _, op := range schemas.Operations() {
		list = slices.AppendSeq(list, maps.Keys(s.Tally.Outcomes[op][stats.NotComparable].Why))
	}
	return list
}

// registerUnknownEnrolmentMutants sweeps the mutants for which enrolment matters: those that break served, user or
// shape requirements.
func registerUnknownEnrolmentMutants(a *jobs) {
	list := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool {
		return !slices.ContainsFunc(m.Expect, func(id string) bool {
			return strings.HasSuffix(id, "/served") || id == "4.1/user" || strings.HasSuffix(id, "/shape")
		})
	})
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, m := range list {
		services[i] = service{name: m.Name, users: m.Users(), flags: oneAtATime, start: m.Start,
			enrolmentUnknown: true}
	}
	draw(services, 2, faultOf)
	result, reference := a.add(services), kit.Reference(kit.Users(), fixtures.AccessToken)

	Describe("A mutant is found by a sweep if nobody says who is enrolled,", Label(proofLabel), func() {
		for i := range chosenOf(services) {
			m := list[i]
			It(m.Name+": "+m.Sentence, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				if m.RefusesAll {
					Expect(j.sweep.Verdict).To(Equal(ledger.Fault), m.Sentence)
					return
				}
				expectSwept(m, j, reference)
			})
		}
	})
}
