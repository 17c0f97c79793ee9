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

// counting gives records that are others at each call, from a number on.
func counting(from int) replies {
	var all replies
	for i := range 8 {
		all = append(all, described(strconv.Itoa(from+i)))
	}
	return all
}

// locked are the same records, locked.
func locked(list replies) replies {
	var all replies
	for _, r := range list {
		all = append(all, ok(strings.Replace(r.body, "false", "true", 1)))
	}
	return all
}

func described(text string) reply { return ok(with("desk", text)) }

var _ = Describe("Repeated requests", func() {
	DescribeTable("are sent as v5 v6 v5", func(v5, v6 replies, outcome stats.Outcome, reason string,
		verdict ledger.Verdict, asked string, found ...string) {
		l := resultCase{v5: v5, v6: v6, outcome: outcome, reason: reason, found: found, verdict: verdict, asked: asked}
		expectLooks(l.of(unmarked), l.of(enrolled))
	},
		Entry("and has drifted where it was edited in between", replies{described("a"), described("b")},
			always(described("b")), stats.Drift, "what differed did not when it was read again", ledger.Pass, nineCall),
		Entry("and is volatile where it changes in both", counting(0), counting(100), stats.EqualUnderRule,
			"J15: volatile /Description", ledger.Pass, fiveCall),
		Entry("and more often where it changes in v6 alone, at each call", always(ok(record)), counting(0),
			stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it changes in v5 alone, at each call", counting(0), always(ok(record)),
			stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it comes and goes in v6 alone", always(ok(record)),
			answersInTurn(5, described("a"), ok(record)), stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it comes and goes in v5 alone", answersInTurn(5, ok(record), described("a")),
			always(described("a")), stats.Different, "", ledger.Fail, nineCall, unstable),
		Entry("and more often where it changed once in v5 alone, and then differs",
			replies{described("a"), described("b")}, always(described("c")), stats.Different, "", ledger.Fail,
			nineCall, ofValues+"value at /Description"),
		Entry("and differs beside what is volatile", counting(0), locked(counting(100)), stats.Different,
			"", ledger.Fail, fiveCall, ofValues+"value at /IsLocked"),
		Entry("and differs beside what changes in one alone", counting(0), locked(replies{ok(record)}), stats.Different,
			"", ledger.Fail, nineCall, ofValues+"value at /IsLocked", unstable),
		Entry("and broke the contract only then", replies{described("a"), ok("{"), described("a")},
			always(described("b")), stats.Different, "", ledger.Fail, nineCall, "v5 4/getUserAuth/served: syntax at",
			ofValues+"value at /Description"),
		Entry("and broke the contract only before", replies{ok(record)}, replies{ok(with("999Z", "99Z")), ok(record)},
			stats.Drift, "what differed did not when it was read again", ledger.Fail, nineCall,
			"v6 2.1/CreatedOn: not in its form at /CreatedOn"),
	)

	It("report a breach once, however often it was seen", func() {
		wrong := ok(with("999Z", "99Z"))
		l := resultCase{v5: always(ok(record)), v6: always(wrong), outcome: stats.Different, verdict: ledger.Fail,
			asked: fiveCall,
			found: []string{"v6 2.1/CreatedOn: not in its form at /CreatedOn", ofValues + "value at /CreatedOn"}}
		expectLooks(l.of(enrolled))
	})

	It("has drifted where somebody was enrolled in between", func() {
		l := resultCase{v5: replies{status(404), ok(record)}, v6: always(ok(record)), outcome: stats.Drift,
			reason: "what differed did not when it was read again", verdict: ledger.Pass, asked: nineCall}
		breach := l
		breach.verdict, breach.found = ledger.Fail, []string{"v5 4/getUserAuth/served: status at"}
		expectLooks(l.of(unmarked), breach.of(enrolled))
	})

	It("can't be compared where nothing stands still in both", func() {
		flips := resultCase{v5: replies{ok(record), status(404)}, v6: replies{status(404), ok(record)},
			outcome: stats.NotComparable, verdict: ledger.Inconclusive, asked: fiveCall,
			reason: "J15: nothing is left to compare, volatile is the whole answer",
			found:  []string{"v5=v6 : not-comparable at"}}
		list := func(i int) reply { return ok(`["7c9e6679-7425-40de-944b-00000000000` + strconv.Itoa(i) + `"]`) }
		answersInTurn := flips
		answersInTurn.op, answersInTurn.v5, answersInTurn.v6 = schemas.FindByUserIDs,
			replies{list(0), list(1), list(2)}, replies{list(3), list(4)}
		answersInTurn.reason = "J15: nothing is left to compare, volatile is /*"
		expectLooks(flips.of(unmarked), answersInTurn.of(unmarked), answersInTurn.of(enrolled))
	})

	It("is a member that comes and goes, where only shapes are compared too", func() {
		l := resultCase{v5: always(ok(record)), v6: answersInTurn(5, ok(with(`,"Description":"desk"`, "")), ok(record)),
			outcome: stats.Different, verdict: ledger.Fail, asked: nineCall, found: []string{unstable}}
		shape := l
		shape.changes, shape.found = []change{onlyShape()},
			[]string{ofShape + "volatile in one version at /Description"}
		expectLooks(l.of(unmarked), shape.of(unmarked))
	})

	It("is volatile where identifiers come and go in both", func() {
		list := func(i int) reply {
			return ok(`["0f8fad5b-d9cb-469f-a165-70867728950e","7c9e6679-7425-40de-944b-00000000000` + strconv.Itoa(i) +
				`"]`)
		}
		l := resultCase{op: schemas.FindByUserIDs, v5: replies{list(0), list(1), list(2)},
			v6: replies{list(3), list(4)}, outcome: stats.EqualUnderRule, verdict: ledger.Pass, asked: fiveCall}
		l.reason = "J15: volatile /*"
		expectLooks(l.of(unmarked))
	})
})
