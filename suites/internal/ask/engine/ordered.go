package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"
)

// Defect is an error of the suite itself, never of the target.
type Defect struct {
	Panic any
	Stack []byte
}

func (d *Defect) Error() string {
	return fmt.Sprintf("defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s",
		d.Panic, d.Stack)
}

// Guarded runs a function and returns a panic as an error, so that the reports are always written.
func Guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Defect{Panic: p, Stack: debug.Stack()}
		}
	}()
	return do()
}

// Ordered runs jobs concurrently and collects their results in the order of the jobs.
type Ordered[Job, Result any] struct {
	Workers   int                                // how many jobs run at a time
	Backlog   int                                // how many jobs may wait for collection, to limit memory
	Next      func(context.Context) (Job, error) // returns the next job, or io.EOF after the last
	Do        func(context.Context, Job) (Result, error)
	Collector func(context.Context, Job, Result) error
}

// Run runs all jobs. It returns the first error of a function, or why the context ended. After that it collects nothing
// more.
func (o Ordered[Job, Result]) Run(ctx context.Context) error {
	type item struct {
		number int
		job    Job
		result Result
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs, done := make(chan item, o.Workers), make(chan item, o.Workers)
	backlog := make(chan struct{}, o.Backlog)
	go func() {
		defer close(jobs)
		for number := 0; ; number++ {
			select {
			case backlog <- struct{}{}:
			case <-ctx.Done():
				return
			}
			next := item{number: number}
			err := Guarded(func() (err error) { next.job, err = o.Next(ctx); return err })
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				cancel(err)
				return
			}
			select {
			case jobs <- next:
			case <-ctx.Done():
				return
			}
		}
	}()
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			for {
				select {
				case i, more := <-jobs:
					if !more {
						return
					}
					if err := Guarded(func() (err error) { i.result, err = o.Do(ctx, i.job); return err }); err != nil {
						cancel(err)
						return
					}
					done <- i
				case <-ctx.Done():
					return // Next may block for ever, on a standard input without data
				}
			}
		})
	}
	go func() {
		workers.Wait()
		close(done)
	}()
	waiting, next := map[int]item{}, 0
	var failed error
	for i := range done {
		waiting[i.number] = i
		for failed == nil {
			result, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			<-backlog
			if failed = Guarded(func() error { return o.Collector(ctx, result.job, result.result) }); failed != nil {
				cancel(failed)
			}
		}
	}
	if failed != nil {
		return failed
	}
	return context.Cause(ctx)
}

// ErrGivenUp means that work did not end in time and was abandoned. It may still be running, so the caller must not use
// anything that it uses.
var ErrGivenUp = errors.New("what was still running did not end in time and was abandoned")

// Within runs work, for at most a grace period after the context ends, even if it blocks (J18). With a period of 0 the
// context's end is the end. A panic in work becomes an error.
func Within(ctx context.Context, grace time.Duration, work func() error) error {
	_, err := Value(ctx, grace, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// Value is Within for work with a result.
func Value[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = Guarded(func() (err error) { o.value, err = work(); return err })
		done <- o
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	var none T
	if grace == 0 {
		return none, context.Cause(ctx)
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-time.After(grace):
		return none, fmt.Errorf("%w; %w", context.Cause(ctx), ErrGivenUp)
	}
}
