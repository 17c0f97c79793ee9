package target_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// pacer records the client's calls. Functions that a spec sets decide its results.
type pacer struct {
	admit     func(ctx context.Context) error
	done      func(ex *exchange.Exchange) error
	mayRepeat bool

	mu  sync.Mutex
	log []string
}

func (p *pacer) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, what)
}

func (p *pacer) calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.log...)
}

func (p *pacer) Acquire(ctx context.Context, beforeSend func(context.Context) error) error {
	if p.admit != nil {
		if err := p.admit(ctx); err != nil {
			return err
		}
	}
	if err := beforeSend(ctx); err != nil {
		return err
	}
	p.note("admit")
	return nil
}

func (p *pacer) AcquireRepeat(context.Context) bool {
	p.note("another")
	return p.mayRepeat
}

func (p *pacer) Done(ex *exchange.Exchange) error {
	switch {
	case ex.Fault != nil:
		p.note(string(ex.Fault.Kind))
	default:
		p.note(http.StatusText(ex.Status))
	}
	if p.done == nil {
		return nil
	}
	return p.done(ex)
}

func (p *pacer) Cancel() { p.note("abandon") }

var _ = Describe("A pacer", func() {
	It("is called before each request, and gets its result", func(ctx SpecContext) {
		address, asked := startCounting(func(w http.ResponseWriter, number int) {
			if number == 2 {
				w.WriteHeader(http.StatusNotFound)
			}
		})
		c, p := clientFor(address), &pacer{}
		c.Pacer = p
		sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		sendProbe(ctx, c, wellFormed(schemas.FindByUserIDs))
		Expect(p.calls()).To(Equal([]string{"admit", "OK", "admit", "Not Found"}))
		Expect(asked.Load()).To(BeEquivalentTo(2))
	})

	It("is called again for a throttled request", func(ctx SpecContext) {
		address, asked := startCounting(throttleFirst(429, "0", 2))
		c, p := clientFor(address), &pacer{}
		c.Pacer = p
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Status).To(Equal(200))
		Expect(p.calls()).To(Equal([]string{"admit", "Too Many Requests", "admit", "Too Many Requests", "admit", "OK"}))
		Expect(asked.Load()).To(BeEquivalentTo(3))
		Expect(c.Counts().Throttled).To(BeEquivalentTo(2))
	})

	It("gets a fault as the result of a request", func(ctx SpecContext) {
		address, asked := startCounting(func(http.ResponseWriter, int) { panic(http.ErrAbortHandler) })
		c := clientFor(address)
		c.Pacer = &pacer{}
		ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		Expect(ex.Answered()).To(BeFalse())
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})

	It("can refuse a request, which then is not sent", func(ctx SpecContext) {
		address, asked := startCounting(func(http.ResponseWriter, int) {})
		spent := errors.New("the budget is spent")
		c, p := clientFor(address), &pacer{admit: func(context.Context) error { return spent }}
		c.Pacer = p
		ex, err := c.Do(ctx, wellFormed(schemas.GetUserAuth))
		Expect(ex).To(BeNil())
		Expect(err).To(MatchError(spent))
		Expect(asked.Load()).To(BeZero())
		Expect(c.Counts().Requests).To(BeZero())
		Expect(p.calls()).To(BeEmpty())
	})

	It("can end the run", func(ctx SpecContext) {
		address, asked := startCounting(func(http.ResponseWriter, int) { panic(http.ErrAbortHandler) })
		up := errors.New("the target was given up")
		c := clientFor(address)
		c.Pacer = &pacer{done: func(*exchange.Exchange) error { return up }}
		_, err := c.Do(ctx, wellFormed(schemas.GetUserAuth))
		Expect(err).To(MatchError(up))
		Expect(asked.Load()).To(BeEquivalentTo(1))
	})

	It("gets the cancellation of a request if the run ends", func(ctx SpecContext) {
		stoppable, cancel := context.WithCancelCause(ctx)
		cause := errors.New("the run was interrupted")
		arrivals := make(chan struct{})
		address := startServer(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice the end of the connection
			close(arrivals)
			<-r.Context().Done()
		})
		go func() {
			<-arrivals
			cancel(cause)
		}()
		c, p := clientFor(address), &pacer{}
		c.Pacer = p
		_, err := c.Do(stoppable, wellFormed(schemas.GetUserAuth))
		Expect(err).To(MatchError(cause))
		Expect(p.calls()).To(Equal([]string{"admit", "abandon"}))
	})

	It("gets a timeout as the result of a request", func(ctx SpecContext) {
		address := startServer(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		c, p := clientFor(address, func(s *settings.Settings) { s.Timeout = 50 * time.Millisecond }), &pacer{}
		c.Pacer = p
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault.Kind).To(Equal(exchange.Timeout))
		Expect(p.calls()).To(Equal([]string{"admit", "timeout"}))
	})

	It("ends each request exactly once, whatever the result", func(ctx SpecContext) {
		address, _ := startCounting(func(w http.ResponseWriter, number int) {
			switch number % 4 {
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 3:
				w.Header().Set("Content-Encoding", "gzip") // the body is not gzip
				_, _ = w.Write([]byte("{}"))
			}
		})
		c, p := clientFor(address), &pacer{}
		c.Pacer = p
		for range 12 {
			_, err := c.Do(ctx, wellFormed(schemas.GetUserAuth))
			Expect(err).NotTo(HaveOccurred())
		}
		reportedTo := p.calls()
		for i, what := range reportedTo {
			if what != "another" {
				Expect(what == "admit").To(Equal(i%2 == 0), "%v", reportedTo)
			}
		}
		Expect(reportedTo).To(HaveLen(24))
	})

	DescribeTable("is asked before a request is sent again because a kept connection was closed",
		func(ctx SpecContext, mayRepeat bool) {
			address, _ := startCounting(func(w http.ResponseWriter, number int) {
				if number == 2 {
					closeConnection(w)
				}
			})
			c, p := clientFor(address), &pacer{mayRepeat: mayRepeat}
			c.Pacer = p
			faults := 0
			for range 4 {
				ex, err := c.Do(ctx, wellFormed(schemas.GetUserAuth))
				Expect(err).NotTo(HaveOccurred())
				if ex.Fault != nil {
					faults++
				}
			}
			asked := 0
			for _, what := range p.calls() {
				if what == "another" {
					asked++
				}
			}
			Expect(asked).To(Equal(1), "once only: from then on each request has its own connection")
			if mayRepeat {
				Expect(faults).To(BeZero())
				Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 5, Repeated: 1}))
			} else {
				Expect(faults).To(Equal(1))
				Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 4}))
			}
		}, Entry("and allows it", true), Entry("and refuses it", false))

	It("that delays a request sends it only after a pause that another answer has set meanwhile",
		func(ctx SpecContext) {
			const pause = time.Second
			var mu sync.Mutex
			var reportedTo, next time.Time
			address, _ := startCounting(func(w http.ResponseWriter, number int) {
				mu.Lock()
				defer mu.Unlock()
				switch number {
				case 1:
					reportedTo = time.Now()
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(http.StatusTooManyRequests)
				case 2:
					next = time.Now()
				}
			})
			held, release := make(chan struct{}), make(chan struct{})
			var once sync.Once
			c := clientFor(address)
			c.Pacer = &pacer{
				admit: func(context.Context) error {
					first := false
					once.Do(func() { first = true })
					if first {
						close(held)
						<-release
					}
					return nil
				},
				done: func(*exchange.Exchange) error { return nil },
			}
			var all sync.WaitGroup
			all.Go(func() {
				defer GinkgoRecover()
				sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			})
			<-held
			all.Go(func() {
				defer GinkgoRecover()
				sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			})
			Eventually(func() int64 { return c.Counts().Throttled }).Should(BeEquivalentTo(1))
			close(release)
			all.Wait()
			Expect(next.Sub(reportedTo)).To(BeNumerically(">=", pause-100*time.Millisecond))
		})
})
