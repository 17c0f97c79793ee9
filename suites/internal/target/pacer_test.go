package target_test

import (
	"context"
	"errors"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
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
