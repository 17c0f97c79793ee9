package proof_test

import (
	"context"
	"os"
	"sync"

	"golang.org/x/sync/semaphore"
)

// sideBySide is how many services are judged at a time. Most of the time goes into waiting for sockets and deadlines.
const sideBySide = 32

// jobs judges services side by side, although specs run one after the other: the first result that a spec asks for
// begins all. That one begins first, so that a spec that is run alone waits for no other.
type jobs struct {
	entries []*entry
	begin   sync.Once
	slots   *semaphore.Weighted // bounds what is judged at a time
}

type entry struct {
	service service
	done    chan struct{}
	result  *judged
}

func newAhead() *jobs { return &jobs{slots: semaphore.NewWeighted(sideBySide)} }

// add takes services in the order of their specs. What it returns judges the i-th of them.
func (a *jobs) add(services []service) func(i int) *judged {
	first := len(a.entries)
	for _, s := range services {
		a.entries = append(a.entries, &entry{service: s, done: make(chan struct{})})
	}
	return func(i int) *judged { return a.result(first + i) }
}

func (a *jobs) result(i int) *judged {
	a.begin.Do(func() {
		go a.judge(a.entries[i])
		for k, e := range a.entries {
			if k != i {
				go a.judge(e)
			}
		}
	})
	<-a.entries[i].done
	return a.entries[i].result
}

func (a *jobs) judge(e *entry) {
	defer close(e.done)
	weight := int64(1)
	if e.service.heavy {
		weight = sideBySide / 4 // for the sake of memory
	}
	_ = a.slots.Acquire(context.Background(), weight) // without a deadline it can't fail
	defer a.slots.Release(weight)
	folder, err := os.MkdirTemp("", "proof")
	if err != nil {
		e.result = &judged{err: err}
		return
	}
	defer os.RemoveAll(folder)
	e.result = e.service.judge(folder)
}
