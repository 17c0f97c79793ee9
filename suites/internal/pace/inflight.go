package pace

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// inFlight bounds how many requests are under way, to as many as the target bears: fewer while answers get slower, more
// again when they do not. It begins with few, so that it learns how fast the target is without a queue of our own
// making.
//
// Of the libraries that were tried, failsafe-go's limiter never shrinks a limit of eight, the default: it waits for a
// queue of six requests at least.
type inFlight struct {
	tokens chan struct{}
	most   int

	mu    sync.Mutex
	limit int
	owed  int           // tokens that are still out and will not come back
	fast  time.Duration // the least median so far, which grows old
	took  []time.Duration
	begun time.Time // of the window
}

const (
	firstInFlight = 4
	windowAnswers = 100                   // in a window at least, and
	windowTime    = 50 * time.Millisecond // its least width
	slowFactor    = 2                     // beyond this times the fastest, answers got slower,
	slowLeast     = 5 * time.Millisecond  // and by this much: nothing suffers of less
	steadyFactor  = 1.5                   // up to this times the fastest, more is borne
	shrinkFactor  = 0.8
	growFactor    = 1.1
	halfLife      = 10 * time.Minute // in which the fastest counts as twice as slow
)

func newInFlight(most int) *inFlight {
	f := &inFlight{tokens: make(chan struct{}, most), most: most, limit: min(firstInFlight, most), begun: time.Now()}
	for range f.limit {
		f.tokens <- struct{}{}
	}
	return f
}

// acquire waits until one more request may be under way.
func (f *inFlight) acquire(ctx context.Context) error {
	select {
	case <-f.tokens:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release ends a request that says nothing of how fast the target is.
func (f *inFlight) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
}

// served ends a request that was answered.
func (f *inFlight) served(took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
	if len(f.took) < 10*windowAnswers { // enough for a median
		f.took = append(f.took, took)
	}
	if now := time.Now(); len(f.took) >= windowAnswers && now.Sub(f.begun) >= windowTime {
		f.judge(now.Sub(f.begun))
		f.took, f.begun = f.took[:0], now
	}
}

// back gives a token back, unless one is owed.
func (f *inFlight) back() {
	if f.owed > 0 {
		f.owed--
		return
	}
	f.tokens <- struct{}{}
}

// judge looks at the window that has ended.
func (f *inFlight) judge(width time.Duration) {
	slices.Sort(f.took)
	now := f.took[len(f.took)/2]
	if f.fast = time.Duration(float64(f.fast) * math.Exp2(width.Seconds()/halfLife.Seconds())); f.fast == 0 || now < f.fast {
		f.fast = now
	}
	switch {
	case now > slowFactor*f.fast && now > f.fast+slowLeast:
		f.set(int(shrinkFactor * float64(f.limit)))
	case float64(now) < steadyFactor*float64(f.fast) || now < f.fast+slowLeast:
		f.set(max(f.limit+1, int(growFactor*float64(f.limit))))
	}
}

func (f *inFlight) set(limit int) {
	limit = max(1, min(limit, f.most))
	for ; f.limit < limit; f.limit++ {
		f.back()
	}
	for ; f.limit > limit; f.limit-- {
		select {
		case <-f.tokens:
		default:
			f.owed++
		}
	}
}

func (f *inFlight) now() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limit
}
