package sweep_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// sayNothing lets v5 and v6 answer the users from a number on in two ways that there is nothing.
func sayNothing(from int, v5, v6 func(http.ResponseWriter)) answering {
	return func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
		if user < from {
			return false
		}
		if strings.Contains(r.URL.Path, "/v5/") {
			v5(w)
		} else {
			v6(w)
		}
		return true
	}
}

// withWrongIDs lets getUserAuth know only the users up to a number: for the others the users file has an id of another
// user. findByUserIds is asked by UserId alone.
func withWrongIDs(from int) answering {
	return func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
		isWrong := user >= from && strings.HasSuffix(r.URL.Path, "/getUserAuth")
		if isWrong {
			w.WriteHeader(http.StatusNotFound)
		}
		return isWrong
	}
}

func withBody(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) } // a client that went away has no use for it
}

func withStatus(status int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(status) }
}

func withMinServed(text string) change {
	return func(s *settings.Settings, _ *sweep.Options) { s.MinServed = text }
}

// silentOnce answers nothing to the first request for an operation of a user.
func silentOnce(operation string, user int) answering {
	var asked atomic.Bool
	return func(_ http.ResponseWriter, r *http.Request, u int, _ int64) bool {
		silent := u == user && strings.HasSuffix(r.URL.Path, "/"+operation) && asked.CompareAndSwap(false, true)
		if silent {
			holdBack(r)
		}
		return silent
	}
}

var _ = DescribeTable("A sweep explains an answer of another form once, in the words of a run, and covers nobody by it",
	func(body, text string) {
		inV6 := func(w http.ResponseWriter, r *http.Request, _ int, _ int64) bool {
			is := strings.HasSuffix(r.URL.Path, "/v6/authenticator/getUserAuth")
			if is {
				withBody(body)(w)
			}
			return is
		}
		document := carryOut(newSweep(serveExcept(validFor(10), inV6).URL, inventedUsers(10))).Document()
		items := testkit.ItemsOf(document, "findings")
		Expect(items).To(HaveLen(1))
		Expect(items[0].Name).To(Equal("4/getUserAuth/served v6, getUserAuth"))
		Expect(items[0].Text).To(Equal(text))
		Expect(items[0].Lines).To(Equal([]string{"so v5 and v6 differ there: 9.3/getUserAuth/shape, 10 users"}))
	},
	Entry("of one object about a list",
		`{"$id":"1","$values":[{"Id":"8f95f1b9-4f80-5f6c-bd49-d773b289bbc8","Flags":1}]}`,
		`10 users, got {"$id":"1","$values":[{"Flags":1,"Id":"8f95f1b9-4f80-5f6c-bd… (79 characters in all), `+
			`expected a record or an array of records`),
	Entry("that can't be read", "\ufeff[]",
		"10 users, got a byte order mark before the JSON (RFC 8259, section 8.1), expected exactly one JSON text"),
	Entry("in an array", `[7]`, "10 users, at /*: got 7, expected a record"),
)

