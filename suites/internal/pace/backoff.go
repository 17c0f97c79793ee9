package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// backOff bounds how much is sent in a second, once the target has throttled: to less than it took since it last did,
// and from then on a little more each second, until it throttles again. Where it throttles as much of little as of
// much, it is not about how much is sent, and nothing is gained by sending less.
type backOff struct {
	limiter *rate.Limiter

	mu        sync.Mutex
	since     time.Time  // of the last cut, or of the beginning
	took      int64      // requests that the target has served since then
	throttled int64      // that it has throttled since then
	grown     time.Time  // when the rate was last raised
	was       time.Time  // when the target last throttled
	first     rate.Limit // of a row of cuts
	part      float64    // of all requests that had been throttled when it was last cut
	vain      int        // cuts in a row that changed nothing
	free      time.Time  // until then the rate is not cut, as cuts have changed nothing
}

const (
	lessThanTaken = 0.9
	growth        = 1.1         // a second
	apart         = time.Second // what throttles within this time is one sign
	shortest      = 100 * time.Millisecond
	least         = rate.Limit(5)
	unbounded     = rate.Limit(100_000) // no target is sent so much in a second: the bound has no use any more
	useless       = 4                   // times less sent than after the first cut, and as large a part throttled as before:
	mostVain      = 3                   // so often in a row, and cuts are of no use
	asLarge       = 0.7
	large         = 0.06             // a part that is throttled; a quota throttles less of what keeps close to it
	relief        = time.Minute      // for which nothing is cut then
	shown         = 10 * time.Second // for how long throttling is told of
)

func newBackOff() *backOff {
	return &backOff{limiter: rate.NewLimiter(rate.Inf, 1), since: time.Now()}
}

func (b *backOff) wait(ctx context.Context) error {
	if b.limiter.Limit() == rate.Inf {
		return nil
	}
	if err := b.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// The limiter knows beforehand that the context will have ended by then.
		return fmt.Errorf("the target throttles, and the sweep's deadline comes first: %w", context.DeadlineExceeded)
	}
	return nil
}

// served counts a request, and raises the rate.
func (b *backOff) served() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took++
	if now := time.Now(); b.limiter.Limit() != rate.Inf && now.Sub(b.grown) >= time.Second {
		b.set(growth * b.limiter.Limit())
		b.grown = now
	}
}

func (b *backOff) set(limit rate.Limit) {
	if limit > unbounded {
		limit, b.first, b.vain = rate.Inf, 0, 0
	}
	b.limiter.SetLimit(limit)
}

// cut lowers the rate to less than what the target took since the last cut.
func (b *backOff) cut(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.was = now
	b.throttled++
	took := now.Sub(b.since)
	if took < apart && b.limiter.Limit() != rate.Inf || now.Before(b.free) {
		return
	}
	part := float64(b.throttled) / float64(b.throttled+b.took)
	limit := max(least, rate.Limit(lessThanTaken*float64(b.took)/max(took, shortest).Seconds()))
	if b.first == 0 {
		b.first = limit
	}
	if (limit < b.first/useless || limit == least) && part > max(large, asLarge*b.part) {
		b.vain++
	} else {
		b.vain = 0
	}
	if b.part = part; b.vain == mostVain {
		limit, b.free = rate.Inf, now.Add(relief)
	}
	b.set(limit)
	b.since, b.took, b.throttled, b.grown = now, 0, 0, now
}

func (b *backOff) held() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.was.IsZero() && time.Since(b.was) < shown
}
