package selftest_test

import "sync"

// jobs are started ahead of the specs that ask for their results, so that processes run side by side although specs run
// one after the other. Asking for one result also starts the following jobs, but only a few: a spec that is run alone
// does not cost all of them.
type jobs struct{ list []*job }

type job struct {
	start func()
	done  chan struct{}
}

// Each loop of the proof has jobs of its own, and all other specs share some: with a label filter, only those start
// that are needed.
var mutantJobs, conformingJobs, hostileJobs, otherJobs jobs

// startedAhead waits for all jobs that were started.
var startedAhead sync.WaitGroup

// startEarly registers work, in the order in which its specs run. The work must not make assertions, as it runs in a
// goroutine of its own. The returned function waits for its result.
func startEarly[T any](j *jobs, work func() T) (result func() T) {
	var value T
	next := len(j.list)
	own := &job{done: make(chan struct{})}
	own.start = sync.OnceFunc(func() {
		startedAhead.Go(func() {
			defer close(own.done)
			value = work()
		})
	})
	j.list = append(j.list, own)
	return func() T {
		for _, one := range j.list[next:min(next+2*cap(processSlots), len(j.list))] {
			one.start()
		}
		<-own.done
		return value
	}
}
