package sweep

import (
	"context"
	"errors"
	"io"
	"sync"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/tally"
)

// ahead is how many users may be done before the first of them that is not, for each request in flight: one slow user does
// not hold up the others, and what is held is bounded.
const ahead = 64

// turn is a user's way through a sweep.
type turn struct {
	number int64
	user   population.User
	read   tally.Population // up to and with this user
	with   context.Context  // bears the user's part of the budget
	end    func()           // gives back what is left of that
	seen   *seen
}

// flow is users → workers → keeper. The users are looked at side by side, and what came of them is kept in the population's
// order, so that all before a place have been looked at, and none after it.
func (w *Sweep) flow(ctx context.Context, source *source, keep *keeper) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := w.Settings.Concurrency
	todo, done := make(chan turn, workers), make(chan turn, workers)
	window := make(chan struct{}, ahead*workers)

	go func() {
		defer close(todo)
		defer source.close() // here, as a standard input may be waited for when the sweep ends
		err := guarded(func() error { return w.feed(ctx, source, window, todo) })
		if err != nil {
			cancel(err)
		}
	}()
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			if err := w.work(ctx, todo, done); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		wait.Wait()
		close(done)
	}()
	if err := w.collect(cancel, done, window, keep); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// work looks at users until there are no more, or the sweep ends: it may wait for a standard input that brings no other.
func (w *Sweep) work(ctx context.Context, todo <-chan turn, done chan<- turn) error {
	for {
		select {
		case t, more := <-todo:
			if !more {
				return nil
			}
			err := guarded(func() (err error) {
				defer t.end()
				t.seen, err = w.eye.user(t.with, t.user)
				return err
			})
			if err != nil {
				return err
			}
			done <- t
		case <-ctx.Done():
			return nil
		}
	}
}

// feed reads the users, no further ahead than the window allows.
func (w *Sweep) feed(ctx context.Context, source *source, window chan<- struct{}, todo chan<- turn) error {
	for i := int64(0); ; i++ {
		select {
		case window <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		user, err := source.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// In the population's order, for in that order the results are kept: a budget that is enough for few is for the first.
		with, end, err := w.pace.Begin(ctx)
		if err != nil {
			return err
		}
		select {
		case todo <- turn{number: i, user: user, read: source.read(), with: with, end: end}:
		case <-ctx.Done():
			return nil
		}
	}
}

// collect keeps what is done in order. After an error the rest is let go of: a sweep that goes on looks at it again.
func (w *Sweep) collect(cancel context.CancelCauseFunc, done <-chan turn, window <-chan struct{}, keep *keeper) error {
	waiting := map[int64]turn{}
	next := int64(0)
	var failed error
	for t := range done {
		waiting[t.number] = t
		for failed == nil {
			ready, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			<-window
			if failed = guarded(func() error { return keep.add(&ready) }); failed != nil {
				cancel(failed)
				break
			}
			w.tell(keep)
		}
	}
	return failed
}
