package throttle_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/throttle"
)

// test is that of the whole suite, of which synctest makes its bubbles.
var test *testing.T

func TestThrottle(t *testing.T) {
	RegisterFailHandler(Fail)
	test = t
	RunSpecs(t, "throttle")
}

// inBubble runs a spec by a clock of its own: an hour of waiting passes at once, and exactly. What waits for nothing
// that could ever come is an error.
func inBubble(spec func()) {
	synctest.Test(test, func(*testing.T) {
		defer GinkgoRecover()
		spec()
	})
}

// itInBubble is a spec in a bubble.
func itInBubble(text string, spec func()) {
	It(text, func() { inBubble(spec) })
}

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

// newThrottle is a throttle with what a sweep has by default, without hours and without a budget, unless changed.
func newThrottle(concurrency int, changes ...func(*throttle.Options)) *throttle.Throttle {
	options := throttle.Options{Concurrency: concurrency, Rest: 2 * time.Second, Patience: 3 * time.Minute}
	for _, change := range changes {
		change(&options)
	}
	return throttle.New(options)
}

// alwaysReady is always so: there is no pause, and no rate was set.
func alwaysReady(context.Context) error { return nil }

// admitRequest waits until a request may be sent.
func admitRequest(p *throttle.Throttle) {
	GinkgoHelper()
	Expect(p.Acquire(context.Background(), alwaysReady)).To(Succeed())
}

// sendRequest sends a request of which is known what comes of it.
func sendRequest(p *throttle.Throttle, ex *exchange.Exchange) error {
	GinkgoHelper()
	admitRequest(p)
	return p.Done(ex)
}

// sendTimes sends so many requests of which comes the same, and none of which ends the sweep.
func sendTimes(p *throttle.Throttle, times int, ex *exchange.Exchange) {
	GinkgoHelper()
	for range times {
		Expect(sendRequest(p, ex)).To(Succeed())
	}
}

func answerOnce(p *throttle.Throttle) {
	GinkgoHelper()
	sendTimes(p, 1, answeredWith(http.StatusOK))
}

// throttleAfterAnswer is one before a target that has answered once.
func throttleAfterAnswer(concurrency int) *throttle.Throttle {
	GinkgoHelper()
	p := newThrottle(concurrency)
	answerOnce(p)
	return p
}

const inARow = 5 // faults that are an outage (J19)

// fallSilent makes a target that worked fall silent.
func fallSilent(p *throttle.Throttle) {
	GinkgoHelper()
	sendTimes(p, inARow, faultOf(exchange.Transport))
}

// workers send requests as those of a sweep do: what is throttled waits, and lets the others wait too.
type workers struct {
	throttle *throttle.Throttle
	number   int
	until    time.Time
	send     func() *exchange.Exchange // called by all workers, side by side

	mu                sync.Mutex
	pause             time.Time
	arrivals          []time.Time // when each request came to the target
	throttled, served int
}

// sendAll sends until the time is up.
func (w *workers) sendAll() {
	GinkgoHelper()
	var all sync.WaitGroup
	for range w.number {
		all.Go(func() {
			defer GinkgoRecover()
			for time.Now().Before(w.until) {
				w.sendOne()
			}
		})
	}
	all.Wait()
}

// sendOne sends a request until it is not throttled.
func (w *workers) sendOne() {
	for isThrottled := true; isThrottled; {
		Expect(w.throttle.Acquire(context.Background(), w.waitUntilReady)).To(Succeed())
		begin := time.Now()
		ex := w.send()
		ex.Duration = time.Since(begin)
		Expect(w.throttle.Done(ex)).To(Succeed())
		isThrottled = ex.Throttled()
		w.mu.Lock()
		w.arrivals = append(w.arrivals, begin)
		if isThrottled {
			w.throttled++
			wait, _ := time.ParseDuration(ex.Header.Get("Retry-After") + "s")
			w.pause = time.Now().Add(max(wait, 100*time.Millisecond))
		} else if ex.Success() {
			w.served++
		}
		w.mu.Unlock()
	}
}

// waitUntilReady waits until the target wants to be asked again.
func (w *workers) waitUntilReady(context.Context) error {
	for {
		w.mu.Lock()
		left := time.Until(w.pause)
		w.mu.Unlock()
		if left <= 0 {
			return nil
		}
		time.Sleep(left)
	}
}

// countBetween is how many requests came in a period.
func (w *workers) countBetween(from, to time.Time) (n int) {
	for _, at := range w.arrivals {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}
