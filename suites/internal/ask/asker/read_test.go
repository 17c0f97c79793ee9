package asker_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A user who is refused (J23 b)", func() {
	bob := []exchange.Probe{wellFormed("e1", "bob"), wellFormed("e2", "bob")}
	// readBob reads bob after alice was served, and returns the answers that count.
	readBob := func(ctx context.Context, s *script) (*asker.Asker, string) {
		GinkgoHelper()
		a := newAsker(s)
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		return a, shown(testkit.Must(a.Read(ctx, bob, nil)))
	}

	DescribeTable("is asked again once while others are served", func(ctx SpecContext, answers map[string][]int,
		sent, counts string) {
		s := byID(answers)
		a, got := readBob(ctx, s)
		Expect(s.sent()).To(Equal(sent))
		Expect(got).To(Equal(counts))
		Expect(a.Counts().Interruptions).To(BeZero())
		Expect(s.clock.waited()).To(BeEmpty())
	},
		Entry("refused again: that is the answer", map[string][]int{"e1": {404}, "e1.2": {403}},
			"e0 e1 c1 e1.2 e2", "e1.2 403, e2 200"),
		Entry("no answer again", map[string][]int{"e2": {0}, "e2.2": {0}}, "e0 e1 e2 c1 e2.2", "e1 200, e2.2 0"),
		Entry("served: both answers count", map[string][]int{"e1": {500}}, "e0 e1 c1 e1.2 e2",
			"e1 500, e1.2 200, e2 200"),
		Entry("served, as the control was at the second try", map[string][]int{"e1": {500}, "c1": {500}},
			"e0 e1 c1 c2 e1.2 e2", "e1 500, e1.2 200, e2 200"),
		Entry("at the next call in another way, which is asked about, too",
			map[string][]int{"e1": {404}, "e1.2": {404}, "e2": {500}},
			"e0 e1 c1 e1.2 e2 c2 e2.2", "e1.2 404, e2 500, e2.2 200"),
		Entry("at each call: it is asked about once",
			map[string][]int{"e1": {404}, "e1.2": {404}, "e2": {404}, "e2.2": {404}},
			"e0 e1 c1 e1.2 e2", "e1.2 404, e2 404"),
	)

	It("is asked again with all calls once a target that refused everybody serves again", func(ctx SpecContext) {
		s := byID(map[string][]int{"e2": {401, 200}, "c1": {401}, "c2": {401}, "c3": {0}})
		a, counts := readBob(ctx, s)
		Expect(s.sent()).To(Equal("e0 e1 e2 c1 c2 c3 c4 e1 e2"))
		Expect(counts).To(Equal("e1 200, e2 200"))
		Expect(s.clock.waited()).To(Equal("1s 2s 50ms"), "the space doubles with each interruption")
		Expect(a.Counts()).To(Equal(exchange.Counts{Requests: 9, Controls: 4, Interruptions: 1}))
	})

	It("is the cause after three interruptions", func(ctx SpecContext) {
		refused := 0 // controls since the last request of bob
		s := &script{answer: func(_ http.Header, r request) int {
			switch {
			case r.id == "e2":
				refused = 2
				return 0
			case r.control && refused > 0:
				refused--
				return 500
			}
			return 200
		}}
		a, counts := readBob(ctx, s)
		Expect(counts).To(Equal("e1 200, e2 0"))
		Expect(s.sent()).To(Equal("e0 e1 e2 c1 c2 c3 e1 e2 c4 c5 c6 e1 e2 c7 c8 c9 e1 e2 c10 c11 c12"))
		Expect(a.Counts().Interruptions).To(BeEquivalentTo(4))
	})

	It("is believed if the version has served nobody yet", func(ctx SpecContext) {
		s := byNumber(404)
		a := newAsker(s)
		calls := testkit.Must(a.Read(ctx, bob, nil))
		Expect(shown(calls)).To(Equal("e1 404, e2 404"))
		Expect(a.Believe(ctx, calls[0])).To(Equal(asker.Open))
		Expect(s.sent()).To(Equal("e1 e2"))
	})

	It("is believed if the user is marked as not enrolled and the answer says that there is nothing",
		func(ctx SpecContext) {
			s := byID(map[string][]int{"e1": {404}, "e2": {401}})
			a := newAsker(s)
			testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
			var calls []exchange.Probe
			for _, p := range bob {
				p.User.Enrolled = false
				calls = append(calls, p)
			}
			Expect(shown(testkit.Must(a.Read(ctx, calls, nil)))).To(Equal("e1 404, e2 401, e2.2 200"))
			Expect(s.sent()).To(Equal("e0 e1 e2 c1 e2.2"), "401 does not say that")
		})

	It("is no control of others if there is nothing", func(ctx SpecContext) {
		a := newAsker(byNumber(404))
		p := wellFormed("e1", "bob")
		p.User.Enrolled = false
		testkit.Must(a.Read(ctx, []exchange.Probe{p}, nil))
		a.Controls(func(p exchange.Probe, _ time.Time) { Fail("there is one: " + p.User.UserID) })
	})

	It("is settled by the control of the other operation if its own has served nobody", func(ctx SpecContext) {
		s := byID(map[string][]int{"e1": {403}})
		a := newAsker(s)
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		p := wellFormed("e1", "bob")
		p.Operation = schemas.FindByUserIDs
		Expect(shown(testkit.Must(a.Read(ctx, []exchange.Probe{p}, nil)))).To(Equal("e1 403, e1.2 200"))
	})

	It("is settled by the users who were served last, in turn", func(ctx SpecContext) {
		var controls []string
		s := &script{}
		s.answer = func(_ http.Header, r request) int {
			if r.control {
				controls = append(controls, r.user)
				return 500
			}
			return map[bool]int{true: 500, false: 200}[r.id == "e2"]
		}
		a := newAsker(s)
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		_, err := a.Read(ctx, bob, nil)
		Expect(err).To(HaveOccurred())
		Expect(fmt.Sprint(controls)).To(Equal("[bob alice bob alice bob alice bob]"))
	})

	DescribeTable("ends the run if the target stays as it is", func(ctx SpecContext, status, asked int, waited string) {
		s := byNumber(200, 200, status)
		a := newAsker(s)
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		_, err := a.Read(ctx, bob, nil)
		Expect(err).To(MatchError(MatchRegexp("^v5 answered until [0-9:]{8} UTC and "+
			"(refuses everybody|answers nobody) "+
			"since: its control, .* was asked %d times more; the last one, c%[1]d to .*; then run again$", asked)))
		refusal, gone := errors.AsType[*asker.Refusal](err)
		Expect(gone).To(BeTrue())
		Expect(refusal.Last.Status).To(Equal(status))
		Expect(s.clock.waited()).To(Equal(waited))
		Expect(s.client.renewed).To(Equal(asked-2), "the token's file is read after each wait")
	},
		Entry("after all waits", 404, 7, "1s 2s 4s 8s 16s"), Entry("without an answer", 0, 7, "1s 2s 4s 8s 16s"),
		Entry("after five controls, as 401 may lock out", 401, 5, "1s 2s 4s"), Entry("or 403", 403, 5, "1s 2s 4s"),
	)

	It("ends a sweep, too, which waits for about three minutes", func(ctx SpecContext) {
		s := byNumber(200, 404)
		a := newAsker(s, func(o *asker.Options) { o.Patient = true })
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		_, err := a.Read(ctx, bob, nil)
		Expect(err).To(BeAssignableToTypeOf(&asker.Refusal{}))
		Expect(s.clock.waited()).To(Equal("1s 2s 4s 8s 16s 32s 1m0s 1m0s"))
	})

	It("ends the run by its deadline, with what the target does", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeoutCause(ctx, time.Second, client.ErrDeadline)
		defer cancel()
		s := byNumber(200, 500)
		a := newAsker(s, func(o *asker.Options) { o.Clock = nil })
		testkit.Must(a.Read(bounded, []exchange.Probe{wellFormed("e0", "alice")}, nil))
		_, err := a.Read(bounded, bob, nil)
		Expect(err).To(MatchError(client.ErrDeadline))
		Expect(err).To(MatchError(ContainSubstring("refuses everybody since")))
	}, NodeTimeout(limit))

	DescribeTable("ends the run by its deadline, without a word of the target before two controls were refused",
		func(ctx SpecContext, last string, control int) {
			bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			var a *asker.Asker
			a = newAsker(&script{answer: func(_ http.Header, r request) int {
				if r.id == last { // nothing is sent after it
					a.Pause(time.Hour)
				}
				if r.control {
					return control
				}
				return map[bool]int{true: 200, false: 404}[r.id == "e0"]
			}})
			testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "alice")}, nil))
			_, err := a.Read(bounded, bob, nil)
			Expect(err).To(MatchError(client.ErrDeadline))
			Expect(err).NotTo(MatchError(ContainSubstring("refuses everybody")))
		},
		Entry("before the request", "e0", 404), Entry("none", "e1", 404), Entry("one", "c1", 404),
		Entry("one that was served", "c1", 200),
	)

	DescribeTable("shows when the target served last", func(ctx SpecContext, control int, later bool) {
		s := &script{answer: func(_ http.Header, r request) int {
			return map[bool]int{true: control, false: 404}[r.control]
		}}
		a := newAsker(s)
		a.Served(wellFormed("", "alice"), s.clock.Now())
		_, _ = a.Read(ctx, bob[:1], nil)
		a.Controls(func(_ exchange.Probe, at time.Time) { Expect(!at.Equal(newClock().now)).To(Equal(later)) })
	},
		Entry("which is the time of a control", 200, true),
		Entry("which is that of another user, if all controls are refused", 404, false),
	)

	It("is not asked for an answer that came before", func(ctx SpecContext) {
		s := byNumber(200)
		a := newAsker(s)
		given := map[string]*exchange.Exchange{"e1": testkit.Must(a.Ask(ctx, bob[0]))}
		Expect(shown(testkit.Must(a.Read(ctx, bob, given)))).To(Equal("e1 200, e2 200"))
		Expect(s.sent()).To(Equal("e1 e2"))
	})

	It("is asked again also for an answer that came before an interruption", func(ctx SpecContext) {
		s := byID(map[string][]int{"e2": {500, 200}, "c1": {500}, "c2": {500}})
		a := newAsker(s)
		given := map[string]*exchange.Exchange{"e1": testkit.Must(a.Ask(ctx, bob[0]))}
		Expect(shown(testkit.Must(a.Read(ctx, bob, given)))).To(Equal("e1 200, e2 200"))
		Expect(s.sent()).To(Equal("e1 e2 c1 c2 c3 e1 e2"))
	})
})

var _ = It("A request that is sent again after a refusal is marked, in its id and for reports", func() {
	again := e1
	again.ID, again.Again = "e1.2", true
	Expect(asker.Second(e1)).To(Equal(again))
})

var _ = DescribeTable("Of the two answers to a request that was asked about count",
	func(first, second string, count int) {
		answer := func(text string) *exchange.Exchange {
			ex := &exchange.Exchange{Probe: wellFormed("e1", "bob"), Status: 200, Body: []byte(text)}
			ex.Probe.Operation = schemas.FindByUserIDs
			if status, err := strconv.Atoi(text); err == nil {
				ex.Status, ex.Body = status, nil
			}
			return ex
		}
		Expect(asker.Counting(testkit.Suite(), answer(first), answer(second))).To(HaveLen(count))
	},
	EntryDescription("%s, %s: %d"),
	Entry(nil, "404", "403", 1), Entry(nil, "[]", "[]", 1), Entry(nil, "500", "[]", 2), Entry(nil, "[]", "500", 2),
	Entry(nil, "[]", `["fbc1af89-7d69-4938-84f7-18fd250c67f3"]`, 2),
)
