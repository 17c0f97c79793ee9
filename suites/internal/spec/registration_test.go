package spec_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// Each is a slip of whoever extends the contract: they must read what disagrees, and where.
var _ = Describe("The specs and the catalogue", func() {
	operations := []schemas.Operation{schemas.GetUserAuth}
	catalogue := &schemas.Contract{
		Shapes: testkit.Contract().Shapes,
		Requirements: []schemas.Requirement{
			{ID: recordServed, Section: "4", Kind: schemas.Documented, Operations: operations, Risk: schemas.Read},
			{ID: "open/4/status", Section: "4", Kind: schemas.Open, Operations: operations, Risk: schemas.Read},
			{ID: "excluded/6/events", Section: "6", Kind: schemas.Excluded},
		},
	}
	served := func(s *spec.Suite) *spec.Requirement {
		return s.Requirement(recordServed).Send(spec.GetUserAuth, spec.WellFormed)
	}
	both := func(s *spec.Suite) {
		served(s).EachAnswer(check.IsServed)
		s.OpenPoint("open/4/status").Send(spec.GetUserAuth, spec.WellFormed).Observe(check.StatusCode)
	}

	DescribeTable("disagree, which is a defect of the suite", func(fault string, write func(*spec.Suite)) {
		_, err := spec.New(catalogue, func(s *spec.Suite) {
			s.Section("4", "Endpoints")
			write(s)
		})
		if fault == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(And(HavePrefix("defect of the suite: the specs and the catalogue "+
			"schemas/requirements.yaml disagree:\n"), ContainSubstring("\n"+fault))))
	},
		Entry("not at all", "", both),
		Entry("by a row without a spec",
			"open/4/status: expected its spec to send a request to getUserAuth, which the catalogue names",
			func(s *spec.Suite) { served(s).EachAnswer(check.IsServed) }),
		Entry("by a spec without a row",
			"4/nobody/served: the specs of section 4 have it, but the catalogue does not",
			func(s *spec.Suite) { both(s); s.Requirement("4/nobody/served") }),
		Entry("by two specs for one row", recordServed+": expected one spec in its section, got two",
			func(s *spec.Suite) { both(s); served(s) }),
		Entry("by the kind", "open/4/status: the catalogue has it as open in section 4, but the specs have it as "+
			"documented in section 4", func(s *spec.Suite) { s.Requirement("open/4/status") }),
		Entry("by the section", recordServed+": the catalogue has it as documented in section 4, but the specs have "+
			"it as documented in section 5", func(s *spec.Suite) { s.Section("5", "Another"); both(s) }),
		Entry("by a spec that checks nothing", recordServed+": expected one check in its spec, got 0",
			func(s *spec.Suite) { served(s) }),
		Entry("by a spec that checks two things", recordServed+": expected one check in its spec, got 2",
			func(s *spec.Suite) { served(s).EachAnswer(check.IsServed); served(s).EachList(check.EachMatchesSchema) }),
		Entry("by a spec that observes and is documented", recordServed+": expected one check in its spec, got 0",
			func(s *spec.Suite) { served(s).Observe(check.StatusCode) }),
		Entry("by a spec that sends nothing",
			recordServed+": expected its spec to send a request to getUserAuth, which the catalogue names",
			func(s *spec.Suite) { s.Requirement(recordServed).EachAnswer(check.IsServed) }),
		Entry("by the risk",
			recordServed+": the catalogue has risk read, but its spec sends requests of risk auth-failure",
			func(s *spec.Suite) { served(s).Send(spec.GetUserAuth, spec.RandomToken).EachAnswer(check.IsServed) }),
		Entry("by a comparison that is none",
			recordServed+": either the catalogue or its spec compares versions, but not both",
			func(s *spec.Suite) { served(s).EachComparison(check.HaveTheSameShape) }),
	)
})
