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

var _ = DescribeTable("How long to wait (J19) is right after",
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

// pacer records the client's calls, which are not concurrent. Functions that a spec sets decide its results.
type pacer struct {
	acquire   func() error
	done      error
	mayRepeat bool
	log       []string
}

func (p *pacer) Acquire(ctx context.Context, beforeSend func(context.Context) error) error {
	if p.acquire != nil {
		if err := p.acquire(); err != nil {
			return err
		}
	}
	if err := beforeSend(ctx); err != nil {
		return err
	}
	p.log = append(p.log, "Acquire")
	return nil
}

func (p *pacer) AcquireRepeat(context.Context) bool {
	p.log = append(p.log, "AcquireRepeat")
	return p.mayRepeat
}

func (p *pacer) Done(ex *exchange.Exchange) error {
	result := http.StatusText(ex.Status)
	if ex.Fault != nil {
		result = string(ex.Fault.Kind)
	}
	p.log = append(p.log, result)
	return p.done
}

func (p *pacer) Cancel() { p.log = append(p.log, "Cancel") }

var _ = Describe("A pacer", func() {
	It("is called before each request, also a throttled one, and gets its result", func(ctx SpecContext) {
		number := 0
		address := startServer(func(w http.ResponseWriter, r *http.Request) {
			switch number++; number {
			case 2:
				w.WriteHeader(http.StatusNotFound)
			case 3:
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
			case 5:
				w.Header().Set("Content-Encoding", "br")
				_, _ = w.Write([]byte("{}"))
			case 6:
				startAnswer(w, r, "[")
				panic(http.ErrAbortHandler)
			case 7:
				startAnswer(w, r, "")
				<-r.Context().Done()
			}
		})
		c, p := clientFor(address, func(s *settings.Settings) { s.Timeout = 500 * time.Millisecond }), &pacer{}
		c.Pacer = p
		for range 6 {
			sendProbe(ctx, c, wellFormed)
		}
		Expect(p.log).To(Equal([]string{"Acquire", "OK", "Acquire", "Not Found", "Acquire", "Too Many Requests",
			"Acquire", "OK", "Acquire", "encoding", "Acquire", "transport", "Acquire", "timeout"}))
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 7, Throttled: 1}))
	}, NodeTimeout(limit))

	It("can refuse a request, which then is not sent, and end the run at a result", func(ctx SpecContext) {
		refused, ended := errors.New("the budget is spent"), errors.New("the target was given up")
		for _, p := range []*pacer{{acquire: func() error { return refused }}, {done: ended}} {
			handler, asked := closeAt(func(int64) bool { return true })
			c := clientFor(startServer(handler))
			c.Pacer = p
			_, err := c.Do(ctx, wellFormed)
			if p.done == nil {
				Expect(err).To(MatchError(refused))
				Expect(p.log).To(BeEmpty())
			} else {
				Expect(err).To(MatchError(ended))
				Expect(p.log).To(Equal([]string{"Acquire", "transport"}))
			}
			Expect(c.Counts().Requests).To(BeEquivalentTo(len(p.log) / 2))
			Expect(asked.Load()).To(BeEquivalentTo(len(p.log) / 2))
		}
	})

	DescribeTable("is asked once before a request is sent again because a kept connection was closed",
		func(ctx SpecContext, mayRepeat bool, result string, counts exchange.Counts) {
			handler, _ := closeAt(func(number int64) bool { return number == 2 })
			c, p := clientFor(startServer(handler)), &pacer{mayRepeat: mayRepeat}
			c.Pacer = p
			for range 3 {
				sendProbe(ctx, c, wellFormed)
			}
			Expect(p.log).To(Equal([]string{"Acquire", "OK", "Acquire", "AcquireRepeat", result, "Acquire", "OK"}))
			Expect(c.Counts()).To(Equal(counts))
		},
		Entry("and allows it", true, "OK", exchange.Counts{Requests: 4, Repeated: 1}),
		Entry("and refuses it", false, "transport", exchange.Counts{Requests: 3}),
	)

	It("that delays a request sends it after a pause that another answer has set meanwhile", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "3600", 1))
		c, p, enough := clientFor(address), &pacer{}, errors.New("enough")
		calls := 0
		p.acquire = func() error {
			switch calls++; calls {
			case 1: // of the delayed request, while another one is throttled
				_, err := c.Do(ctx, wellFormed)
				Expect(err).To(MatchError(enough))
			case 3:
				return enough
			}
			return nil
		}
		c.Pacer = p
		bounded, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := c.Do(bounded, wellFormed)
		Expect(err).To(MatchError(context.DeadlineExceeded))
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})
})
