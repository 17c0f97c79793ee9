// Package pace keeps a sweep kind to its target: it sends less at a time while answers get slower, less in a second
// once the target has throttled it, nothing while the target does not answer, nothing outside its hours, and no more
// than a budget.
package pace

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

// Pace says when the next request may be sent. It is safe for concurrent use.
type Pace struct {
	inFlight *inFlight
	breaker  circuitbreaker.CircuitBreaker[any]
	backOff  *backOff
	budget   *budget // nil where there is none
	options  Options

	outages  atomic.Int64
	mu       sync.Mutex // over what follows, and over the breaker where it is told of results
	answered bool       // at all
	faulty   bool       // the breaker was told of a fault, and is to know of answers until it is closed
	// Since when every request failed, and since when every one was throttled.
	silent, throttled row
}

// row is a row of the same. What lies so far apart that the target had no occasion to answer meanwhile is no row: there
// may be a night without requests in it.
type row struct{ first, last time.Time }

func (r *row) since(now time.Time, apart time.Duration) time.Duration {
	if r.first.IsZero() || now.Sub(r.last) > apart {
		r.first = now
	}
	r.last = now
	return now.Sub(r.first)
}

// Options are what a sweep may be told about its pace.
type Options struct {
	Concurrency int    // requests in flight at most
	Budget      int64  // requests in all; 0: no bound
	Window      Window // hours of the day
	// Rest and Patience are how long a target that does not answer is left alone before one request tries it again, and
	// after how long without any answer it is given up.
	Rest, Patience time.Duration
}

// ErrBudget ends a sweep whose budget of requests is spent: it can be gone on with.
var ErrBudget = errors.New("the budget of requests (--budget) is spent; go on with --resume and a new one")

// faultsToOpen is how many faults in a row open the circuit (J19).
const faultsToOpen = 5

// New makes a pace at which nothing was sent yet.
func New(o Options) *Pace {
	p := &Pace{
		options: o, inFlight: newInFlight(o.Concurrency), backOff: newBackOff(),
		breaker: circuitbreaker.NewBuilder[any]().WithFailureThreshold(faultsToOpen).WithSuccessThreshold(1).WithDelay(o.Rest).Build(),
	}
	if o.Budget > 0 {
		p.budget = newBudget(o.Budget)
	}
	return p
}

// Begin keeps some of the budget for a user, whose requests are then to be sent with the context that it gives. It
// waits while others may not need all that was kept for them. The error is ErrBudget, or why the context ended; end is
// to be called else.
func (p *Pace) Begin(ctx context.Context) (with context.Context, end func(), err error) {
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
// asked once all that can take long has been waited for. The error is ErrBudget, that of ready, or why the context
// ended.
func (p *Pace) Admit(ctx context.Context, ready func(context.Context) error) (exchange.Turn, error) {
	for {
		if err := p.hold(ctx); err != nil {
			return nil, err
		}
		if err := p.inFlight.acquire(ctx); err != nil {
			return nil, err
		}
		err := p.backOff.wait(ctx)
		if err == nil {
			err = ready(ctx)
		}
		switch {
		case err != nil:
		case !p.options.Window.open(time.Now()) || !p.breaker.TryAcquirePermit():
			// While it waited, the window closed, or the target fell silent, or another request tries whether it is back.
			p.inFlight.release()
			if err = pause(ctx, moment); err == nil {
				continue
			}
			return nil, err
		case !p.Another(ctx):
			err = ErrBudget
		}
		if err != nil {
			p.inFlight.release()
			return nil, err
		}
		return turn{p}, nil
	}
}

// Another tells whether the budget has one more request.
func (p *Pace) Another(ctx context.Context) bool { return p.budget == nil || p.budget.take(ctx) }

// hold waits while the window is closed, or the target has its rest.
func (p *Pace) hold(ctx context.Context) error {
	for {
		left := p.options.Window.opens(time.Now())
		if left == 0 {
			left = p.breaker.RemainingDelay()
		}
		if left == 0 {
			return nil
		}
		// A clock may be set, and a machine sleep: no wait is longer than a minute without looking at it again.
		if err := pause(ctx, min(left, time.Minute)); err != nil {
			return err
		}
	}
}

// moment is how long a request waits that found the target fallen silent.
const moment = 10 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// turn is a request under way.
type turn struct{ pace *Pace }

// Done takes what came of a request. The error says that the target was given up.
func (t turn) Done(ex *exchange.Exchange) error {
	p := t.pace
	switch {
	case !ex.Answered():
		p.inFlight.release()
		return p.failed(ex)
	case unavailable(ex):
		p.inFlight.release()
		p.backOff.cut(time.Now())
		return p.failed(ex)
	case ex.Throttled():
		// An answer that was made without any work says nothing of how fast the target works.
		p.inFlight.release()
		p.backOff.cut(time.Now())
	default:
		p.inFlight.served(ex.Duration)
		p.backOff.served()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faulty {
		p.breaker.RecordSuccess()
		p.faulty, p.silent = !p.breaker.IsClosed(), row{}
	}
	if !ex.Throttled() {
		p.answered = true
		return nil
	}
	if waited := p.throttled.since(time.Now(), p.options.Patience); !p.answered && waited > p.options.Patience {
		return fmt.Errorf("the target has done nothing but throttle for %s, with status %d; see what it allows, then go on with --resume and, for less in a second, --rate", waited.Round(time.Second), ex.Status)
	}
	return nil
}

// Abandon takes a request whose answer nobody waits for any more.
func (t turn) Abandon() { t.pace.inFlight.release() }

// unavailable tells whether an answer says that the target can't work at all at the moment, without a word of when it
// can. A few of them are answers like any other; many in a row, and nothing else, are no answers.
func unavailable(ex *exchange.Exchange) bool {
	return ex.Status == http.StatusServiceUnavailable && !ex.Throttled()
}

// ended says how a request ended that was not answered.
func ended(ex *exchange.Exchange) string {
	if ex.Fault != nil {
		return ex.Fault.Detail
	}
	return fmt.Sprintf("status %d", ex.Status)
}

func (p *Pace) failed(ex *exchange.Exchange) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faulty = true
	lasted := p.silent.since(time.Now(), p.options.Patience)
	wasClosed, tried := p.breaker.IsClosed(), p.breaker.IsHalfOpen()
	p.breaker.RecordFailure()
	if wasClosed && !p.breaker.IsClosed() {
		p.outages.Add(1)
	}
	if tried && !p.answered {
		return fmt.Errorf("the target answered no request at all (J19); the last one, %s, ended with: %s; is the URL right, and does the service run?", ex.Probe.ID, ended(ex))
	}
	if lasted > p.options.Patience {
		return fmt.Errorf("the target has not answered for %s; the last request, %s, ended with: %s; see whether the service still runs, then go on with --resume",
			lasted.Round(time.Second), ex.Probe.ID, ended(ex))
	}
	return nil
}

// Outages is how often the target was left alone.
func (p *Pace) Outages() int64 { return p.outages.Load() }

// InFlight is how many requests the target bears at a time.
func (p *Pace) InFlight() int { return p.inFlight.now() }

// State says in a few words what holds requests back at the moment; "" where nothing does.
func (p *Pace) State() string {
	switch {
	case !p.options.Window.open(time.Now()):
		return "waiting for the window to open"
	case !p.breaker.IsClosed():
		return "the target does not answer: waiting"
	case p.backOff.held():
		return "throttled"
	case p.InFlight() < p.options.Concurrency:
		return fmt.Sprintf("%d at a time", p.InFlight())
	}
	return ""
}
