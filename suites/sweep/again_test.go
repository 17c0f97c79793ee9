package sweep_test

import (
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

// unstable is the finding of a value that changes in one version alone.
const unstable = ofValues + "volatile in one version at /Description"

// countingRecords gives records that are others at each call, from a number on.
func countingRecords(from int) replies {
	var all replies
	for i := range 8 {
		all = append(all, describedRecord(strconv.Itoa(from+i)))
	}
	return all
}

// lockedRecords are the same records, locked.
func lockedRecords(list replies) replies {
	var all replies
	for _, r := range list {
		all = append(all, okReply(strings.Replace(r.body, "false", "true", 1)))
	}
	return all
}

func describedRecord(text string) reply { return okReply(recordWith("desk", text)) }

var _ = Describe("Answers that differ are requested again: a sweep", func() {
	DescribeTable("decides by the further answers,", func(v5, v6 replies, outcome stats.Outcome, reason string,
		verdict ledger.Verdict, asked string, found ...string) {
		l := resultCase{v5: v5, v6: v6, outcome: outcome, reason: reason, found: found, verdict: verdict, asked: asked}
		expectLooks(l.of(unmarked), l.of(enrolled))
	},
		Entry("and has drifted where it was edited in between", replies{describedRecord("a"), describedRecord("b")},
			alwaysReply(describedRecord("b")), stats.Drift, "what differed did not when it was read again", ledger.Pass, nineCall),
		Entry("and is volatile where it changes in both", countingRecords(0), countingRecords(100),
			stats.EqualUnderRule,
			"J15: volatile /Description", ledger.Pass, fiveCall),
		Entry("and more often where it changes in v6 alone, at each call", alwaysReply(okReply(record)),
			countingRecords(0),
			stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it changes in v5 alone, at each call", countingRecords(0),
			alwaysReply(okReply(record)),
			stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it comes and goes in v6 alone", alwaysReply(okReply(record)),
			answersInTurn(5, describedRecord("a"),
				okReply(record)), stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it comes and goes in v5 alone", answersInTurn(5, okReply(record),
			describedRecord("a")),
			alwaysReply(describedRecord("a")), stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it changed once in v5 alone, and then differs",
			replies{describedRecord("a"), describedRecord("b")}, alwaysReply(describedRecord("c")), stats.Different, "", ledger.Fail,
			nineCall, ofValues+"value at /Description"),
		Entry("and differs beside what is volatile", countingRecords(0), lockedRecords(countingRecords(100)),
			stats.Different,
			"", ledger.Fail, fiveCall, ofValues+"value at /IsLocked"),
		Entry("and differs beside what changes in one alone", countingRecords(0),
			lockedRecords(replies{okReply(record)}),
			stats.Different,
			"", ledger.Fail, nineCall, ofValues+"value at /IsLocked", unstable),
		Entry("and broke the contract only then", replies{describedRecord("a"), okReply("{"), describedRecord("a")},
			alwaysReply(describedRecord("b")), stats.Different, "", ledger.Fail, nineCall, "v5 4/getUserAuth/served: syntax at",
			ofValues+"value at /Description"),
		Entry("and broke the contract only before", replies{okReply(record)}, replies{okReply(recordWith("999Z",
			"99Z")),
			okReply(record)},
			stats.Drift, "what differed did not when it was read again", ledger.Fail, nineCall,
			"v6 2.1/CreatedOn: not in its form at /CreatedOn"),
	)

	It("reports a breach once, however often it was seen", func() {
		wrong := okReply(recordWith("999Z", "99Z"))
		l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(wrong), outcome: stats.Different,
			verdict: ledger.Fail,
			asked:   fiveCall,
			found:   []string{"v6 2.1/CreatedOn: not in its form at /CreatedOn", ofValues + "value at /CreatedOn"}}
		expectLooks(l.of(enrolled))
	})

	It("finds drift if somebody was enrolled in between", func() {
		l := resultCase{v5: replies{statusReply(404), okReply(record)}, v6: alwaysReply(okReply(record)),
			outcome: stats.Drift,
			reason:  "what differed did not when it was read again", verdict: ledger.Pass, asked: nineCall}
		breach := l
		breach.verdict, breach.found = ledger.Fail, []string{"v5 4/getUserAuth/served: status at"}
		expectLooks(l.of(unmarked), breach.of(enrolled))
	})

	It("finds them not comparable if nothing stands still in both", func() {
		flips := resultCase{v5: replies{okReply(record), statusReply(404)}, v6: replies{statusReply(404),
			okReply(record)},
			outcome: stats.NotComparable, verdict: ledger.Inconclusive, asked: fiveCall,
			reason: "J15: nothing is left to compare, volatile is the whole answer",
			found:  []string{"v5=v6 : not-comparable at"}}
		list := func(i int) reply { return okReply(`["7c9e6679-7425-40de-944b-00000000000` + strconv.Itoa(i) + `"]`) }
		answersInTurn := flips
		answersInTurn.op, answersInTurn.v5, answersInTurn.v6 = schemas.FindByUserIDs,
			replies{list(0), list(1), list(2)}, replies{list(3), list(4)}
		answersInTurn.reason = "J15: nothing is left to compare, volatile is /*"
		expectLooks(flips.of(unmarked), answersInTurn.of(unmarked), answersInTurn.of(enrolled))
	})

	It("finds a member that comes and goes, also if only shapes are compared", func() {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: answersInTurn(5,
			okReply(recordWith(`,"Description":"desk"`,
				"")), okReply(record)),
			outcome: stats.Different, verdict: ledger.Fail, asked: nineCall, found: []string{unstable}}
		shape := l
		shape.changes, shape.found = []change{onlyShape()},
			[]string{ofShape + "volatile in one version at /Description"}
		expectLooks(l.of(unmarked), shape.of(unmarked))
	})

	It("finds identifiers volatile that come and go in both", func() {
		list := func(i int) reply {
			return okReply(`["0f8fad5b-d9cb-469f-a165-70867728950e","7c9e6679-7425-40de-944b-00000000000` + strconv.Itoa(i) +
				`"]`)
		}
		l := resultCase{op: schemas.FindByUserIDs, v5: replies{list(0), list(1), list(2)},
			v6: replies{list(3), list(4)}, outcome: stats.EqualUnderRule, verdict: ledger.Pass, asked: fiveCall}
		l.reason = "J15: volatile /*"
		expectLooks(l.of(unmarked))
	})
})
