package target_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/target"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// throttleFirst answers the first requests with a status and a Retry-After ("" for none), and later ones with 200.
func throttleFirst(status int, retryAfter string, first int) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, number int) {
		if number > first {
			return
		}
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
	}
}

var _ = DescribeTable("How long an answer asks to wait (J19) is read from",
	func(header, date, wait string) {
		ex := &exchange.Exchange{Status: 429, Header: http.Header{"Date": {date}}}
		if header != "" {
			ex.Header.Set("Retry-After", header)
		}
		got, said := target.RetryAfter(ex)
		Expect(said).To(Equal(wait != "not said"))
		if said {
			Expect(got.String()).To(Equal(wait))
		}
	},
	testkit.Entries("waits"),
	Entry("more seconds than fit", strings.Repeat("9", 40), "", "298261h37m4s"),
)

var _ = Describe("Throttling (J19)", func() {
	It("with a shorter wait does not end an earlier pause", func() {
		soon, later := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
		Expect(target.PausedUntil(soon, later)).To(Equal(later))
		Expect(target.PausedUntil(later, soon)).To(Equal(later))
	})

	DescribeTable("repeats a request until it is served, or three times if it should be refused, and is counted",
		func(ctx SpecContext, p exchange.Probe, answer func(http.ResponseWriter, int), status int,
			counts exchange.Counts) {
			address, asked := startCounting(answer)
			c := clientFor(address)
			c.FirstWait = time.Millisecond
			Expect(sendProbe(ctx, c, p).Status).To(Equal(status))
			Expect(c.Counts()).To(Equal(counts))
			Expect(asked.Load()).To(Equal(counts.Requests))
		},
		Entry("429 four times", wellFormed, throttleFirst(429, "0", 4), 200,
			exchange.Counts{Requests: 5, Throttled: 4}),
		Entry("503 with Retry-After", wellFormed, throttleFirst(503, "0", 1), 200,
			exchange.Counts{Requests: 2, Throttled: 1}),
		Entry("503 without Retry-After", wellFormed, throttleFirst(503, "", 3), 200,
			exchange.Counts{Requests: 4, Throttled: 3}),
		Entry("503 without Retry-After of an operation that has served nothing, which is the answer after three waits",
			wellFormed, throttleFirst(503, "", math.MaxInt), 503, exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("a control, which asks whether the target serves now", control, throttleFirst(503, "0", 1), 503,
			exchange.Counts{Requests: 1, Throttled: 1}),
		Entry("a refusal by 429 counts as one at last", withoutID, throttleFirst(429, "0", math.MaxInt), 429,
			exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("500 before any other answer, as a gateway gives it while the service starts", wellFormed,
			throttleFirst(500, "", 2), 200, exchange.Counts{Requests: 3, Repeated: 2}),
		Entry("500 for ever, which is the answer after three waits", wellFormed, throttleFirst(500, "", math.MaxInt),
			500, exchange.Counts{Requests: 4, Repeated: 3}),
		Entry("a refusal by 500", withoutID, throttleFirst(500, "", math.MaxInt), 500, exchange.Counts{Requests: 1}),
		Entry("a refusal whose fourth answer is another one", withoutID, throttleFirst(429, "0", 3), 200,
			exchange.Counts{Requests: 4, Throttled: 3}),
	)

	It("without Retry-After is the answer at once after one request waited for an operation that has served nothing, "+
		"and after six waits since it served", func(ctx SpecContext) {
		address, asked := startCounting(func(w http.ResponseWriter, number int) {
			if number != 6 {
				w.WriteHeader(503)
			}
		})
		c := clientFor(address)
		c.FirstWait = time.Millisecond
		for _, step := range []struct{ status, requests int }{{503, 4}, {503, 5}, {200, 6}, {503, 13}} {
			Expect(sendProbe(ctx, c, wellFormed).Status).To(Equal(step.status))
			Expect(asked.Load()).To(BeEquivalentTo(step.requests))
		}
	})

	It("longer than the rest of the run is an error at once, or a refusal", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		address, asked := startCounting(throttleFirst(503, "3600", math.MaxInt))
		c := clientFor(address)
		_, err := c.Do(bounded, control)
		Expect(err).To(MatchError(target.ErrDeadline), "nor may a control let all others wait")
		ex, err := c.Do(bounded, wellFormed)
		Expect(ex).To(BeNil())
		Expect(err).To(MatchError(target.ErrDeadline))
		Expect(err).To(MatchError(MatchRegexp("^e17 to http://.*/getUserAuth got 503 Service Unavailable: " +
			"Retry-After: 3600, and the wait of 1h0m0s is longer than the time left: the deadline .* raise it, or " +
			"send less")))
		Expect(testkit.Must(c.Do(bounded, withoutID)).Status).To(Equal(503))
		Expect(asked.Load()).To(BeEquivalentTo(3))
		Expect(bounded.Err()).NotTo(HaveOccurred(), "it did not wait")
	})

	It("is waited out six times without Retry-After by a client that is patient", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(503, "", 6))
		c := clientFor(address)
		c.FirstWait, c.Patience = time.Millisecond, time.Minute
		Expect(sendProbe(ctx, c, wellFormed).Status).To(Equal(200))
		Expect(asked.Load()).To(BeEquivalentTo(7))
	})

	It("of what comes too soon after another request lowers the pace", func(ctx SpecContext) {
		const gap = 5 * time.Millisecond
		var mu sync.Mutex
		var last time.Time
		c := clientFor(startServer(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if time.Since(last) < gap {
				w.WriteHeader(503)
				return
			}
			last = time.Now()
		}))
		c.FirstWait = 50 * time.Millisecond
		const goroutines, requests = 8, 5
		Expect(countFaults(ctx, c, goroutines, requests)).To(BeZero())
		counts := c.Counts()
		Expect(counts.Requests-counts.Throttled).To(BeEquivalentTo(goroutines*requests), "each was served")
		Expect(counts.Throttled).To(BeNumerically("<", goroutines*requests))
	})

	It("is waited out for as long as a sweep has patience", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "0", math.MaxInt))
		c := clientFor(address)
		c.Patience = 350 * time.Millisecond
		Expect(sendProbe(ctx, c, wellFormed).Status).To(Equal(429))
		Expect(asked.Load()).To(BeNumerically("<=", 4))
	})

	It("ends with the run", func(ctx SpecContext) {
		cause := errors.New("the run was interrupted")
		stoppable, cancel := context.WithCancelCause(ctx)
		address, _ := startCounting(func(w http.ResponseWriter, number int) {
			throttleFirst(429, "30", 1)(w, number)
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		})
		_, err := clientFor(address).Do(stoppable, wellFormed)
		Expect(err).To(MatchError(cause))
	})
})

