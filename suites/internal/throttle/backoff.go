package throttle

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// backOff limits requests per second once the target has throttled: first to a tenth less than it served per second
// since it last throttled, then to a tenth more each second. If the share of throttled requests stays the same at lower
// rates, the rate is not the cause, so it stops lowering it for a while: a target that always answers 503 for one user
// in ten would get 6 requests per second else.
type backOff struct {
	limiter *rate.Limiter

	mu          sync.Mutex
	since       time.Time // of the last cut, or of the beginning
	served      int       // requests since then
	throttled   int       // requests since then
	share       float64   // of throttled requests at the last cut
	ineffective int       // cuts in a row
	until       time.Time // the limit is not cut
	grown       time.Time // when the limit was last raised
	was         time.Time // when the target last throttled
}

const (
	cutFactor       = 0.9
	growth          = 1.1         // a second
	apart           = time.Second // at least, from one cut to the next
	shortest        = 100 * time.Millisecond
	least           = rate.Limit(5)
	smallShare      = 0.06 // less is throttled close to a quota
	sameShare       = 0.7  // of the share at the cut before
	mostIneffective = 5
	uncut           = time.Minute
	unbounded       = rate.Limit(100_000) // no target is sent so much: above it there is no limit
	shownFor        = 10 * time.Second    // for so long the progress says that the target throttled
)

func newBackOff() *backOff {
	return &backOff{limiter: rate.NewLimiter(rate.Inf, 1), since: time.Now()}
}

func (b *backOff) wait(ctx context.Context) error {
	err := b.limiter.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	// The limiter knows beforehand that the context will have ended by then.
	return fmt.Errorf("the target throttles, and the sweep's deadline comes first: %w", context.DeadlineExceeded)
}

// raise counts an answer, and raises the limit.
func (b *backOff) raise() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.served++
	limit := b.limiter.Limit()
	if limit == rate.Inf || time.Since(b.grown) < time.Second {
		return
	}
	if limit *= growth; limit > unbounded {
		limit = rate.Inf
	}
	b.limiter.SetLimit(limit)
	b.grown = time.Now()
}

// cut lowers the limit. Requests that are throttled within a second of each other cut it once.
func (b *backOff) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.was = now
	b.throttled++
	passed := now.Sub(b.since)
	if now.Before(b.until) || passed < apart && b.limiter.Limit() != rate.Inf {
		return
	}
	limit := max(least, rate.Limit(cutFactor*float64(b.served)/max(passed, shortest).Seconds()))
	share := float64(b.throttled) / float64(b.throttled+b.served)
	if b.ineffective++; share < smallShare || share < sameShare*b.share {
		b.ineffective = 0
	}
	if b.ineffective == mostIneffective {
		limit, b.ineffective, b.until = rate.Inf, 0, now.Add(uncut)
	}
	b.limiter.SetLimit(limit)
	b.since, b.served, b.throttled, b.share, b.grown = now, 0, 0, share, now
}

// recent reports whether the target has throttled in the last seconds.
func (b *backOff) recent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.was.IsZero() && time.Since(b.was) < shownFor
}
