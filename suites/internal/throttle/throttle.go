// Package throttle spares the target of a sweep: fewer requests at a time while answers get slower, fewer per second once
// the target has throttled, none while it does not answer, none outside the hours of the window, and no more than the
// budget.
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

// Throttle says when the next request may be sent. It is safe for concurrent use.
type Throttle struct {
	options  Options
	inFlight *inFlight
	breaker  circuitbreaker.CircuitBreaker[any]
	outages  atomic.Int64
	backOff  *backOff
	budget   *budget // nil: none

	mu       sync.Mutex
	answered bool // at all
	// Since when every request has failed, and since when every one has been throttled.
	silent, throttled period
}

// period is a time in which all requests ended alike. A gap longer than the patience begins a new one: the target may
// have had a night without requests.
type period struct{ first, last time.Time }

func (s *period) extend(patience time.Duration) (lasted time.Duration) {
	now := time.Now()
	if s.first.IsZero() || now.Sub(s.last) > patience {
		s.first = now
	}
	s.last = now
	return now.Sub(s.first)
}

// Options are what a sweep may be told about its pace.
type Options struct {
	Concurrency int    // requests in flight at most
	Budget      int64  // requests in all; 0: no bound
	Window      Window // hours of the day
	// Rest is how long a target that does not answer is left alone before one request tries it again. After the patience
	// without any answer it is given up.
	Rest, Patience time.Duration
}

// ErrBudget ends a sweep whose budget of requests is spent: it can be continued.
var ErrBudget = errors.New("the budget of requests (--budget) is spent; go on with --resume and a new one")

// faultsToOpen is how many faults in a row open the circuit (J19).
const faultsToOpen = 5

// New makes a pace at which nothing was sent yet.
func New(o Options) *Throttle {
	p := &Throttle{options: o, inFlight: newInFlight(o.Concurrency), backOff: newBackOff()}
	p.breaker = circuitbreaker.NewBuilder[any]().WithFailureThreshold(faultsToOpen).WithSuccessThreshold(1).WithDelay(
		o.Rest).
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

// Begin reserves a part of the budget for a user, whose requests must be sent with the context returned. It waits while
// other users may return some of theirs. The error is ErrBudget, or why the context ended; without one, end must be
// called.
func (p *Throttle) Begin(ctx context.Context) (with context.Context, end func(), err error) {
	if p.budget == nil {
		return ctx, func() {}, nil
	}
	with, g, err := p.budget.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	return with, func() { p.budget.end(g) }, nil
}

// Admit waits until a request may be sent: every single one, also one that was throttled and is sent again. Ready is
// asked after all waits that can take long. The error is ErrBudget, that of ready, or why the context ended.
func (p *Throttle) Admit(ctx context.Context, ready func(context.Context) error) (exchange.Turn, error) {
	for {
		if err := p.pause(ctx); err != nil {
			return nil, err
		}
		if err := p.inFlight.acquire(ctx); err != nil {
			return nil, err
		}
		err := p.backOff.wait(ctx)
		if err == nil {
			err = ready(ctx)
		}
		if err == nil && p.options.Window.opens(time.Now()) == 0 && p.breaker.TryAcquirePermit() {
			if p.Another(ctx) {
				return bucket{p}, nil
			}
			err = ErrBudget
		}
		p.inFlight.release()
		if err == nil {
			// While it waited, the window closed, or the target fell silent, or another request tries whether it is back.
			err = pause(ctx, 10*time.Millisecond)
		}
		if err != nil {
			return nil, err
		}
	}
}

// Another takes one more request out of the budget, and reports whether there was one.
func (p *Throttle) Another(ctx context.Context) bool { return p.budget == nil || p.budget.spend(ctx) }

// pause waits while the window is closed, or the target is left alone.
func (p *Throttle) pause(ctx context.Context) error {
	for {
		left := max(p.options.Window.opens(time.Now()), p.breaker.RemainingDelay())
		if left == 0 {
			return nil
		}
		// A clock may be set, and a machine sleep: it looks again every minute.
		if err := pause(ctx, min(left, time.Minute)); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bucket is a request under way.
type bucket struct{ throttle *Throttle }

// Abandon takes a request whose answer nobody waits for any more.
func (t bucket) Abandon() { t.throttle.inFlight.release() }

// Done takes what a request brought. The error says that the target was given up.
func (t bucket) Done(ex *exchange.Exchange) error {
	p := t.throttle
	// Many bare 503 in a row, and nothing else, are no answers: the target can't work at all.
	unavailable := ex.Status == http.StatusServiceUnavailable && !ex.Throttled()
	if unavailable || ex.Throttled() {
		p.backOff.cut()
	}
	if !ex.Answered() || unavailable {
		p.inFlight.release()
		return p.failed(ex)
	}
	if ex.Throttled() { // without any work: it says nothing about how fast the target is
		p.inFlight.release()
	} else {
		p.inFlight.served(ex.Duration)
		p.backOff.raise()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breaker.RecordSuccess()
	p.silent = period{}
	if !ex.Throttled() {
		p.answered = true
		return nil
	}
	if lasted := p.throttled.extend(p.options.Patience); !p.answered && lasted > p.options.Patience {
		return fmt.Errorf("the target has done nothing but throttle for %s, with status %d; see what it allows, then go on with --resume and, for less in a second, --rate", lasted.Round(time.Second), ex.Status)
	}
	return nil
}

// failed takes a request that brought no answer.
func (p *Throttle) failed(ex *exchange.Exchange) error {
	how := fmt.Sprintf("status %d", ex.Status)
	if ex.Fault != nil {
		how = ex.Fault.Detail
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lasted, tried := p.silent.extend(p.options.Patience), p.breaker.IsHalfOpen()
	p.breaker.RecordFailure()
	if tried && !p.answered {
		return fmt.Errorf("the target answered no request at all (J19); the last one, %s, ended with: %s; is the URL right, and does the service run?", ex.Probe.ID, how)
	}
	if lasted > p.options.Patience {
		return fmt.Errorf("the target has not answered for %s; the last request, %s, ended with: %s; see whether the service still runs, then go on with --resume",
			lasted.Round(time.Second), ex.Probe.ID, how)
	}
	return nil
}

// Outages is how often the target was left alone.
func (p *Throttle) Outages() int64 { return p.outages.Load() }

// InFlight is how many requests may be under way at the moment.
func (p *Throttle) InFlight() int { return p.inFlight.now() }

// State says in a few words what holds requests back at the moment; "" for nothing.
func (p *Throttle) State() string {
	switch {
	case p.options.Window.opens(time.Now()) > 0:
		return "waiting for the window to open"
	case !p.breaker.IsClosed():
		return "the target does not answer: waiting"
	case p.backOff.recent():
		return "throttled"
	case p.InFlight() < p.options.Concurrency:
		return fmt.Sprintf("%d at a time", p.InFlight())
	}
	return ""
}
