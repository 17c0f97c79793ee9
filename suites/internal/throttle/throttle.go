// Package throttle limits the load of a sweep on its target. It sends fewer concurrent requests while answers get
// slower, and fewer per second after the target throttles. It sends none while the target does not answer or outside
// the window's hours, and never more than the budget.
package throttle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"authenticator-conformance/suites/internal/exchange"
)

// Throttle decides when the next request may be sent. It is safe for concurrent use.
type Throttle struct {
	options  Options
	inFlight *inFlight
	breaker  circuitbreaker.CircuitBreaker[any]
	outages  atomic.Int64
	backOff  *backOff
	budget   *budget // nil means no limit

	// healthy is true while the breaker is closed and the last result was a plain answer: then neither lock nor breaker
	// is needed.
	healthy atomic.Bool

	mu       sync.Mutex
	answered bool // the target has answered at least once
	// The current period in which every request failed, and the one in which every request was throttled.
	unanswered, throttled period
}

// period is a time in which all requests ended alike. A gap longer than the patience starts a new period, as there may
// be a night without requests between.
type period struct{ first, last time.Time }

func (p *period) extend(patience time.Duration) (elapsed time.Duration) {
	now := time.Now()
	if p.first.IsZero() || now.Sub(p.last) > patience {
		p.first = now
	}
	p.last = now
	return now.Sub(p.first)
}

// Options are the load limits of a sweep.
type Options struct {
	Concurrency int    // most requests in flight
	Budget      int64  // most requests in all; 0 means no limit
	Window      Window // hours in which requests may be sent
	// Rest is the pause after the target stops answering; then one request tests it. After Patience without any answer
	// the sweep ends.
	Rest, Patience time.Duration
}

// ErrBudget ends a sweep whose budget of requests is used up. The sweep can be resumed.
var ErrBudget = errors.New("the budget of requests (--budget) is used up; continue with --resume and a new budget")

// faultsToOpen is how many faults in a row open the circuit (J19).
const faultsToOpen = 5

// New returns a throttle for the options.
func New(o Options) *Throttle {
	p := &Throttle{options: o, inFlight: newInFlight(o.Concurrency), backOff: newBackOff()}
	p.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(faultsToOpen).WithSuccessThreshold(1).WithDelay(o.Rest).
		OnOpen(func(e circuitbreaker.StateChangedEvent) {
			if e.OldState == circuitbreaker.ClosedState {
				p.outages.Add(1)
			}
		}).Build()
	if o.Budget > 0 {
		p.budget = newBudget(o.Budget)
	}
	return p
}

// Begin reserves a part of the budget for a user, whose requests must use the returned context. It waits while other
// users may return some of theirs. The error is ErrBudget or the cause of the context's end; without an error, end must
// be called.
func (t *Throttle) Begin(ctx context.Context) (with context.Context, end func(), err error) {
	if t.budget == nil {
		return ctx, func() {}, nil
	}
	return t.budget.begin(ctx)
}

// Acquire waits until a request may be sent; every retry needs it too. It calls beforeSend after all waits that can be
// long. The error is ErrBudget, that of beforeSend, or the cause of the context's end.
func (t *Throttle) Acquire(ctx context.Context, beforeSend func(context.Context) error) error {
	for {
		if err := t.waitUntilOpen(ctx); err != nil {
			return err
		}
		if err := t.inFlight.acquire(ctx); err != nil {
			return err
		}
		err := t.backOff.wait(ctx)
		if err == nil {
			err = beforeSend(ctx)
		}
		if err == nil && t.options.Window.opens() == 0 && (t.healthy.Load() || t.breaker.TryAcquirePermit()) {
			if t.AcquireRepeat(ctx) {
				return nil
			}
			err = ErrBudget
		}
		t.inFlight.release()
		if err == nil {
			// Meanwhile the window closed, the target stopped answering, or another request is testing whether it
			// answers again.
			err = sleep(ctx, 10*time.Millisecond)
		}
		if err != nil {
			return err
		}
	}
}

// AcquireRepeat takes one more request from the budget, and reports whether there was one.
func (t *Throttle) AcquireRepeat(ctx context.Context) bool {
	return t.budget == nil || t.budget.spend(ctx)
}

// waitUntilOpen waits while the window is closed or the circuit breaker is open.
func (t *Throttle) waitUntilOpen(ctx context.Context) error {
	for {
		left := t.options.Window.opens()
		if !t.healthy.Load() {
			left = max(left, t.breaker.RemainingDelay())
		}
		if left == 0 {
			return nil
		}
		// Check every minute, because the clock may be set and the machine may sleep.
		if err := sleep(ctx, min(left, time.Minute)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Cancel ends a request whose answer is no longer needed.
func (t *Throttle) Cancel() { t.inFlight.release() }

// Done ends a request with its result. The error means that the sweep gives up the target.
func (t *Throttle) Done(ex *exchange.Exchange) error {
	// A 503 without Retry-After counts as no answer. If there are only such answers, the target can't work at all.
	unavailable := ex.Status == http.StatusServiceUnavailable && !ex.Throttled()
	if unavailable || ex.Throttled() {
		t.backOff.decrease()
	}
	if !ex.Answered() || unavailable {
		t.inFlight.release()
		return t.failed(ex)
	}
	if ex.Throttled() { // a throttled answer takes no work, so its duration does not count
		t.inFlight.release()
	} else {
		t.inFlight.served(ex.Duration)
		t.backOff.increase()
	}
	if t.healthy.Load() && !ex.Throttled() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.breaker.RecordSuccess()
	t.unanswered = period{}
	t.healthy.Store(!ex.Throttled() && t.breaker.IsClosed())
	if !ex.Throttled() {
		t.answered = true
		return nil
	}
	if elapsed := t.throttled.extend(t.options.Patience); !t.answered && elapsed > t.options.Patience {
		return fmt.Errorf("the target has throttled every request for %s, with status %d; check its rate limit, then "+
			"continue with --resume and a lower --rate", elapsed.Round(time.Second), ex.Status)
	}
	return nil
}

// failed records a request without an answer. The error means that the sweep gives up the target.
func (t *Throttle) failed(ex *exchange.Exchange) error {
	cause := fmt.Sprintf("status %d", ex.Status)
	if ex.Fault != nil {
		cause = ex.Fault.Detail
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.healthy.Store(false)
	elapsed, probing := t.unanswered.extend(t.options.Patience), t.breaker.IsHalfOpen()
	t.breaker.RecordFailure()
	if probing && !t.answered {
		return fmt.Errorf("the target answered no request at all (J19); the last one, %s, ended with: %s; check the "+
			"URL and whether the service is running", ex.Probe.ID, cause)
	}
	if elapsed > t.options.Patience {
		return fmt.Errorf("the target has not answered for %s; the last request, %s, ended with: %s; check whether "+
			"the service is still running, then continue with --resume",
			elapsed.Round(time.Second), ex.Probe.ID, cause)
	}
	return nil
}

// Outages returns how often the target stopped answering and was paused.
func (t *Throttle) Outages() int64 { return t.outages.Load() }

// State returns in a few words what delays requests now, or "".
func (t *Throttle) State() string {
	switch {
	case t.options.Window.opens() > 0:
		return "waiting for the window to open"
	case !t.breaker.IsClosed():
		return "the target does not answer: waiting"
	case t.backOff.recent():
		return "throttled"
	}
	if limit := t.inFlight.now(); limit < t.options.Concurrency {
		return fmt.Sprintf("%d at a time", limit)
	}
	return ""
}
