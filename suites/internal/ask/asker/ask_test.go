package asker_test

import (
	"context"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// throttling answers the first requests with a status and a Retry-After ("" for none), and later ones with 200.
func throttling(status int, retryAfter string, first int) *script {
	return &script{answer: func(h http.Header, r request) int {
		if r.number > first {
			return 200
		}
		if retryAfter != "" {
			h.Set("Retry-After", retryAfter)
		}
		return status
	}}
}

var (
	e1       = wellFormed("e1", "alice")
	withNull = mutated("e1", exchange.Null, "Id")
)

var _ = Describe("A request that is throttled (J19)", func() {
	DescribeTable("is sent again once it may be", func(ctx SpecContext, p exchange.Probe, s *script, status int,
		waited string, counts exchange.Counts) {
		a := newAsker(s)
		ex := testkit.Must(a.Ask(ctx, p))
		Expect(ex.Status).To(Equal(status))
		Expect(s.clock.waited()).To(Equal(waited))
		Expect(a.Counts()).To(Equal(counts))
	},
		Entry("after Retry-After", e1, throttling(429, "7", 2), 200, "7s 7s",
			exchange.Counts{Requests: 3, Throttled: 2}),
		Entry("after 100 ms at least", e1, throttling(429, "0", 1), 200, "100ms",
			exchange.Counts{Requests: 2, Throttled: 1}),
		Entry("after a second without Retry-After, doubling", e1, throttling(429, "", 3), 200, "1s 2s 4s",
			exchange.Counts{Requests: 4, Throttled: 3}),
		Entry("three times if nothing else was answered from the start", e1, throttling(429, "", math.MaxInt), 429,
			"1s 2s 4s", exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("three times if it should be refused: that is its refusal", withNull, throttling(429, "5", math.MaxInt),
			429, "5s 5s 5s", exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("three times if it should be refused, without Retry-After, too", withNull,
			throttling(503, "", math.MaxInt), 503, "1s 1s 1s", exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("three times if it should be refused, and the fourth answer is another one", withNull,
			throttling(429, "0", 3), 200, "100ms 100ms 100ms", exchange.Counts{Requests: 4, Throttled: 3}),
	)

	It("is sent again after a first wait that was set, and with spaces of that scale", func(ctx SpecContext) {
		s := throttling(429, "", 4)
		a := newAsker(s, func(o *asker.Options) { o.FirstWait = 2 * time.Second })
		Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(429))
		Expect(s.clock.waited()).To(Equal("2s 4s 8s"))
		Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(200))
		Expect(s.clock.waited()).To(Equal("2s 4s 8s 100ms"))
	})

	It("is sent again if its body broke off", func(ctx SpecContext) {
		s := &script{answer: func(h http.Header, r request) int {
			if r.number > 3 {
				return 200
			}
			h.Set("Content-Length", "9") // of which none comes
			return 429
		}}
		Expect(testkit.Must(newAsker(s).Ask(ctx, e1)).Status).To(Equal(200))
		Expect(s.clock.waited()).To(Equal("1s 2s 4s"))
	})

	It("is sent again if its answer has data, but is well-formed", func(ctx SpecContext) {
		s := &script{answer: func(h http.Header, r request) int {
			h.Set("With", "data")
			return map[bool]int{true: 429, false: 200}[r.number == 1]
		}}
		Expect(testkit.Must(newAsker(s).Ask(ctx, e1)).Status).To(Equal(200))
		Expect(s.clock.waited()).To(Equal("1s"))
	})

	It("is sent again within the time left", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		Expect(testkit.Must(newAsker(throttling(429, "7", 1)).Ask(bounded, e1)).Status).To(Equal(200))
	})

	It("is sent again three times if it should be refused, also after others that nothing answered",
		func(ctx SpecContext) {
			s := byNumber(429)
			a := newAsker(s)
			testkit.Must(a.Ask(ctx, e1))
			testkit.Must(a.Ask(ctx, withNull))
			Expect(a.Counts().Requests).To(BeEquivalentTo(4 + 4))
		})

	It("is sent again up to six times once something else was answered, however late", func(ctx SpecContext) {
		s := byNumber(429, 429, 429, 429, 429, 200, 503)
		a := newAsker(s)
		for i, requests := range []int{4, 5, 6, 6 + 7} {
			testkit.Must(a.Ask(ctx, e1))
			Expect(a.Counts().Requests).To(BeEquivalentTo(requests), "request %d", i)
		}
	})

	It("is sent again up to six times, of a service that has answered", func(ctx SpecContext) {
		s := byNumber(200, 503)
		a := newAsker(s)
		testkit.Must(a.Ask(ctx, e1))
		Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(503))
		Expect(s.clock.waited()).To(HavePrefix("1s 2s 4s 8s 16s 32s"))
		Expect(a.Counts()).To(Equal(exchange.Counts{Requests: 8, Throttled: 7}))
	})

	It("is not waited for again by the next request if nothing else was answered", func(ctx SpecContext) {
		s := byNumber(429, 429, 429, 429, 429, 200)
		a := newAsker(s)
		for i, status := range []int{429, 429, 200} {
			Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(status))
			Expect(a.Counts().Requests).To(BeEquivalentTo(4 + i))
		}
	})

	It("makes every third answer double the space, if it is well-formed", func(ctx SpecContext) {
		for p, space := range map[exchange.Probe]string{e1: " 50ms", withNull: ""} {
			s := throttling(429, "1", 3)
			a := newAsker(s)
			testkit.Must(a.Ask(ctx, p))
			testkit.Must(a.Ask(ctx, p))
			Expect(s.clock.waited()).To(Equal("1s 1s 1s" + space))
		}
	})

	It("is final if its answer has data although it should be refused (J13)", func(ctx SpecContext) {
		s := &script{answer: func(h http.Header, _ request) int { h.Set("With", "data"); return 429 }}
		a := newAsker(s)
		Expect(testkit.Must(a.Ask(ctx, withNull)).Status).To(Equal(429))
		Expect(a.Counts().Requests).To(BeEquivalentTo(1))
		Expect(s.clock.waited()).To(BeEmpty())
	})

	It("is an error at once if the wait is longer than the time left, and a refusal if it should be refused",
		func(ctx SpecContext) {
			bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			s := throttling(429, "3600", math.MaxInt)
			a := newAsker(s)
			_, err := a.Ask(bounded, e1)
			Expect(err).To(MatchError(client.ErrDeadline))
			Expect(err).To(MatchError(MatchRegexp("^e1 to http://.*/getUserAuth got 429 Too Many Requests: " +
				"Retry-After: 3600, and the wait of 1h0m0s is longer than the time left: the deadline .* " +
				"raise it, or " +
				"send less")))
			Expect(testkit.Must(a.Ask(bounded, withNull)).Status).To(Equal(429))
			Expect(s.clock.waited()).To(BeEmpty())
		})

	DescribeTable("is waited for by a sweep for three minutes at most",
		func(ctx SpecContext, retryAfter, waited string) {
			s := throttling(429, retryAfter, math.MaxInt)
			a := newAsker(s, func(o *asker.Options) { o.Patient = true })
			Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(429))
			Expect(s.clock.waited()).To(Equal(waited))
		},
		Entry("less than three", "50", "50s 50s 50s"), Entry("three", "60", "1m0s 1m0s 1m0s"),
	)

	It("is neither sent nor observed if it may be sent only after the deadline", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		s := byNumber(200)
		a := newAsker(s)
		a.Pause(time.Hour)
		_, err := a.Ask(bounded, e1)
		Expect(err).To(MatchError(client.ErrDeadline))
		_, err = a.Observe(bounded, e1)
		Expect(err).To(MatchError(client.ErrDeadline))
		Expect(s.sent()).To(BeEmpty())
	})
})