var _ = DescribeTable("The rate is not exceeded: requests without time left are not sent",
	func(ctx SpecContext, throttled int) {
		address, asked := startCounting(throttleFirst(429, "0", throttled))
		c := clientFor(address, func(s *settings.Settings) { s.Rate = 0.01 })
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		if throttled == 0 {
			testkit.Must(c.Do(bounded, wellFormed))
		}
		_, err := c.Do(bounded, wellFormed)
		Expect(err).To(MatchError(target.ErrDeadline))
		Expect(asked.Load()).To(BeEquivalentTo(1))
	},
	Entry("the second request", 0), Entry("a repeated request", 1),
)

var _ = Describe("Before the first answer of a version (J19)", func() {
	slow := func(first int, asked *atomic.Int64) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client go
			if asked.Add(1) <= int64(first) {
				<-r.Context().Done()
			}
		}
	}

	It("a late answer is waited for, one request at a time, and is no fault", func(ctx SpecContext) {
		var asked atomic.Int64
		c := clientFor(startServer(slow(2, &asked)), func(s *settings.Settings) { s.Timeout = 200 * time.Millisecond })
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				defer GinkgoRecover()
				Expect(sendProbe(ctx, c, wellFormed).Status).To(Equal(200))
			})
		}
		all.Wait()
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 7, Repeated: 2}))
	}, NodeTimeout(limit))

	It("no more than three time-outs are waited for", func(ctx SpecContext) {
		var asked atomic.Int64
		c := clientFor(startServer(slow(1000, &asked)),
			func(s *settings.Settings) { s.Timeout = 200 * time.Millisecond })
		expectFault(sendProbe(ctx, c, wellFormed), exchange.Timeout, "no whole answer")
		Expect(asked.Load()).To(BeEquivalentTo(3))
		expectFault(sendProbe(ctx, c, wellFormed), exchange.Timeout, "no whole answer")
		Expect(asked.Load()).To(BeEquivalentTo(4))
	}, NodeTimeout(limit))
})
