package throttle_test

import (
	"context"
	"net/http"
	"sync"
	"time"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/throttle"
)

func answeredWith(status int) *exchange.Exchange {
	return &exchange.Exchange{Probe: exchange.Probe{ID: "u7.1"}, Status: status, Header: http.Header{}}
}

// throttledFor is an answer that asks to come again after so many seconds.
func throttledFor(seconds string) *exchange.Exchange {
	ex := answeredWith(http.StatusTooManyRequests)
	ex.Header.Set("Retry-After", seconds)
	return ex
}

func faultOf(kind exchange.FaultKind) *exchange.Exchange {
	return &exchange.Exchange{Probe: exchange.Probe{ID: "u7.1"},
		Fault: &exchange.Fault{Kind: kind, Detail: "connection refused"}}
}

// ordinaryThrottle is a throttle without hours and without a budget.
func ordinaryThrottle(concurrency int) *throttle.Throttle {
	return throttle.New(throttle.Options{Concurrency: concurrency, Rest: 2 * time.Second, Patience: 3 * time.Minute})
}

// alwaysReady is always so: there is no pause, and no rate was set.
func alwaysReady(context.Context) error { return nil }

// admitRequest waits until a request may be sent.
func admitRequest(p *throttle.Throttle) {
	ExpectWithOffset(1, p.Acquire(context.Background(), alwaysReady)).To(Succeed())
}

// sendRequest sends a request of which is known what comes of it.
func sendRequest(p *throttle.Throttle, ex *exchange.Exchange) error {
	admitRequest(p)
	return p.Done(ex)
}

// answerOnce makes a target that has answered once.
func answerOnce(p *throttle.Throttle) {
	err := sendRequest(p, answeredWith(http.StatusOK))
	ExpectWithOffset(1, err).NotTo(HaveOccurred())
}

// concurrency sends requests as the workers of a sweep do: what is throttled waits, and lets the others wait too.
type concurrency struct {
	throttle *throttle.Throttle
	workers  int
	until    time.Time
	send     func() *exchange.Exchange // called by all workers, side by side

	mu        sync.Mutex
	pause     time.Time
	arrivals  []time.Time // when each request came to the target
	throttled int
	served    int
	errs      []error
}

// run sends until the time is up.
func (c *concurrency) run() {
	var all sync.WaitGroup
	for range c.workers {
		all.Go(func() {
			for time.Now().Before(c.until) {
				if err := c.one(); err != nil {
					c.mu.Lock()
					c.errs = append(c.errs, err)
					c.mu.Unlock()
					return
				}
			}
		})
	}
	all.Wait()
}

func (c *concurrency) one() error {
	for {
		if err := c.throttle.Acquire(context.Background(), c.ready); err != nil {
			return err
		}
		c.mu.Lock()
		c.arrivals = append(c.arrivals, time.Now())
		c.mu.Unlock()
		begin := time.Now()
		ex := c.send()
		ex.Duration = time.Since(begin)
		if err := c.throttle.Done(ex); err != nil {
			return err
		}
		c.mu.Lock()
		switch {
		case ex.Throttled():
			c.throttled++
			wait, _ := time.ParseDuration(ex.Header.Get("Retry-After") + "s")
			c.pause = time.Now().Add(max(wait, 100*time.Millisecond))
		case ex.Success():
			c.served++
		}
		c.mu.Unlock()
		if !ex.Throttled() {
			return nil
		}
	}
}

// ready waits until the target wants to be asked again.
func (c *concurrency) ready(context.Context) error {
	for {
		c.mu.Lock()
		left := time.Until(c.pause)
		c.mu.Unlock()
		if left <= 0 {
			return nil
		}
		time.Sleep(left)
	}
}

// countBetween is how many requests came in a period.
func (c *concurrency) countBetween(from, to time.Time) int {
	n := 0
	for _, at := range c.arrivals {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}
