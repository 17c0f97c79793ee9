package sweep_test

import (
	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("For a user who is marked enrolled: false", func() {
	It("a record or identifiers are judged and compared like any other's", func() {
		same := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(okReply(record)), outcome: stats.Equal,
			verdict: ledger.Pass}
		wrong := resultCase{v5: alwaysReply(okReply(recordWith("999Z", "99Z"))),
			v6: alwaysReply(okReply(recordWith("999Z",
				"99Z"))),
			outcome: stats.BothViolate, verdict: ledger.Fail,
			found: []string{"v5 2.1/CreatedOn: not in its form at /CreatedOn",
				"v6 2.1/CreatedOn: not in its form at /CreatedOn"}}
		list := resultCase{op: schemas.FindByUserIDs, v5: alwaysReply(okReply(`[7]`)),
			v6: alwaysReply(okReply(`[7]`)), outcome: stats.BothViolate,
			verdict: ledger.Fail, found: []string{"v5 2.3/identifiers: not of its type: number at /0",
				"v6 2.3/identifiers: not of its type: number at /0"}}
		expectLooks(same.of(unenrolled), wrong.of(unenrolled), list.of(unenrolled))
	})

	It("what only one version shows is no difference, and no proof that there is none", func() {
		l := resultCase{outcome: stats.NotComparable, verdict: ledger.Inconclusive,
			reason: "J1: one version shows something of a user who is marked enrolled: false, the other does not",
			found:  []string{"v5=v6 : not-comparable at"}, asked: fiveCall}
		var results []resultCase
		for _, n := range emptyAnswers() {
			left, right := l, l
			left.v5, left.v6 = alwaysReply(okReply(record)), alwaysReply(n.answer)
			right.op, right.v5, right.v6 = schemas.FindByUserIDs, alwaysReply(n.answer), alwaysReply(okReply(identifiers))
			results = append(results, left.of(unenrolled), right.of(unenrolled))
		}
		expectLooks(results...)
	})

	It("what only one version shows at first has drifted: somebody was enrolled in between", func() {
		l := resultCase{v5: replies{statusReply(404), okReply(record)}, v6: alwaysReply(okReply(record)),
			outcome: stats.Drift,
			reason:  "what differed did not when it was read again", verdict: ledger.Pass, asked: nineCall}
		expectLooks(l.of(unenrolled))
	})

	It("an answer of which little is known says as much as nothing, whoever was looked at before", func() {
		l := resultCase{v5: alwaysReply(okReply(`{"Id":null}`)), v6: alwaysReply(okReply(`{"Id":null}`)),
			outcome: stats.NothingAlike,
			verdict: ledger.Pass}
		expectLooks(l.of(unenrolled))
	})
})
