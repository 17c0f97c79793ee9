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
	catalogue := &schemas.Contract{
		Shapes: testkit.Contract().Shapes,
		Requirements: []schemas.Requirement{
			{ID: "4/getUserAuth/served", Section: "4", Kind: schemas.Documented,
				Operations: []schemas.Operation{schemas.GetUserAuth}, Risk: schemas.Read},
			{ID: "open/4/status", Section: "4", Kind: schemas.Open,
				Operations: []schemas.Operation{schemas.GetUserAuth},
				Risk:       schemas.Read},
			{ID: "excluded/6/events", Section: "6", Kind: schemas.Excluded},
		},
	}
	served := func(s *spec.Suite) {
		s.Requirement("4/getUserAuth/served").Send(spec.GetUserAuth, spec.WellFormed).EachAnswer(check.IsServed)
	}
	status := func(s *spec.Suite) {
		s.OpenPoint("open/4/status").Send(spec.GetUserAuth, spec.WellFormed).Observe(check.StatusCode)
	}
	newSuite := func(write ...func(*spec.Suite)) error {
		_, err := spec.New(catalogue, func(s *spec.Suite) {
			s.Section("4", "Endpoints")
			for _, w := range write {
				w(s)
			}
		})
		return err
	}

	It("agree", func() {
		Expect(newSuite(served, status)).To(Succeed())
	})

	DescribeTable("disagree", func(text string, write ...func(*spec.Suite)) {
		Expect(newSuite(write...)).To(MatchError(And(ContainSubstring("defect of the suite"),
			ContainSubstring("requirements.yaml"), ContainSubstring(text))))
	},
		Entry("a row without a spec",
			"open/4/status: expected its spec to send a request to getUserAuth, which the catalogue names", served),
		Entry("a spec without a row", "4/nobody/served: the specs of section 4 have it, but the catalogue does not",
			served, status,
			func(s *spec.Suite) { s.Requirement("4/nobody/served") }),
		Entry("two specs for one row", "4/getUserAuth/served: expected one spec in its section, got two", served,
			status, served),
		Entry("another kind",
			"open/4/status: the catalogue has it as open in section 4, but the specs have it as documented in section 4", served,
			func(s *spec.Suite) {
				s.Requirement("open/4/status").Send(spec.GetUserAuth, spec.WellFormed).EachAnswer(check.IsServed)
			}),
		Entry("another section",
			"4/getUserAuth/served: the catalogue has it as documented in section 4, but the specs have it as documented in section 5", status,
			func(s *spec.Suite) { s.Section("5", "Another"); served(s) }),
		Entry("a spec that checks nothing", "4/getUserAuth/served: expected one check in its spec, got 0", status,
			func(s *spec.Suite) { s.Requirement("4/getUserAuth/served").Send(spec.GetUserAuth, spec.WellFormed) }),
		Entry("a spec that sends nothing",
			"4/getUserAuth/served: expected its spec to send a request to getUserAuth, which the catalogue names", status,
			func(s *spec.Suite) { s.Requirement("4/getUserAuth/served").EachAnswer(check.IsServed) }),
		Entry("more risk",
			"4/getUserAuth/served: the catalogue has risk read, but its spec sends requests of risk auth-failure",
			status,
			func(s *spec.Suite) {
				s.Requirement("4/getUserAuth/served").Send(spec.GetUserAuth, spec.WellFormed,
					spec.RandomToken).EachAnswer(check.IsServed)
			}),
		Entry("a comparison that is none",
			"4/getUserAuth/served: either the catalogue or its spec compares versions, but not both", status,
			func(s *spec.Suite) {
				s.Requirement("4/getUserAuth/served").Send(spec.GetUserAuth,
					spec.WellFormed).EachComparison(check.HaveTheSameShape)
			}),
	)
})
