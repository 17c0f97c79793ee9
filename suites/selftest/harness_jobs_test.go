package selftest_test

import "sync"

// jobs starts work ahead of the specs that need its results: processes run concurrently although specs run one after
// the other. Waiting for one result also starts the next jobs, but only a few, so that a single spec does not run all.
type jobs struct{ list []*job }

type job struct {
	start func()
	done  chan struct{}
}

// The proof has its own jobs; all other specs share otherJobs. So a label filter starts only the jobs that it needs.
var hostileJobs, otherJobs jobs

// startedJobs counts the running jobs.
var startedJobs sync.WaitGroup

// startEarly registers work and returns a function that waits for its result. Register in the order of the specs. The
// work runs in a goroutine of its own, so it must not contain assertions.
func startEarly[T any](j *jobs, work func() T) (result func() T) {
	var value T
	next := len(j.list)
	own := &job{done: make(chan struct{})}
	own.start = sync.OnceFunc(func() {
		startedJobs.Go(func() {
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
