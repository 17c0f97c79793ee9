package throttle

import (
	"context"
	"sync"
	"time"
)

// inFlight limits the number of concurrent requests: it lowers the limit while answers get slower, else it raises it.
// It starts low, to measure the target's speed without a queue that the suite itself causes.
//
// The adaptive limiter of failsafe-go is not used: it shrinks only behind a queue of six requests, so never below the
// default of eight.
type inFlight struct {
	tokens chan struct{}
	max    int

	mu     sync.Mutex
	limit  int
	excess int           // tokens in use that are to be dropped on return
	fast   time.Duration // the lowest mean duration so far
	total  time.Duration // sum of the durations in the window
	count  int           // answers in the window
	begun  time.Time     // start of the window
}

const (
	firstInFlight = 4
	windowAnswers = 100                   // minimum answers in a window
	windowTime    = 50 * time.Millisecond // minimum length of a window
	slowFactor    = 2                     // answers are slower if their mean is over this times the fastest,
	slowLeast     = 5 * time.Millisecond  // and by at least this much; less does no harm
	steadyFactor  = 1.5                   // up to this times the fastest, the limit is raised
	shrinkFactor  = 0.8
	growFactor    = 1.1
	forgetting    = 10 * time.Minute // the fastest mean doubles in this time, as it may have been chance
)

func newInFlight(max int) *inFlight {
	f := &inFlight{tokens: make(chan struct{}, max), max: max, begun: time.Now()}
	f.set(firstInFlight)
	return f
}

// acquire waits until one more request may be sent.
func (f *inFlight) acquire(ctx context.Context) error {
	select {
	case <-f.tokens:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release ends a request whose duration does not count.
func (f *inFlight) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
}

// served ends an answered request. At the end of a window it adjusts the limit to the mean duration.
func (f *inFlight) served(duration time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back()
	f.total += duration
	f.count++
	width := time.Since(f.begun)
	if f.count < windowAnswers || width < windowTime {
		return
	}
	mean := f.total / time.Duration(f.count)
	f.total, f.count, f.begun = 0, 0, time.Now()
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

// back returns a token, or drops it if one is owed.
func (f *inFlight) back() {
	if f.excess > 0 {
		f.excess--
		return
	}
	f.tokens <- struct{}{}
}

func (f *inFlight) set(limit int) {
	limit = max(1, min(limit, f.max))
	for ; f.limit < limit; f.limit++ {
		f.back()
	}
	for ; f.limit > limit; f.limit-- {
		select {
		case <-f.tokens:
		default:
			f.excess++
		}
	}
}

func (f *inFlight) now() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limit
}
