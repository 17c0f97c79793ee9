package settings_test

import (
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// entryOf writes one entry of a list in block form, on lines 2 and on.
func entryOf(list string, members ...string) string {
	return list + ":\n- " + strings.Join(members, "\n  ") + "\n"
}

// documentedIDs lists the ids that a waiver may name.
func documentedIDs() (ids []string) {
	for _, r := range testkit.Contract().Requirements {
		if r.Kind == schemas.Documented {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

var _ = Describe("Waivers", func() {
	It("are read with their defaults and places", func() {
		s, err := resolveFile(joinLines("waivers:",
			"- requirement: 2.1/CreatedOn", "  reason: no milliseconds before 9.3", "  until: 2027-01-31",
			"- {requirement: 2.2/Model, version: v5, verdict: inconclusive, reason: never set, until: '2027-02-28'}",
			"- {requirement: 2.2/Model, version: v6, verdict: inconclusive, reason: never set, until: 2026-01-01}",
			"- {requirement: 2.2/Model, version: v5, verdict: fail, reason: both verdicts, until: 2028-02-29}",
			"- {requirement: 9.3/getUserAuth/values, version: v5=v6, reason: clock, until: 2027-12-31}",
			"- {requirement: 9.3/findByUserIds/values, reason: clock, until: 2027-12-31}"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Waivers).To(HaveLen(6))
		Expect(s.Waivers[0].Where).To(HaveSuffix("conformance.yaml:2"))
		Expect(s.Waivers[1].Where).To(HaveSuffix("conformance.yaml:5"))
		s.Waivers[0].Where, s.Waivers[1].Where = "", ""
		Expect(s.Waivers[0]).To(Equal(settings.Waiver{Requirement: "2.1/CreatedOn", Verdict: "fail",
			Reason: "no milliseconds before 9.3", Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)}))
		Expect(s.Waivers[1]).To(Equal(settings.Waiver{Requirement: "2.2/Model", Version: schemas.V5,
			Verdict: "inconclusive", Reason: "never set", Until: time.Date(2027, 2, 28, 0, 0, 0, 0, time.UTC)}))
		Expect(s.Waivers[4].Version).To(Equal(schemas.Parity))
		Expect(s.Waivers[5].Version).To(BeEmpty())
		Expect(effectiveSetting(s, "waivers").Value).To(Equal("6, of which 1 past their date"))
	})

	DescribeTable("hold to the end of their last day, UTC", func(now string, isActive bool) {
		moment, err := time.Parse(time.RFC3339Nano, now)
		Expect(err).NotTo(HaveOccurred())
		until := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
		Expect(settings.Waiver{Until: until}.Active(moment)).To(Equal(isActive))
		Expect(settings.Ignore{Until: until}.Active(moment)).To(Equal(isActive))
		Expect(settings.Ignore{}.Active(moment)).To(BeTrue())
	},
		Entry(nil, "2026-06-01T00:00:00Z", true), Entry(nil, "2027-01-31T00:00:00Z", true),
		Entry(nil, "2027-01-31T23:59:59.999999999Z", true), Entry(nil, "2027-02-01T00:00:00Z", false),
		Entry(nil, "2027-01-31T23:30:00-01:00", false), Entry(nil, "2027-02-01T00:30:00+01:00", true),
	)

	It("may name every documented requirement, those of parity too, and no other", func() {
		for _, r := range testkit.Contract().Requirements {
			s, err := resolveFile(entryOf("waivers", "requirement: "+r.ID, "reason: known", "until: 2027-12-31"))
			if r.Kind == schemas.Documented {
				Expect(err).NotTo(HaveOccurred(), r.ID)
				Expect(s.Waivers[0].Requirement).To(Equal(r.ID))
				continue
			}
			expectFault(err, `conformance.yaml:2: member "requirement": `+r.ID, "nothing to set aside")
			if r.Kind == schemas.Excluded {
				expectFault(err, r.Reason)
			}
		}
	})

	covered := func(requirement string, more ...string) []string {
		s, err := resolveFile(entryOf("waivers", append(
			[]string{"requirement: " + requirement, "reason: a", "until: 2027-12-31"}, more...)...))
		Expect(err).NotTo(HaveOccurred())
		Expect(effectiveSetting(s, "waivers").Value).To(Equal("1"))
		var ids []string
		for _, w := range s.Waivers {
			Expect(w).To(And(HaveField("Reason", "a"), HaveField("Where", HaveSuffix("conformance.yaml:2"))))
			ids = append(ids, strings.TrimSpace(w.Requirement+" "+w.Pattern))
		}
		return ids
	}

	It("may name several requirements, by a list, by a pattern, or both", func() {
		Expect(covered("[2.1/Id, 4.1/user]")).To(Equal([]string{"2.1/Id", "4.1/user"}))
		Expect(covered("[4.1/user]")).To(Equal([]string{"4.1/user"}))
		Expect(covered("2.2/*")).To(HaveLen(8))
		Expect(covered("2.2/*")).To(HaveEach(MatchRegexp(`^2\.2/\w+ 2\.2/\*$`)))
		Expect(covered("'*/required'")).To(ContainElements("4.1/Id/required */required",
			"4.2/UserId/required */required"))
		Expect(covered("9.3/*/values")).To(Equal([]string{"9.3/getUserAuth/values 9.3/*/values",
			"9.3/findByUserIds/values 9.3/*/values"}))
		Expect(covered("[2.3/*, 2.2/Comment]")).To(Equal([]string{"2.3/identifiers 2.3/*", "2.2/Comment"}))
		Expect(covered("'*'")).To(HaveLen(len(documentedIDs())))
	})

	It("by a pattern cover what has the version that they name", func() {
		Expect(covered("'*'", "version: v5=v6")).To(HaveEach(HavePrefix("9.3/")))
		Expect(covered("'*'", "version: v5")).NotTo(ContainElement(HavePrefix("9.3/")))
	})

	DescribeTable("of one verdict of one row may stand once", func(first, second string, twice bool) {
		_, err := resolveFile(joinLines("waivers:",
			"- {reason: a, until: 2027-12-31, "+first+"}", "- {reason: b, until: 2028-12-31, "+second+"}"))
		if !twice {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		expectFault(err, "conformance.yaml:3: sets aside ", "conformance.yaml:2 does")
	},
		Entry("the same", "requirement: 4.1/user", "requirement: 4.1/user", true),
		Entry("the default spelt out", "requirement: 4.1/user", "requirement: 4.1/user, verdict: fail", true),
		Entry("the same version", "requirement: 4.1/user, version: v5", "requirement: 4.1/user, version: v5", true),
		Entry("all versions and one of them", "requirement: 4.1/user", "requirement: 4.1/user, version: v6", true),
		Entry("one version and all of them", "requirement: 4.1/user, version: v6", "requirement: 4.1/user", true),
		Entry("parity with and without version", "requirement: 9.3/getUserAuth/shape",
			"requirement: 9.3/getUserAuth/shape, version: v5=v6", true),
		Entry("two versions", "requirement: 4.1/user, version: v5", "requirement: 4.1/user, version: v6", false),
		Entry("two verdicts", "requirement: 4.1/user", "requirement: 4.1/user, verdict: inconclusive", false),
		Entry("two requirements", "requirement: 2.1/Id", "requirement: 2.2/Id", false),
		Entry("a pattern and an id that it matches", "requirement: 2.1/*", "requirement: 2.1/Id", true),
		Entry("a pattern and an id that it does not match", "requirement: 2.1/*", "requirement: 2.2/Id", false),
		Entry("two patterns", "requirement: 2.1/*", "requirement: '*/Id'", true),
		Entry("a pattern in two versions", "requirement: 2.1/*, version: v5", "requirement: 2.1/*, version: v6", false),
	)
})

var _ = Describe("Ignored places", func() {
	It("are read in order", func() {
		s, err := resolveFile(joinLines("parity:", "  ignore:",
			"  - {pointer: /*/Device/Comment, reason: free text}",
			"  - {pointer: '/a~1b/~0c/', reason: odd names, until: 2027-01-30}"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Ignore).To(HaveLen(2))
		Expect(s.Ignore[0].Pointer).To(Equal("/*/Device/Comment"))
		Expect(s.Ignore[0].Until).To(BeZero())
		Expect(s.Ignore[0].Where).To(HaveSuffix("conformance.yaml:3"))
		Expect(s.Ignore[1].Pointer).To(Equal("/a~1b/~0c/"))
		Expect(s.Ignore[1].Until).To(Equal(time.Date(2027, 1, 30, 0, 0, 0, 0, time.UTC)))
		Expect(effectiveSetting(s, "ignored places").Value).To(Equal("2, of which 1 past their date"))
	})

	It("are named once they have ended, and so is a waiver, which is named once for a pattern", func() {
		ended := time.Date(2026, 6, 14, 0, 0, 0, 0, time.UTC)
		of := func(id string) settings.Waiver {
			return settings.Waiver{Requirement: id, Pattern: "2.1/*", Until: ended, Where: "file:1"}
		}
		s := settings.Settings{Waivers: []settings.Waiver{of("2.1/Id"), of("2.1/Flags")},
			Ignore: []settings.Ignore{{Pointer: "/a", Until: ended, Where: "file:3"}, {Pointer: "/b", Where: "file:4"}}}
		Expect(s.Ended(ended.Add(23*time.Hour))).To(BeEmpty(), "the last day is included")
		Expect(s.Ended(ended.AddDate(0, 0, 1))).To(Equal([]string{
			"the waiver of 2.1/* (file:1) ended on 2026-06-14 and no longer holds",
			"parity.ignore /a (file:3) ended on 2026-06-14 and no longer holds"}))
	})
})
