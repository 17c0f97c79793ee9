package sweep_test

import (
	"maps"
	"net/http"
	"slices"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

// nothing is an answer that can mean that the user has nothing.
type nothing struct {
	name        string
	answer      reply
	kindOfEmpty string // in which it is said; two of the same way say the same
	served      bool   // J1 takes it for an answer
	kind        string // of the finding, where the user is marked enrolled: true; "" where there is none
}

func emptyAnswers() []nothing {
	const refused, shapeless, noText = "status", "shape", "empty"
	return []nothing{
		{"404", statusReply(http.StatusNotFound), "status 404", false, refused},
		{"410", statusReply(http.StatusGone), "status 410", false, refused},
		{"400", statusReply(http.StatusBadRequest), "status 400", false, refused},
		{"422", statusReply(http.StatusUnprocessableEntity), "status 422", false, refused},
		{"204", statusReply(http.StatusNoContent), "an empty body", false, noText},
		{"an empty body", okReply(""), "an empty body", false, noText},
		{"null", okReply("null"), "null", false, shapeless},
		{"null and white space", okReply(" null\r\n"), "null", false, shapeless},
		{"an empty object", okReply("{}"), "{}", false, shapeless},
		{"an empty string", okReply(`""`), `""`, false, shapeless},
		{"an empty array", okReply("[]"), "[]", true, ""},
	}
}

var _ = Describe("If both versions answer that a user has no data", func() {
	for _, op := range schemas.Operations() {
		It("in the same way, they are alike, for "+string(op), func() {
			var results []resultCase
			for _, n := range emptyAnswers() {
				both := resultCase{op: op, v5: alwaysReply(n.answer), v6: alwaysReply(n.answer),
					outcome: stats.NothingAlike,
					verdict: ledger.Pass}
				results = append(results, both.of(unmarked), both.of(unenrolled))
				// Whoever says that a user is enrolled wants to hear that nothing came.
				both.outcome, both.verdict = stats.BothViolate, ledger.Fail
				both.found = []string{"v5 4/" + string(op) + "/served: " + n.kind + " at",
					"v6 4/" + string(op) + "/served: " + n.kind + " at"}
				if n.kind == "" {
					both.outcome, both.verdict, both.found = stats.Equal, ledger.Pass, nil
				}
				results = append(results, both.of(enrolled))
			}
			expectLooks(results...)
		})
	}

	It("in any two ways, they are alike only if the ways are", func() {
		var results []resultCase
		// Each is held against its neighbour and one further on, so that each pair of ways in which J1 differs is met.
		all := emptyAnswers()
		for i, left := range all {
			for _, right := range []nothing{all[(i+1)%len(all)], all[(i+5)%len(all)]} {
				l := resultCase{v5: alwaysReply(left.answer), v6: alwaysReply(right.answer)}
				same, either := l, l
				same.outcome, same.verdict = stats.NothingAlike, ledger.Pass
				either.outcome, either.verdict, either.reason = stats.EqualUnderRule, ledger.Pass,
					"J1: how a user who is marked enrolled: false is answered is open (§4.3)"
				switch {
				case left.kindOfEmpty == right.kindOfEmpty:
					results = append(results, same.of(unmarked), same.of(unenrolled))
					continue
				case left.served != right.served:
					l.outcome, l.verdict, l.asked = stats.Different, ledger.Fail, "v5 v6 v5 v6 v5"
					l.found = []string{"v5=v6 9.3/getUserAuth/shape: served against refused at"}
				default:
					l.outcome, l.verdict = stats.NotComparable, ledger.Inconclusive
					l.reason = "both say that there is nothing, in different ways: v5 " + left.kindOfEmpty + "; v6 " +
						right.kindOfEmpty
					l.found = []string{"v5=v6 : not-comparable at"}
				}
				results = append(results, l.of(unmarked), either.of(unenrolled))
			}
		}
		expectLooks(results...)
	})
})

// nonEmptyAnswers are answers by which nobody says that a user has nothing, with the kind and the place of what they
// break.
func nonEmptyAnswers() map[string]struct {
	answer reply
	breaks string
} {
	type broken = struct {
		answer reply
		breaks string
	}
	return map[string]broken{
		"401":              {statusReply(http.StatusUnauthorized), "status at"},
		"403":              {statusReply(http.StatusForbidden, `{"title":"no"}`), "status at"},
		"500":              {statusReply(http.StatusInternalServerError), "status at"},
		"304":              {statusReply(http.StatusNotModified), "status at"},
		"a redirect":       {reply{status: http.StatusFound, header: "Location: /login"}, "status at"},
		"a page":           {okReply("<html>log in</html>"), "syntax at"},
		"false":            {okReply("false"), "shape at"},
		"an error":         {okReply(`{"error":"no"}`), "shape at"},
		"null twice":       {okReply("null null"), "trailing at"},
		"an array of null": {okReply("[null]"), "shape at /0"},
	}
}

var _ = Describe("If an answer is neither a record nor says that there is none", func() {
	all := nonEmptyAnswers()
	names := slices.Sorted(maps.Keys(all))

	// cases makes looks of each such answer.
	cases := func(of func(answer reply, breaks string) []resultCase) []resultCase {
		var results []resultCase
		for _, name := range names {
			results = append(results, of(all[name].answer, all[name].breaks)...)
		}
		return results
	}

	It("in both versions, the sweep is not green unless the user is marked as not enrolled", func() {
		expectLooks(cases(func(answer reply, breaks string) []resultCase {
			both := resultCase{v5: alwaysReply(answer), v6: alwaysReply(answer), outcome: stats.BothViolate,
				verdict: ledger.Fail}
			both.found = []string{"v5 4/getUserAuth/served: " + breaks, "v6 4/getUserAuth/served: " + breaks}
			// A user who is marked so has nothing to answer (J1): what comes is open.
			open := resultCase{v5: both.v5, v6: both.v6, outcome: stats.NothingAlike, verdict: ledger.Pass}
			return []resultCase{both.of(unmarked), both.of(enrolled), open.of(unenrolled)}
		})...)
	})

	It("in v5, and v6 says that there is nothing, v5 broke the contract and nothing is called a difference", func() {
		expectLooks(cases(func(answer reply, breaks string) []resultCase {
			l := resultCase{v5: alwaysReply(answer), v6: alwaysReply(statusReply(http.StatusNotFound)),
				outcome: stats.NotComparable,
				verdict: ledger.Fail, reason: "one version breaks the contract, the other says that there is nothing"}
			l.found = []string{"v5 4/getUserAuth/served: " + breaks, "v5=v6 : not-comparable at"}
			return []resultCase{l.of(unmarked)}
		})...)
	})

	It("in v6, and v5 serves, they differ and v6 broke the contract", func() {
		expectLooks(cases(func(answer reply, breaks string) []resultCase {
			l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(answer), outcome: stats.Different,
				verdict: ledger.Fail, asked: "v5 v6 v5 v6 v5", found: []string{"v6 4/getUserAuth/served: " + breaks,
					"v5=v6 9.3/getUserAuth/shape: served against refused at"}}
			return []resultCase{l.of(unmarked), l.of(enrolled)}
		})...)
	})

	It("as with 503 without Retry-After, both broke the contract", func() {
		s := statusReply(http.StatusServiceUnavailable)
		l := resultCase{v5: alwaysReply(s), v6: alwaysReply(s), outcome: stats.BothViolate, verdict: ledger.Fail}
		l.found = []string{"v5 4/getUserAuth/served: status at", "v6 4/getUserAuth/served: status at"}
		expectLooks(l.of(unmarked))
	})
})

