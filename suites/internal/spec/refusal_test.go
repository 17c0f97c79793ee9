package spec_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
)

// three is the least that makes an object a record which was served all the same.
const three = `{"Flags":0,"IsLocked":false,"Description":""}`

var _ = Describe("J13, what must not be served", func() {
	It("is refused by a body past the bounds of reading", func() {
		deep := strings.Repeat("[", 600) + three + strings.Repeat("]", 600)
		Expect(findingLines(newJudge().Mutated(answeredExchange(mutatedProbe(schemas.GetUserAuth, exchange.Null, "Id"),
			200,
			deep)))).To(
			BeEmpty())
	})

	It("shows no control characters of what was served", func() {
		body := `{"Description":"` + `\u001b[2J","Flags":0,"ModeType":1}`
		result := newJudge().Mutated(answeredExchange(mutatedProbe(schemas.GetUserAuth, exchange.RandomToken,
			"AccessToken"),
			200,
			body))
		Expect(actualText(result.Rows["5.1/getUserAuth/token"].Findings[0])).NotTo(ContainSubstring("\x1b"))
	})
})

var _ = It("A judgement keeps what an answer tells after its value was let go", func() {
	answer := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith())).Answer
	answer.Drop()
	Expect(answer.Value).To(BeNil())
	Expect(answer.RecordIDs()).To(BeEmpty())
	Expect(answer.DisclosesData()).To(BeTrue())
	Expect(answer.Served()).To(BeTrue())
})

var _ = It("An outcome counts of one and another all, and keeps the first fifty", func() {
	var all check.Outcome
	for range 3 {
		var one check.Outcome
		one.Witnesses, one.Notes = 2, []any{check.NearMiss{Documented: "Id"}}
		for range 40 {
			one.Find(check.Finding{Kind: "k", Pointer: "/3/x"})
		}
		all.Merge(one)
	}
	Expect(all.Count).To(Equal(120))
	Expect(all.Findings).To(HaveLen(check.MaxFindings))
	Expect(all.Witnesses).To(Equal(6))
	Expect(all.Notes).To(Equal([]any{check.NearMiss{Documented: "Id"}}))
	Expect(all.Causes).To(HaveExactElements(check.Cause{Kind: "k", Pointer: "/*/x", Count: 120,
		Example: check.Finding{Kind: "k", Pointer: "/3/x", Actual: check.ExcerptOf(nil)}}))
})
