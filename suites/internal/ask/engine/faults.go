package engine

import (
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// FaultsInARow is how many requests without an answer, one after the other, mean that the target is unreachable (J19).
const FaultsInARow = 5

// Faults counts consecutive requests without an answer. They count in the order sent, not in that in which they
// end. It is safe for concurrent use; the zero value is ready.
type Faults struct {
	mu       sync.Mutex
	dropped  int // requests before the first of recent
	recent   []ending
	answered bool               // at least one request was answered
	first    *exchange.Exchange // the request without a whole answer that was sent first, if possible one with a status
	number   int                // its number
}

type ending byte

const (
	running ending = iota
	answered
	faulted
)

// Begin returns the number of the next request.
func (f *Faults) Begin() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = append(f.recent, running)
	return f.dropped + len(f.recent) - 1
}

// Answered records that a request was answered.
func (f *Faults) Answered(number int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = true
	f.recent[number-f.dropped] = answered
	// Requests sent before an answered one, and ended, can't be part of a row of faults any more.
	last := -1
	for i, e := range f.recent {
		if e == running {
			break
		}
		if e == answered {
			last = i
		}
	}
	f.dropped, f.recent = f.dropped+last+1, f.recent[last+1:]
}

// Faulted records that a request was not answered. It returns the length of the row of faults around that request.
func (f *Faults) Faulted(number int, ex *exchange.Exchange) (row int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if begun := ex.Status > 0; f.first == nil || begun && f.first.Status == 0 ||
		begun == (f.first.Status > 0) && number < f.number {
		f.first, f.number = ex, number
	}
	at := number - f.dropped
	f.recent[at] = faulted
	from, to := at, at+1
	for from > 0 && f.recent[from-1] == faulted {
		from--
	}
	for to < len(f.recent) && f.recent[to] == faulted {
		to++
	}
	return to - from
}

// Unanswered returns the first request without a whole answer, or nil if any request was answered. It is the first of
// those with a status, if some have one.
func (f *Faults) Unanswered() *exchange.Exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answered {
		return nil
	}
	return f.first
}

// Silent names who answered no request, if v did not: v alone if another version answered, else the target.
func Silent(all map[schemas.Version]*Faults, v schemas.Version) string {
	for other, faults := range all {
		if other != v && faults.anyAnswered() {
			return string(v)
		}
	}
	return "the target"
}

func (f *Faults) anyAnswered() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answered
}