var _ = Describe("If one version answers that a user has no data, they differ from the other that serves", func() {
	It("a record or identifiers", func() {
		var results []resultCase
		for _, n := range emptyAnswers() {
			if n.served {
				continue
			}
			l := resultCase{v5: alwaysReply(n.answer), v6: alwaysReply(okReply(record)), outcome: stats.Different,
				verdict: ledger.Fail, asked: "v5 v6 v5 v6 v5"}
			l.found = []string{"v5=v6 9.3/getUserAuth/shape: served against refused at"}
			back := l
			back.v5, back.v6 = l.v6, l.v5
			back.found = append(back.found, "v6 4/getUserAuth/served: "+n.kind+" at")
			list := l
			list.op, list.v6, list.found = schemas.FindByUserIDs, alwaysReply(okReply(identifiers)),
				[]string{"v5=v6 9.3/findByUserIds/shape: served against refused at"}
			results = append(results, l.of(unmarked), back.of(enrolled), list.of(unmarked))
		}
		expectLooks(results...)
	})

	DescribeTable("by an empty array", func(op schemas.Operation, other string, found ...string) {
		l := resultCase{op: op, v5: alwaysReply(okReply("[]")), v6: alwaysReply(okReply(other)),
			outcome: stats.Different,
			found:   found,
			verdict: ledger.Fail, asked: "v5 v6 v5 v6 v5"}
		expectLooks(l.of(unmarked), l.of(enrolled))
	},
		Entry("and a record", schemas.GetUserAuth, record, "v5=v6 9.3/getUserAuth/shape: type at"),
		Entry("and a list of one", schemas.GetUserAuth, "["+record+"]",
			"v5=v6 9.3/getUserAuth/values: element added at /0"),
		Entry("and identifiers", schemas.FindByUserIDs, identifiers,
			"v5=v6 9.3/findByUserIds/values: element added at /0",
			"v5=v6 9.3/findByUserIds/values: element added at /1"),
		Entry("and a record of two fields, which may be a refusal as well", schemas.GetUserAuth,
			`{"Id":null,"UserId":"subject"}`, "v5=v6 9.3/getUserAuth/shape: type at"),
	)
})
