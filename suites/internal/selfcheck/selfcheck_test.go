package selfcheck_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/selfcheck"
)

func TestSelfcheck(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "selfcheck")
}

var _ = Describe("The self-check", func() {
	var contract *schemas.Contract
	var examples []selfcheck.Example

	BeforeEach(func() {
		var err error
		contract, err = schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		all, err := messages.All()
		Expect(err).NotTo(HaveOccurred())
		examples = nil
		for _, m := range all {
			examples = append(examples, selfcheck.Example(m))
		}
	})

	It("judges every example rightly", func() {
		judged, err := selfcheck.Judge(contract, examples)
		Expect(err).NotTo(HaveOccurred())
		Expect(judged).To(Equal(len(examples)))
	})

	It("notices each example whose label is wrong", func() {
		for i := range examples {
			one := examples[i]
			one.Valid = !one.Valid
			_, err := selfcheck.Judge(contract, []selfcheck.Example{examples[0], one})
			Expect(err).To(MatchError(ContainSubstring(one.Name)))
		}
	})

	It("notices a finding at another place", func() {
		for _, e := range examples {
			if !e.Valid {
				e.Breaks += "/elsewhere"
				_, err := selfcheck.Judge(contract, []selfcheck.Example{e})
				Expect(err).To(MatchError(ContainSubstring(e.Name)))
			}
		}
	})

	DescribeTable("is no check without both kinds", func(valid bool) {
		var some []selfcheck.Example
		for _, e := range examples {
			if e.Valid == valid {
				some = append(some, e)
			}
		}
		_, err := selfcheck.Judge(contract, some)
		Expect(err).To(MatchError(ContainSubstring("both are needed")))
	},
		Entry("only valid ones", true),
		Entry("only invalid ones", false),
	)
})