var _ = Describe("A service that starts (J19)", func() {
	// A time-out is 10 s.
	DescribeTable("is waited for up to three time-outs", func(ctx SpecContext, s *script, status int, waited string,
		counts exchange.Counts) {
		a := newAsker(s)
		Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(status))
		Expect(s.clock.waited()).To(Equal(waited))
		Expect(a.Counts()).To(Equal(counts))
	},
		Entry("502 and 504 by a gateway", byNumber(502, 504, 200), 200, "1s 2s",
			exchange.Counts{Requests: 3, Repeated: 2}),
		Entry("503", byNumber(503, 503, 503, 503, 200), 200, "1s 2s 4s 8s",
			exchange.Counts{Requests: 5, Repeated: 4}),
		Entry("503 with Retry-After", throttling(503, "20", 3), 200, "20s 20s 20s",
			exchange.Counts{Requests: 4, Repeated: 2, Throttled: 1}),
		Entry("503 with Retry-After, which then is waited for", throttling(503, "10", 4), 200, "10s 10s 10s 10s",
			exchange.Counts{Requests: 5, Repeated: 3, Throttled: 1}),
		Entry("502 for ever, which then is the answer", byNumber(502), 502, "1s 2s 4s 8s 16s",
			exchange.Counts{Requests: 6, Repeated: 5}),
		Entry("503 for ever, too", byNumber(503), 503, "1s 2s 4s 8s 16s",
			exchange.Counts{Requests: 6, Repeated: 5, Throttled: 1}),
		Entry("but not after 500, which is an answer", byNumber(500, 200), 500, "", exchange.Counts{Requests: 1}),
		Entry("nor after no answer", byNumber(0, 200), 0, "", exchange.Counts{Requests: 1}),
	)

	It("is not waited for once it has answered", func(ctx SpecContext) {
		s := byNumber(500, 502)
		a := newAsker(s)
		testkit.Must(a.Ask(ctx, e1))
		Expect(testkit.Must(a.Ask(ctx, e1)).Status).To(Equal(502))
		Expect(s.clock.waited()).To(BeEmpty())
	})

	DescribeTable("may be late at its first answer", func(ctx SpecContext, late, requests int) {
		var asked atomic.Int64
		hung := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client go
			if asked.Add(1) <= int64(late) {
				<-r.Context().Done()
			}
		})
		s := testkit.Settings(testkit.Serve(hung), nil,
			func(s *settings.Settings) { s.Timeout = 400 * time.Millisecond })
		c := client.New(s, testkit.Contract(), "1", "run", client.Options{})
		DeferCleanup(c.Close)
		a := asker.New(asker.Options{Suite: testkit.Suite(), Settings: s, Client: c})
		ex := testkit.Must(a.Ask(ctx, e1))
		Expect(ex.Answered()).To(Equal(late < requests))
		Expect(a.Counts()).To(Equal(exchange.Counts{Requests: int64(requests), Repeated: int64(requests - 1)}))
		Expect(testkit.Must(a.Ask(ctx, e1)).Answered()).To(Equal(late < requests))
		Expect(asked.Load()).To(BeEquivalentTo(requests+1), "a later one is not waited for")
	},
		Entry("twice", 2, 3, NodeTimeout(limit)), Entry("for ever", math.MaxInt, 3, NodeTimeout(limit)),
	)
})

