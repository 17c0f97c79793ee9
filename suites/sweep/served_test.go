package sweep_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
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

// findingPlaces lists user, exchange, requirement and version of each finding.
func findingPlaces(findings []stats.Finding) (list []string) {
	for _, f := range findings {
		list = append(list, strings.Join([]string{f.User.UserID, f.Exchange, f.Requirement, string(f.Version)}, " "))
	}
	return list
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
		"10 users, got an object with $id and $values, expected a record or an array of records"),
	Entry("that can't be read", "\ufeff[]",
		"10 users, got a byte order mark before the JSON (RFC 8259, section 8.1), expected exactly one JSON text"),
	Entry("in an array", `[7]`, "10 users, at /*: got the number 7, expected a record"),
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
		Expect(out.Proves).To(Equal("it covers 6 of the 10 users of the population; 4 were served in one version only"))
	})

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
			Expect(lines).To(ContainSubstring(ways + ": 2 users"))
		},
		Entry("null and no body", withBody("null"), withStatus(204), "v5 null; v6 an empty body",
			"an empty body (2), null (2)"),
		Entry("an empty list and 404", withBody("[]"), withStatus(404), "v5 []; v6 status 404",
			"[] (2), status 404 (2)"),
		Entry("410 and 422", withStatus(410), withStatus(422), "v5 status 410; v6 status 422",
			"status 410 (2), status 422 (2)"),
	)

	It("are too few if a version served fewer than the least share, also if resumed", func(ctx SpecContext) {
		target := serveExcept(validFor(10), sayNothing(4, withStatus(404), withStatus(404)))
		w := newSweep(target.URL, inventedUsers(10), withMinServed("41%"))
		target.stopAfter(ctx, w, 24)
		w = newSweep(target.URL, nil, resumeSweep(w), withMinServed("41%"))
		out := carryOut(w)
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
		Expect(out.Reason).To(Equal("too few users were served: 4 of 10 users in v5, 4 in v6; --min-served is 41%; " +
			"check the users file: ids without their leading zeros, users without authenticators who are not marked " +
			"enrolled: false, or users of another installation"))
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
	It("is counted at once for the other one, and asked again for this one only", func() {
		out := carryOut(newSweep(serveExcept(validFor(5), silentOnce("findByUserIds", 2)).URL, inventedUsers(5),
			withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Requests).To(BeEquivalentTo(4*5 + 2))
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(1))
		Expect(out.Tally.Users).To(BeEquivalentTo(5))
		Expect(out.Tally.Served).To(HaveKeyWithValue(schemas.V6, BeEquivalentTo(5)))
	})

	It("keeps what was found in the other one, and is counted once, also if the sweep is stopped in between",
		func(ctx SpecContext) {
			slow, resumed := silentOnce("findByUserIds", 2), false
			ended, cancel := context.WithCancel(ctx)
			answer := func(w http.ResponseWriter, r *http.Request, user int, n int64) bool {
				if user == 4 && !resumed { // it is the last user
					cancel()
					holdBack(r)
					return true
				}
				return slow(w, r, user, n)
			}
			target := serveExcept(wrongForAll(5), answer)
			w := newSweep(target.URL, inventedUsers(5), withShortTimeout)
			Expect(w.Execute(ended)).To(Succeed())
			stopped := w.Summary(time.Now(), nil)
			Expect(stopped.Complete).To(BeFalse())
			Expect(stopped.Tally.Users).To(BeNumerically("<", 5))
			Expect(stopped.Tally.Pending).To(Equal(map[schemas.Operation]int64{schemas.FindByUserIDs: 1}))

			resumed = true
			out := carryOut(newSweep(target.URL, nil, resumeSweep(w), withShortTimeout))
			Expect(out.Complete).To(BeTrue(), out.Reason)
			Expect(out.Tally.Users).To(BeEquivalentTo(5))
			Expect(out.Tally.Pending).To(BeEmpty())
			plain := carryOut(newSweep(testkit.Serve(wrongForAll(5)), inventedUsers(5)))
			Expect(findingPlaces(out.findings)).To(Equal(findingPlaces(plain.findings)))
			Expect(out.Tally.Outcomes).To(Equal(plain.Tally.Outcomes))
			Expect(out.Tally.Violating).To(Equal(plain.Tally.Violating))
			Expect(out.Tally.Served).To(Equal(plain.Tally.Served))
		})

	It("leaves no mark for other users: the first one of all may be asked again", func() {
		out := carryOut(newSweep(serveExcept(validFor(5), silentOnce("getUserAuth", 0)).URL, inventedUsers(5),
			withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
	})
})
