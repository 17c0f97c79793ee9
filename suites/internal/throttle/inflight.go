package throttle

import (
	"context"
	"sync"
	"time"
)

// inFlight limits how many requests are under way: fewer while answers get slower, more again when they do not. It
// begins with few, so that it learns how fast the target is without a queue of its own making.
//
// failsafe-go's adaptive limiter would not do: it shrinks only behind a queue of six requests, and so never below the
// default of eight.
type inFlight struct {
	tokens chan struct{}
	most   int

	mu    sync.Mutex
	limit int
	owed  int           // tokens that are out and will not come back
	fast  time.Duration // the least mean so far
	took  time.Duration // of all answers in the window
	count int           // of them
	begun time.Time     // of the window
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
	forgetting    = 10 * time.Minute // in which the fastest counts as twice as slow: it may have been chance
)

func newInFlight(most int) *inFlight {
	f := &inFlight{tokens: make(chan struct{}, most), most: most, begun: time.Now()}
	f.set(firstInFlight)
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

// release ends a request that says nothing about how fast the target is.
func (f *inFlight) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
}

// served ends a request that was answered, and at the end of a window adjusts the limit to the mean of its answers.
func (f *inFlight) served(took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
	f.took += took
	f.count++
	width := time.Since(f.begun)
	if f.count < windowAnswers || width < windowTime {
		return
	}
	mean := f.took / time.Duration(f.count)
	f.took, f.count, f.begun = 0, 0, time.Now()
	if f.fast += time.Duration(float64(f.fast) * width.Seconds() / forgetting.Seconds()); f.fast == 0 || mean < f.fast {
		f.fast = mean
	}
	switch {
	case mean > slowFactor*f.fast && mean > f.fast+slowLeast:
		f.set(int(shrinkFactor * float64(f.limit)))
	case float64(mean) < steadyFactor*float64(f.fast) || mean < f.fast+slowLeast:
		f.set(max(f.limit+1, int(growFactor*float64(f.limit))))
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
