package target

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// ErrDeadline means that the run's deadline is too near for the remaining requests.
var ErrDeadline = errors.New("the deadline (setting deadline) leaves no time for the rest")

const (
	shortestWait   = 100 * time.Millisecond // even if Retry-After is 0
	refusedAtMost  = 3                      // waits for a request that should be refused (J19), or perhaps for ever is
	doublings      = 6                      // waits for any other, if no answer says for how long
	longestDoubled = time.Minute
)

// Do sends a probe and returns its exchange. It waits and retries after 429 and 503, within the run's deadline (J19).
// An error means that the run was interrupted or its deadline is too near.
//
// A control is not retried: it is asked to see whether the target serves now. Without Retry-After, a target that still
// throttles after about a minute has answered. An operation that has served nothing yet may be stopped, so that only
// one request waits for it, three times if it has no Patience.
func (c *Client) Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	wait, begun, op := c.FirstWait, time.Now(), c.versions[p.Version].operations[p.Operation]
	for waits := 0; ; waits++ {
		ex, err := c.once(ctx, p)
		if err != nil {
			return nil, err
		}
		if !ex.Throttled() {
			c.pace.raise()
			return ex, nil
		}
		if !p.WellFormed() && c.Discloses != nil && c.Discloses(ex) {
			return ex, nil
		}
		c.throttled.Add(1)
		if p.WellFormed() { // any other may be refused so
			c.pace.lower(ex.Started, rate.Every(c.FirstWait))
		}
		asked, said := retryAfter(ex)
		if !said {
			asked = wait
			wait = min(2*wait, longestDoubled)
		}
		asked = max(asked, shortestWait)
		end, bounded := ctx.Deadline()
		tooLong := bounded && time.Now().Add(asked).After(end)
		switch {
		case p.Control && !tooLong:
			c.pause.until(time.Now().Add(asked))
			return ex, nil
		case p.Control: // an error
		case !p.WellFormed() && waits == refusedAtMost, p.WellFormed() && !said && op.hasWaited(waits, c.Patience > 0),
			c.Patience > 0 && time.Since(begun)+asked > c.Patience:
			return ex, nil
		}
		if tooLong {
			if !p.WellFormed() {
				return ex, nil // such a long wait is a refusal (J13: a lasting 429 or 503 refuses too)
			}
			return nil, fmt.Errorf("%s got %w, and the wait of %s is longer than the time left: %w; raise it, or "+
				"send less (%s)",
				c.Asked(ex), exchange.Summary(ex), asked.Round(time.Second), ErrDeadline,
				c.settings.Named("--rate, --concurrency", "Rate, Concurrency"))
		}
		c.pause.until(time.Now().Add(asked))
	}
}

// once waits until a probe may be sent, and sends it once.
func (c *Client) once(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if err := c.waitUntilSendable(ctx); err != nil {
		return nil, err
	}
	op := c.versions[p.Version].operations[p.Operation]
	if op.warm.Load() {
		return c.send(ctx, p)
	}
	return c.warmUp(ctx, op, p)
}

// hasWaited reports whether a well-formed request has waited often enough, if no answer says for how long. One to an
// operation that has served nothing waits as long as others only for a patient client.
func (o *operation) hasWaited(waits int, patient bool) bool {
	switch {
	case o.served.Load():
		return waits >= doublings
	case waits >= doublings, waits >= refusedAtMost && !patient:
		o.refuses.Store(true)
	}
	return o.refuses.Load()
}

// waitUntilSendable waits until the target's pause is over, and its pace and the rate allow a request.
func (c *Client) waitUntilSendable(ctx context.Context) error {
	for {
		if err := c.pause.wait(ctx); err != nil {
			return err
		}
		err := c.limiter.Wait(ctx)
		if err == nil {
			err = c.pace.limiter.Wait(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && c.throttled.Load() > 0:
			return fmt.Errorf("%w; raise it, or send fewer users: the target throttles", ErrDeadline)
		case err != nil:
			return fmt.Errorf("%w; raise it, send fewer users, or raise %s", ErrDeadline,
				c.settings.Named("--rate", "Rate"))
		case !c.Paused():
			return nil
		}
	}
}

// pace is how many requests a second are sent to a target that throttles: half as many each time, so that a limit in
// front is not met by all requests at once after each pause, and more again with each answer.
type pace struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	lowered time.Time
}

// The pace after the first answer that throttles is half of fastestPace. It doubles with raiseIn answers, and is no
// limit any more at ten times of it.
const (
	fastestPace = 200
	raiseIn     = 100
)

// lower halves the pace if a request was throttled that was sent at it, but to no less than a limit.
func (p *pace) lower(sent time.Time, least rate.Limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent.After(p.lowered) {
		p.lowered = time.Now()
		p.limiter.SetLimit(max(min(p.limiter.Limit(), fastestPace)/2, least))
	}
}

func (p *pace) raise() {
	if p.limiter.Limit() == rate.Inf {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.limiter.Limit() * (1 + math.Ln2/raiseIn)
	if limit > 10*fastestPace {
		limit = rate.Inf
	}
	p.limiter.SetLimit(limit)
}

// retryAfter returns how long an answer asks to wait, and whether it says so. Retry-After is seconds or an HTTP date
// (RFC 9110 §10.2.3). A date is measured from the answer's own Date, as the clocks of both sides may differ.
func retryAfter(ex *exchange.Exchange) (time.Duration, bool) {
	header := strings.TrimSpace(ex.Header.Get("Retry-After"))
	if at, err := http.ParseTime(header); err == nil {
		now, err := http.ParseTime(ex.Header.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		return at.Sub(now), true
	}
	if header == "" || strings.Trim(header, "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(header, 10, 32)
	if err != nil {
		seconds = 1 << 30 // more than an int32 can hold: longer than any run
	}
	return time.Duration(seconds) * time.Second, true
}

// Paused reports whether requests wait because the target throttles.
func (c *Client) Paused() bool { return c.pause.left() > 0 }

// throttlePause delays the requests of all workers while the target asks one of them to wait.
type throttlePause struct{ end atomic.Pointer[time.Time] } // nil: there was none

func (t *throttlePause) until(end time.Time) {
	for {
		before := t.end.Load()
		if before != nil && !end.After(*before) || t.end.CompareAndSwap(before, &end) {
			return
		}
	}
}

// left returns how long the pause lasts from now on: 0 or less if there is none.
func (t *throttlePause) left() (left time.Duration) {
	if end := t.end.Load(); end != nil {
		left = time.Until(*end)
	}
	return left
}

func (t *throttlePause) wait(ctx context.Context) error {
	for left := t.left(); left > 0; left = t.left() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(left):
		}
	}
	return nil
}
