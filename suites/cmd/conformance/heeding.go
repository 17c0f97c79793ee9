package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Nothing outlasts a deadline or a signal by more than this, whatever it is that hangs (J18).
const (
	toEnd    = 5 * time.Second  // sending and judging, after the deadline or a signal
	toSave   = time.Minute      // a sweep with its findings and checkpoint, after its deadline
	toReport = 10 * time.Second // a command that leaves reports, after a signal
	toExit   = 20 * time.Second // the process, after a signal
)

// errGivenUp means that work was given up which did not end in time.
var errGivenUp = errors.New("what was under way did not end soon after that and was given up")

// heed does work that yields nothing as heeding does.
func heed(ctx context.Context, grace time.Duration, work func() error) error {
	_, err := heeding(ctx, grace, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// heeding does work that ends with its context; with no grace after that, the work is not waited for. What did not end
// in time may still be under way: nothing may be touched that it touches. A panic is an error.
func heeding[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s", p,
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
	if grace == 0 {
		return none, context.Cause(ctx)
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-time.After(grace):
		return none, fmt.Errorf("%w; %w", context.Cause(ctx), errGivenUp)
	}
}