var _ = Describe("A control that is throttled (J19)", func() {
	control := asker.Of(e1)

	It("is asked again only as one that is refused", func(ctx SpecContext) {
		s := byNumber(200, 503)
		a := newAsker(s)
		testkit.Must(a.Read(ctx, []exchange.Probe{e1}, nil))
		answers, err := a.AskStep(ctx, nil, nil, control, nil)
		Expect(err).To(HaveOccurred())
		Expect(shownControls(answers)).To(Equal("c1 503, c2 503, c3 503, c4 503, c5 503, c6 503, c7 503"))
		Expect(s.clock.waited()).To(HavePrefix("1s 2s 4s"))
		Expect(a.Counts()).To(Equal(exchange.Counts{Requests: 8, Controls: 7, Throttled: 7}))
	})

	It("lets nothing pass before its Retry-After is over", func(ctx SpecContext) {
		s := throttling(429, "20", 1)
		answers := testkit.Must(newAsker(s).AskStep(ctx, nil, nil, control, nil))
		Expect(shownControls(answers)).To(HavePrefix("c1 429, c2 200"))
		Expect(s.clock.waited()).To(Equal("20s"))
	})

	It("is asked again within the time left", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		answers := testkit.Must(newAsker(throttling(429, "7", 1)).AskStep(bounded, nil, nil, control, nil))
		Expect(shownControls(answers)).To(Equal("c1 429, c2 200"))
	})

	It("is asked again also if its answer has data", func(ctx SpecContext) {
		s := &script{answer: func(h http.Header, r request) int {
			h.Set("With", "data")
			return map[bool]int{true: 429, false: 200}[r.number == 1]
		}}
		answers := testkit.Must(newAsker(s).AskStep(ctx, nil, nil, control, nil))
		Expect(shownControls(answers)).To(Equal("c1 429, c2 200"))
	})

	It("has its own id, if it has one", func(ctx SpecContext) {
		named := control
		named.ID = "c77"
		answers := testkit.Must(newAsker(byNumber(200)).AskStep(ctx, nil, nil, named, nil))
		Expect(shownControls(answers)).To(Equal("c77 200"))
	})

	It("is an error if that is longer than the time left", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, err := newAsker(throttling(503, "3600", math.MaxInt)).AskStep(bounded, nil, nil, control, nil)
		Expect(err).To(MatchError(client.ErrDeadline))
		Expect(err).To(MatchError(ContainSubstring("Retry-After: 3600, and the wait of 1h0m0s is longer")))
	})
})
