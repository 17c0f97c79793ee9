package spec_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// What FuzzNearAnswer tries at random, in full for a few answers: nothing that a single change makes of a right answer
// is judged otherwise by the second judge.
var _ = Describe("A right answer with one change", func() {
	for _, answer := range []struct {
		name, body string
		op         schemas.Operation
	}{
		{"a record", recordWith(), schemas.GetUserAuth},
		{"a list of records", `[{"UserId":"` + userID + `","IsLocked":true}, {"Device":{"Model":"x"}}]`,
			schemas.GetUserAuth},
		{"identifiers", `["` + guidA + `", "` + guidB + `"]`, schemas.FindByUserIDs},
	} {
		judged := func(change func(judged func(body string))) {
			j, s := newJudge(), newSecond(GinkgoTB())
			expectAgreement(GinkgoTB(), j, s, answeredExchange(wellFormedProbe(answer.op), 200, answer.body))
			change(func(body string) {
				expectAgreement(GinkgoTB(), j, s, answeredExchange(wellFormedProbe(answer.op), 200, body))
			})
		}
		It("of a token is judged alike by two judges: "+answer.name, func() {
			judged(func(judged func(string)) {
				for at, token := range oneToken.FindAllString(answer.body, -1) {
					if strings.Contains(`{}[],:`, token) {
						continue // for these the bytes below do as well
					}
					for other := range tokenStock() {
						judged(changedAnswer(answer.body, putToken, at, other, ""))
					}
				}
			})
		})
		It("of a byte is judged alike by two judges: "+answer.name, func() {
			judged(func(judged func(string)) {
				for at := range len(answer.body) {
					judged(changedAnswer(answer.body, removeSpan, at, 1, ""))
					judged(changedAnswer(answer.body, doubleSpan, at, 1, ""))
					judged(changedAnswer(answer.body, swapSpans, at, 1, ""))
					for _, with := range []string{`"`, "0", "\xff"} {
						judged(changedAnswer(answer.body, replaceSpan, at, 1, with))
					}
				}
			})
		})
	}
})

var _ = It("The judge finds nothing in any of the right answers that are changed, nor does the second judge", func() {
	s := newSecond(GinkgoTB())
	for _, answer := range rightAnswers(GinkgoTB()) {
		result := newJudge().WellFormed(answer.exchange())
		Expect(findingLines(result)).To(BeEmpty(), answer.body)
		Expect(result.Answer.Served()).To(BeTrue(), answer.body)
		for id, row := range s.judge(answer.exchange()).rows {
			Expect(row.findings).To(BeEmpty(), "%s of %s", id, answer.body)
		}
	}
})
