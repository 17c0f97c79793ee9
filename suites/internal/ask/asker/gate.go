package asker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Clock is the time that an asker waits by.
type Clock interface {
	Now() time.Time
	// After returns a channel that gets the time once a duration has passed.
	After(time.Duration) <-chan time.Time
}

// System is the clock of this machine.
type System struct{}

// Now returns the time.
func (System) Now() time.Time { return time.Now() }

// After returns a channel that gets the time once a duration has passed.
func (System) After(d time.Duration) <-chan time.Time { return time.After(d) }

// gate lets the requests of all workers pass: not before a pause is over, and with a space between two.
type gate struct {
	clock Clock
	least time.Duration // between two requests, by the setting rate
	scale float64       // of what is waited: as long as the first wait is in seconds
	// advice is what to do if the deadline is too near.
	advice string

	mu        sync.Mutex
	pace      Pace
	next      time.Time // when the space since the last request is over
	until     time.Time // when the pause is over
	inFlight  int       // requests that are not answered
	throttled int64     // answers that throttled
	resent    int64     // requests that were sent again as their service started
	starts    map[service]*start
}

// pass waits until a request may be sent. back is due once it is answered.
func (g *gate) pass(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		left := g.take()
		if left <= 0 {
			return nil
		}
		if end, bounded := ctx.Deadline(); bounded && time.Now().Add(left).After(end) {
			return fmt.Errorf("%w; %s", client.ErrDeadline, g.advice)
		}
		if err := sleep(ctx, g.clock, left); err != nil {
			return err
		}
	}
}

// take takes the turn of the next request, or returns how long there is none.
func (g *gate) take() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	space := max(g.space(), g.least)
	if space > 0 || !g.next.IsZero() || !g.until.IsZero() { // as nearly never: then the time is looked at
		now := g.clock.Now()
		if left := max(g.next.Sub(now), g.until.Sub(now)); left > 0 {
			return left
		}
		g.next = now.Add(space)
	}
	g.inFlight++
	return 0
}

// space is the time between two requests to a target that throttled.
func (g *gate) space() time.Duration { return g.scaled(g.pace.Space) }

// scaled returns a wait that is so long if the first one is a second.
func (g *gate) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) * g.scale) }

// back notes that a request is back. The space begins with the answer to the last one in flight: on its way there, a
// request may have lost the time between it and the next one.
func (g *gate) back() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inFlight--; g.inFlight > 0 || g.pace.Space == 0 {
		return
	}
	if end := g.clock.Now().Add(g.space()); end.After(g.next) {
		g.next = end
	}
}

// pause lets nothing pass for a time.
func (g *gate) pause(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if end := g.clock.Now().Add(d); end.After(g.until) {
		g.until = end
	}
}

// paused returns how long nothing passes.
func (g *gate) paused() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.until.Sub(g.clock.Now())
}

// change changes the pace.
func (g *gate) change(to func(Pace) Pace) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pace = to(g.pace)
}

// noteThrottled counts an answer that throttles. One to a well-formed request changes the pace: any other may be
// refused so.
func (g *gate) noteThrottled(p exchange.Probe) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.throttled++; p.WellFormed() {
		g.pace = g.pace.Throttled()
	}
}

func (g *gate) counts() (throttled, resent int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.throttled, g.resent
}

func sleep(ctx context.Context, clock Clock, d time.Duration) error {
	select {
	case <-clock.After(d):
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
