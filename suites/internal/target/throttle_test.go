package target_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
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
		less, err := time.ParseDuration(defaultWait)
		Expect(err).NotTo(HaveOccurred())
		got, throttled := target.RetryAfter(ex, less, now)
		if wait == "none" {
			Expect(throttled).To(BeFalse())
			return
		}
		Expect(throttled).To(BeTrue())
		Expect(got.String()).To(Equal(wait))
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

	It("of a well-formed request repeats it until it is served, and is counted", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "0", 4))
		c := clientFor(address)
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Status).To(Equal(200))
		Expect(asked.Load()).To(BeEquivalentTo(5))
		Expect(c.Counts().Requests).To(BeEquivalentTo(5))
		Expect(c.Counts().Throttled).To(BeEquivalentTo(4))
	})

	It("by 503 with Retry-After repeats the request too", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(503, "0", 1))
		c := clientFor(address)
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Status).To(Equal(200))
		Expect(asked.Load()).To(BeEquivalentTo(2))
		Expect(c.Counts().Throttled).To(BeEquivalentTo(1))
	})

	It("without a header repeats the request too", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "", 1))
		Expect(sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth)).Status).To(Equal(200))
		Expect(asked.Load()).To(BeEquivalentTo(2))
	})

	It("does not include 503 without Retry-After, which is an answer", func(ctx SpecContext) {
		for _, status := range []int{500, 502, 503, 504, 408, 425} {
			address, asked := startCounting(func(w http.ResponseWriter, _ int) { w.WriteHeader(status) })
			c := clientFor(address)
			Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Status).To(Equal(status))
			Expect(asked.Load()).To(BeEquivalentTo(1))
			Expect(c.Counts().Throttled).To(BeZero())
		}
	})

	It("of a request that should be refused repeats it three times, then counts as a refusal", func(ctx SpecContext) {
		for _, status := range []int{429, 503} {
			address, asked := startCounting(throttleFirst(status, "0", 1000))
			ex := sendProbe(ctx, clientFor(address), withoutField("UserId"))
			Expect(ex.Status).To(Equal(status))
			Expect(asked.Load()).To(BeEquivalentTo(4))
		}
	})

	It("of a request that should be refused ends if the fourth answer is another one", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "0", 3))
		Expect(sendProbe(ctx, clientFor(address), withoutField("UserId")).Status).To(Equal(200))
		Expect(asked.Load()).To(BeEquivalentTo(4))
	})

	DescribeTable("longer than the rest of the run is an error at once, which names the deadline",
		func(ctx SpecContext, header string) {
			address, asked := startCounting(throttleFirst(429, header, 1000))
			bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			ex, err := clientFor(address).Do(bounded, wellFormed(schemas.GetUserAuth))
			Expect(ex).To(BeNil())
			Expect(errors.Is(err, target.ErrDeadline)).To(BeTrue())
			Expect(err).To(MatchError(And(ContainSubstring("429"), ContainSubstring("deadline"))))
			Expect(asked.Load()).To(BeEquivalentTo(1))
			Expect(bounded.Err()).NotTo(HaveOccurred(), "it did not wait")
		},
		Entry("seconds", "3600"), Entry("more seconds than fit", strings.Repeat("9", 60)),
		Entry("a date", "Fri, 31 Dec 9999 23:59:59 GMT"),
	)

	It("longer than the rest of the run refuses a request that should be refused", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(503, "3600", 1000))
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		ex, err := clientFor(address).Do(bounded, withoutField("UserId"))
		Expect(err).NotTo(HaveOccurred())
		Expect(ex.Status).To(Equal(503))
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})

	It("ends with the run", func(ctx SpecContext) {
		cause := errors.New("the run was interrupted")
		stoppable, cancel := context.WithCancelCause(ctx)
		address, _ := startCounting(func(w http.ResponseWriter, _ int) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(429)
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		})
		_, err := clientFor(address).Do(stoppable, wellFormed(schemas.GetUserAuth))
		Expect(err).To(MatchError(cause))
	})
})

var _ = Describe("The rate", func() {
	It("is not exceeded: requests without time left are not sent", func(ctx SpecContext) {
		address, asked := startCounting(func(http.ResponseWriter, int) {})
		c := clientFor(address, func(s *settings.Settings) { s.Rate = 0.01 })
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, err := c.Do(bounded, wellFormed(schemas.GetUserAuth))
		Expect(err).NotTo(HaveOccurred())
		_, err = c.Do(bounded, wellFormed(schemas.GetUserAuth))
		Expect(errors.Is(err, target.ErrDeadline)).To(BeTrue())
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})
	It("applies to repeated requests too", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "0", 1000))
		c := clientFor(address, func(s *settings.Settings) { s.Rate = 0.01 })
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, err := c.Do(bounded, wellFormed(schemas.GetUserAuth))
		Expect(errors.Is(err, target.ErrDeadline)).To(BeTrue())
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})
	It("is unlimited by default", func(ctx SpecContext) {
		address, asked := startCounting(func(http.ResponseWriter, int) {})
		c := clientFor(address)
		for range 50 {
			sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		}
		Expect(asked.Load()).To(BeEquivalentTo(50))
	})
})
