package target

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"authenticator-conformance/suites/internal/exchange"
)

// ErrDeadline means that the run's deadline is too near for the remaining requests.
var ErrDeadline = errors.New("the run's deadline (setting deadline) leaves no time for the rest; raise it, send " +
	"fewer users, or raise concurrency")

const (
	firstWait      = time.Second            // without Retry-After; doubled each time (J19)
	shortestWait   = 100 * time.Millisecond // even if Retry-After is 0
	refusedAtMost  = 3                      // waits for a request that should be refused (J19)
	longestDoubled = time.Minute
)

// Do sends a probe and returns its exchange. It waits and retries after 429, and after 503 with Retry-After, within the
// run's deadline (J19). An error means that the run was interrupted or its deadline is too near.
func (c *Client) Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	defaultWait := firstWait
	for waits := 0; ; waits++ {
		ex, err := c.once(ctx, p)
		if err != nil {
			return nil, err
		}
		wait, throttled := retryAfter(ex, defaultWait, time.Now())
		if !throttled {
			return ex, nil
		}
		c.throttled.Add(1)
		if !p.WellFormed() && waits == refusedAtMost {
			return ex, nil
		}
		if end, ok := ctx.Deadline(); ok && time.Now().Add(wait).After(end) {
			if !p.WellFormed() {
				return ex, nil // such a long wait is a refusal (J13: a lasting 429 or 503 refuses too)
			}
			return nil, fmt.Errorf("the target answered %d and asks to wait %s, longer than the run has left: %w",
				ex.Status, wait.Round(time.Second), ErrDeadline)
		}
		defaultWait = min(2*defaultWait, longestDoubled)
		c.pause.until(time.Now().Add(wait))
	}
}

// once waits until a probe may be sent, and sends it once.
func (c *Client) once(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if c.Pacer == nil {
		if err := c.waitUntilSendable(ctx); err != nil {
			return nil, err
		}
		return c.send(ctx, p)
	}
	if err := c.Pacer.Acquire(ctx, c.waitUntilSendable); err != nil {
		return nil, err
	}
	ex, err := c.send(ctx, p)
	if err != nil {
		c.Pacer.Cancel()
		return nil, err
	}
	return ex, c.Pacer.Done(ex)
}

// waitUntilSendable waits until the target's pause is over and the rate allows a request.
func (c *Client) waitUntilSendable(ctx context.Context) error {
	if err := c.pause.wait(ctx); err != nil {
		return err
	}
	if c.limiter == nil {
		return nil
	}
	if err := c.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return ErrDeadline
	}
	return nil
}

// retryAfter returns how long to wait if the answer is a throttled one, else false. Retry-After may be seconds or an
// HTTP date (RFC 9110 §10.2.3); without it the wait is defaultWait.
func retryAfter(ex *exchange.Exchange, defaultWait time.Duration, now time.Time) (time.Duration, bool) {
	header := strings.TrimSpace(ex.Header.Get("Retry-After"))
	if !ex.Throttled() {
		return 0, false
	}
	wait := defaultWait
	if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	} else if header != "" && strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 32)
		if err != nil {
			seconds = 1 << 30 // more than an int32 can hold: longer than any run
		}
		wait = time.Duration(seconds) * time.Second
	}
	return max(wait, shortestWait), true
}

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

func (t *throttlePause) wait(ctx context.Context) error {
	for {
		end := t.end.Load()
		if end == nil {
			return nil
		}
		left := time.Until(*end)
		if left <= 0 {
			t.end.CompareAndSwap(end, nil)
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}
