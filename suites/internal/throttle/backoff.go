package throttle

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// backOff limits requests per second once the target has throttled. The first limit is 10 % below the rate served since
// the last cut; it then rises by 10 % each second. If the share of throttled requests stays the same at lower rates,
// the rate is not the cause, and cuts stop for a while. Otherwise a target that always answers 503 for one user in ten
// would get only 6 requests per second.
type backOff struct {
	limiter *rate.Limiter
	limited atomic.Bool // the limiter has a limit

	mu            sync.Mutex
	since         time.Time // time of the last cut, or of the start
	served        int       // requests since then
	throttled     int       // requests since then
	share         float64   // of throttled requests at the last cut
	ineffective   int       // cuts in a row that did not lower the share
	until         time.Time // no cut before this time
	lastIncrease  time.Time // when the limit was last raised
	lastThrottled time.Time // when the target last throttled
}

const (
	cutFactor       = 0.9
	growthPerSecond = 1.1         // per second
	minInterval     = time.Second // minimum time between two cuts
	shortest        = 100 * time.Millisecond
	minRate         = rate.Limit(5)
	smallShare      = 0.06 // near a quota a smaller share is normal
	sameShare       = 0.7  // times the share at the previous cut
	maxIneffective  = 5
	uncut           = time.Minute
	unbounded       = rate.Limit(100_000) // above this the limit is removed: no target gets that many
	shownFor        = 10 * time.Second    // how long the progress line shows "throttled"
)

func newBackOff() *backOff {
	return &backOff{limiter: rate.NewLimiter(rate.Inf, 1), since: time.Now()}
}

func (b *backOff) wait(ctx context.Context) error {
	if !b.limited.Load() {
		return nil
	}
	err := b.limiter.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	// The limiter fails at once if the wait would end after the context's deadline.
	return fmt.Errorf("the target throttles for longer than the sweep's deadline allows: %w", context.DeadlineExceeded)
}

// increase counts a served request, and raises the limit at most once per second.
func (b *backOff) increase() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.served++
	if !b.limited.Load() {
		return
	}
	limit := b.limiter.Limit()
	if time.Since(b.lastIncrease) < time.Second {
		return
	}
	if limit *= growthPerSecond; limit > unbounded {
		limit = rate.Inf
	}
	b.set(limit)
	b.lastIncrease = time.Now()
}

// decrease counts a throttled request and lowers the limit, at most once per second.
func (b *backOff) decrease() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.lastThrottled = now
	b.throttled++
	passed := now.Sub(b.since)
	if now.Before(b.until) || passed < minInterval && b.limiter.Limit() != rate.Inf {
		return
	}
	limit := max(minRate, rate.Limit(cutFactor*float64(b.served)/max(passed, shortest).Seconds()))
	share := float64(b.throttled) / float64(b.throttled+b.served)
	if b.ineffective++; share < smallShare || share < sameShare*b.share {
		b.ineffective = 0
	}
	if b.ineffective == maxIneffective {
		limit, b.ineffective, b.until = rate.Inf, 0, now.Add(uncut)
	}
	b.set(limit)
	b.since, b.served, b.throttled, b.share, b.lastIncrease = now, 0, 0, share, now
}

func (b *backOff) set(limit rate.Limit) {
	b.limiter.SetLimit(limit)
	b.limited.Store(limit != rate.Inf)
}

// recent reports whether the target has throttled within shownFor.
func (b *backOff) recent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.lastThrottled.IsZero() && time.Since(b.lastThrottled) < shownFor
}
