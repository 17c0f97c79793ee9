package target_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
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

var _ = DescribeTable("J19, how long to wait",
	func(status int, header, defaultWait string, wait string) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		ex := &exchange.Exchange{Status: status, Header: http.Header{}}
		if header != "" {
			ex.Header.Set("Retry-After", header)
		}
		got, throttled := target.RetryAfter(ex, testkit.Must(time.ParseDuration(defaultWait)), now)
		Expect(throttled).To(Equal(wait != "none"))
		if throttled {
			Expect(got.String()).To(Equal(wait))
		}
	},
	testkit.Entries("waits"),
	Entry("429, more seconds than fit", 429, strings.Repeat("9", 40), "1s", "298261h37m4s"),
)

var _ = Describe("J19, throttling", func() {
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
			Expect(sendProbe(ctx, c, p).Status).To(Equal(status))
			Expect(c.Counts()).To(Equal(counts))
			Expect(asked.Load()).To(Equal(counts.Requests))
		},
		Entry("429 four times", wellFormed, throttleFirst(429, "0", 4), 200,
			exchange.Counts{Requests: 5, Throttled: 4}),
		Entry("503 with Retry-After", wellFormed, throttleFirst(503, "0", 1), 200,
			exchange.Counts{Requests: 2, Throttled: 1}),
		Entry("503 without Retry-After is an answer", wellFormed, throttleFirst(503, "", 1), 503,
			exchange.Counts{Requests: 1, Throttled: 0}),
		Entry("a refusal by 429 counts as one at last", withoutID, throttleFirst(429, "0", math.MaxInt), 429,
			exchange.Counts{Requests: 4, Throttled: 4}),
		Entry("a refusal whose fourth answer is another one", withoutID, throttleFirst(429, "0", 3), 200,
			exchange.Counts{Requests: 4, Throttled: 3}),
	)

	It("longer than the rest of the run is an error at once, or a refusal", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		address, asked := startCounting(throttleFirst(503, "3600", math.MaxInt))
		c := clientFor(address)
		ex, err := c.Do(bounded, wellFormed)
		Expect(ex).To(BeNil())
		Expect(err).To(MatchError(target.ErrDeadline))
		Expect(err).To(MatchError(HavePrefix("the target answered 503 and asks to wait 1h0m0s, longer than the run")))
		Expect(testkit.Must(c.Do(bounded, withoutID)).Status).To(Equal(503))
		Expect(asked.Load()).To(BeEquivalentTo(2))
		Expect(bounded.Err()).NotTo(HaveOccurred(), "it did not wait")
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
