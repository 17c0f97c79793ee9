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
func (i *inFlight) acquire(ctx context.Context) error {
	select {
	case <-i.tokens:
		return nil
	default:
	}
	select {
	case <-i.tokens:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release ends a request whose duration does not count.
func (i *inFlight) release() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.back()
}

// served ends an answered request. At the end of a window it adjusts the limit to the mean duration.
func (i *inFlight) served(duration time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.back()
	i.total += duration
	i.count++
	if i.count < windowAnswers {
		return
	}
	width := time.Since(i.begun)
	if width < windowTime {
		return
	}
	mean := i.total / time.Duration(i.count)
	i.total, i.count, i.begun = 0, 0, time.Now()
	if i.fast += time.Duration(float64(i.fast) * width.Seconds() / forgetting.Seconds()); i.fast == 0 || mean < i.fast {
		i.fast = mean
	}
	switch {
	case mean > slowFactor*i.fast && mean > i.fast+slowLeast:
		i.set(int(shrinkFactor * float64(i.limit)))
	case float64(mean) < steadyFactor*float64(i.fast) || mean < i.fast+slowLeast:
		i.set(max(i.limit+1, int(growFactor*float64(i.limit))))
	}
}

// back returns a token, or drops it if one is owed.
func (i *inFlight) back() {
	if i.excess > 0 {
		i.excess--
		return
	}
	i.tokens <- struct{}{}
}

func (i *inFlight) set(limit int) {
	limit = max(1, min(limit, i.max))
	for ; i.limit < limit; i.limit++ {
		i.back()
	}
	for ; i.limit > limit; i.limit-- {
		select {
		case <-i.tokens:
		default:
			i.excess++
		}
	}
}

func (i *inFlight) now() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.limit
}
