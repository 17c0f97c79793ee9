package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// backOff bounds how much is sent in a second, once the target has throttled: to less than it took since it last did, and
// from then on a little more each second, until it throttles again.
type backOff struct {
	limiter *rate.Limiter

	mu    sync.Mutex
	since time.Time // of the last cut, or of the beginning
	took  int64     // requests that the target has served since then
	grown time.Time // when the rate was last raised
	was   time.Time // when the target last throttled
}

const (
	lessThanTaken = 0.9
	growth        = 1.1         // a second
	apart         = time.Second // what throttles within this time is one sign
	least         = rate.Limit(1)
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
		b.limiter.SetLimit(growth * b.limiter.Limit())
		b.grown = now
	}
}

// cut lowers the rate to less than what the target took since the last cut.
func (b *backOff) cut(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.was = now
	took := now.Sub(b.since)
	if took < apart && b.limiter.Limit() != rate.Inf {
		return
	}
	b.limiter.SetLimit(max(least, rate.Limit(lessThanTaken*float64(b.took)/max(took, apart).Seconds())))
	b.since, b.took, b.grown = now, 0, now
}

func (b *backOff) held() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.was.IsZero() && time.Since(b.was) < shown
}