var _ = Describe("The users whom a sweep's target served", func() {
	It("cover only those who were served in every version", func() {
		out := carryOut(newSweep(serveExcept(validFor(10),
			func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
				refuses := user >= 6 && strings.Contains(r.URL.Path, "/v6/")
				if refuses {
					withBody(`{"$values":[]}`)(w)
				}
				return refuses
			}).URL, inventedUsers(10)))
		Expect(out.Proves).To(Equal("it covers 6 of the 10 users of the population; 4 were served in part only, not " +
			"by each operation in both versions"))
	})

	DescribeTable("are counted by operation: as many are covered as the one served that served the fewest",
		func(minServed string, verdict ledger.Verdict, hint string) {
			target := serveExcept(validFor(400), withWrongIDs(3))
			out := carryOut(newSweep(target.URL, inventedUsers(400), withMinServed(minServed)))
			Expect(out.Verdict).To(Equal(verdict), out.Reason)
			Expect(out.Reason).To(ContainSubstring(hint))
			Expect(out.Proves).To(Equal("it covers 3 of the 400 users of the population; 397 were served in part " +
				"only, not by each operation in both versions"))
			Expect(out.Tally.Served).To(Equal(map[schemas.Version]int64{schemas.V5: 3, schemas.V6: 3}))
			Expect(out.Tally.ServedBy[schemas.FindByUserIDs]).To(
				Equal(map[schemas.Version]int64{schemas.V5: 400, schemas.V6: 400}))
			Expect(testkit.DocumentLines(out.Document())).To(ContainSubstring("users served: 3 of 400 users in v5, " +
				"3 in v6 (getUserAuth 3 in v5, 3 in v6; findByUserIds 400 in v5, 400 in v6)"))
		},
		Entry("by default", "50%", ledger.Inconclusive, "; --min-served 0.7% would hold"),
		Entry("if all should be", "100%", ledger.Inconclusive, "; --min-served 0.7% would hold"),
		Entry("with a number", "4", ledger.Inconclusive, "; --min-served 3 would hold"),
		Entry("with the share that holds", "0.7%", ledger.Pass, "all alike"),
	)

	DescribeTable("are counted apart from those for whom both versions say that there is nothing, in any two ways",
		func(v5, v6 func(http.ResponseWriter), ways, answers string) {
			out := carryOut(newSweep(serveExcept(validFor(10), sayNothing(8, v5, v6)).URL, inventedUsers(10),
				withMinServed("80%")))
			Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
			Expect(out.findings).To(BeEmpty())
			for _, op := range schemas.Operations() {
				Expect(out.Tally.Outcomes[op][stats.NothingAlike].Count).To(BeEquivalentTo(2))
				Expect(out.Tally.DivergencesOf(op)).To(Equal([]stats.Reason{{Why: ways, Count: 2}}))
			}
			Expect(out.Tally.Served).To(Equal(map[schemas.Version]int64{schemas.V5: 8, schemas.V6: 8}))
			Expect(out.Proves).To(Equal("it covers 8 of the 10 users of the population; 2 were not served in either " +
				"version: " + answers))
			lines := testkit.DocumentLines(out.Document())
			Expect(lines).To(ContainSubstring("users served: 8 of 10 users in v5, 8 in v6"))
			Expect(lines).To(ContainSubstring(strings.ReplaceAll(ways, `"`, `\"`) + ": 2 users"))
		},
		Entry("null and no body", withBody("null"), withStatus(204), "v5 null; v6 an empty body",
			"an empty body (2), null (2)"),
		Entry("an empty list and 404", withBody("[]"), withStatus(404), "v5 []; v6 status 404",
			"[] (2), status 404 (2)"),
		Entry("an object and 404", withBody(`{"Code":"NotFound","Details":[]}`), withStatus(404),
			"v5 an object without a record; v6 status 404", "an object without a record (2), status 404 (2)"),
		Entry("a text and an empty list", withBody(`"no `+strings.Repeat("x", 60)+`"`), withBody("[]"),
			`v5 "no `+strings.Repeat("x", 56)+`… (65 characters in all); v6 []`,
			`"no `+strings.Repeat("x", 56)+`… (65 characters in all) (2), [] (2)`),
		Entry("410 and 422", withStatus(410), withStatus(422), "v5 status 410; v6 status 422",
			"status 410 (2), status 422 (2)"),
	)

	It("are not named by what a target says of the others, if values are hidden", func(ctx SpecContext) {
		target := serveExcept(validFor(10), sayNothing(8, withBody(`"nobody is user-8"`), withStatus(404)))
		plain := newSweep(target.URL, inventedUsers(10))
		plain.Settings.Values = settings.ValuesHide
		w := sweep.New(plain.Settings, testkit.Suite(), plain.Options,
			sweep.Input{Out: sanitize.New(plain.Settings, testkit.Contract(), report.Name)})
		Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
		s := w.Summary(time.Now(), nil)
		Expect(s.Tally.DivergencesOf(schemas.GetUserAuth)).To(Equal([]stats.Reason{
			{Why: "v5 string, 16 characters; v6 status 404", Count: 2}}))
		var text strings.Builder
		Expect(stats.Write(&text, s)).To(Succeed())
		Expect(text.String()).NotTo(ContainSubstring("nobody is"))
	})

	It("are too few if a version served fewer than the least share, also if resumed", func(ctx SpecContext) {
		target := serveExcept(validFor(10), sayNothing(4, withStatus(404), withStatus(404)))
		w := newSweep(target.URL, inventedUsers(10), withMinServed("41%"))
		target.stopAfter(ctx, w, 24)
		w = newSweep(target.URL, nil, resumeSweep(w), withMinServed("41%"))
		out := carryOut(w)
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
		Expect(out.Reason).To(Equal("too few users were served: 4 of 10 users in v5, 4 in v6; --min-served is 41%; " +
			"check the users file: user ids without their leading zeros, users without authenticators who are not " +
			"marked enrolled: false, or users of another installation (--users); --min-served 40% would hold"))
		asked := target.requests.Load()
		out = carryOut(newSweep(target.URL, nil, resumeSweep(w), withMinServed("40%")))
		Expect(out.Verdict).To(Equal(ledger.Pass), "with another value nobody is asked again")
		Expect(target.requests.Load()).To(BeEquivalentTo(asked))
	})

	It("need not be those who are marked as not enrolled", func() {
		people, no := inventedUsers(10), false
		for i := 4; i < 10; i++ {
			people[i].Enrolled = &no
		}
		target := serveExcept(validFor(10), sayNothing(4, withStatus(404), withStatus(404)))
		out := carryOut(newSweep(target.URL, people, withMinServed("100%")))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Proves).To(Equal("it covers 4 of the 10 users of the population; 6 are marked enrolled: false"))
	})

	It("need not be served by both operations who are marked as not enrolled: others may have identifiers", func() {
		people, no := inventedUsers(10), false
		for i := 4; i < 10; i++ {
			people[i].Enrolled = &no
		}
		out := carryOut(newSweep(serveExcept(validFor(10), withWrongIDs(4)).URL, people, withMinServed("100%")))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Proves).To(Equal("it covers 4 of the 10 users of the population; 6 are marked enrolled: false"))
		Expect(out.Tally.ServedBy[schemas.FindByUserIDs][schemas.V6]).To(BeEquivalentTo(10))
	})

	It("are a number for the whole population only: a shard has no part of it", func() {
		target := testkit.Serve(validFor(10))
		out := carryOut(newSweep(target, inventedUsers(10), withMinServed("10"),
			func(_ *settings.Settings, o *sweep.Options) { o.Shard = stats.Shard{Index: 1, Of: 2} }))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(carryOut(newSweep(target, inventedUsers(10), withMinServed("11"))).Verdict).To(
			Equal(ledger.Inconclusive))
	})
})

var _ = Describe("A user for whom one operation got no answer", func() {
	It("is asked again for this one only, at the end of the block", func() {
		out := carryOut(newSweep(serveExcept(validFor(5), silentOnce("findByUserIds", 2)).URL, inventedUsers(5),
			withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Requests).To(BeEquivalentTo(4*5 + 1))
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(1))
		Expect(out.Tally.Users).To(BeEquivalentTo(5))
		Expect(out.Tally.Served).To(HaveKeyWithValue(schemas.V6, BeEquivalentTo(5)))
	})

	It("leaves no mark for other users: the first one of all may be asked again", func() {
		out := carryOut(newSweep(serveExcept(validFor(5), silentOnce("getUserAuth", 0)).URL, inventedUsers(5),
			withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
	})
})
