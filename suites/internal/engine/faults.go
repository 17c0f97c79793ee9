package engine

import (
	"sync"

	"authenticator-conformance/suites/internal/exchange"
)

// FaultsInARow is how many requests without an answer, in the order sent, mean that a target is not there (J19).
const FaultsInARow = 5

// Faults counts requests without an answer in a row, in the order in which they were sent, whatever the order in which
// they end. It is safe for concurrent use; the zero value is ready.
type Faults struct {
	mu       sync.Mutex
	passed   int // requests that are not in the window any more
	recent   []ending
	answered bool               // some request was
	first    *exchange.Exchange // of those without an answer, the one sent first
	number   int                // its number
}

type ending byte

const (
	underWay ending = iota
	answered
	faulted
)

// Begin gives the next request its number.
func (f *Faults) Begin() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = append(f.recent, underWay)
	return f.passed + len(f.recent) - 1
}

// Answered notes that a request was answered.
func (f *Faults) Answered(number int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = true
	f.recent[number-f.passed] = answered
	// What was sent before an answer, and has ended, can't be part of a row any more.
	last := -1
	for i, e := range f.recent {
		if e == underWay {
			break
		}
		if e == answered {
			last = i
		}
	}
	f.passed, f.recent = f.passed+last+1, f.recent[last+1:]
}

// Faulted notes that a request was not answered, and gives the length of the row that it is in.
func (f *Faults) Faulted(number int, ex *exchange.Exchange) (row int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil || number < f.number {
		f.first, f.number = ex, number
	}
	at := number - f.passed
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

// Unanswered is the first request without an answer, if no request at all was answered; else nil.
func (f *Faults) Unanswered() *exchange.Exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answered {
		return nil
	}
	return f.first
}
