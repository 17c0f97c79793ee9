package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// The most time that work may take after a deadline or a signal, even if it blocks (J18).
const (
	endGrace    = 5 * time.Second  // sending and judging, after the deadline or a signal
	saveGrace   = time.Minute      // a sweep with its findings and checkpoint, after its deadline
	reportGrace = 10 * time.Second // a command that leaves reports, after a signal
	exitGrace   = 20 * time.Second // the process, after a signal
)

// errGivenUp means that work did not end in time and was abandoned.
var errGivenUp = errors.New("what was still running did not end in time and was abandoned")

// waitFor is waitForValue for work without a result.
func waitFor(ctx context.Context, gracePeriod time.Duration, work func() error) error {
	_, err := waitForValue(ctx, gracePeriod, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// waitForValue runs work and returns its result. After the context ends it waits for the grace period; if that is 0 it
// returns at once. Abandoned work may still be running, so the caller must not use anything that it uses. A panic in
// work becomes an error.
func waitForValue[T any](ctx context.Context, gracePeriod time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf(
					"defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s", p,
					debug.Stack())
			}
			done <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	var none T
	if gracePeriod == 0 {
		return none, context.Cause(ctx)
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-time.After(gracePeriod):
		return none, fmt.Errorf("%w; %w", context.Cause(ctx), errGivenUp)
	}
}
