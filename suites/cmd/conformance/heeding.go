package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// The most time that work may take after a deadline or a signal, whatever blocks (J18).
const (
	toEnd    = 5 * time.Second  // sending and judging, after the deadline or a signal
	toSave   = time.Minute      // a sweep with its findings and checkpoint, after its deadline
	toReport = 10 * time.Second // a command that leaves reports, after a signal
	toExit   = 20 * time.Second // the process, after a signal
)

// errGivenUp means that work did not end in time and was abandoned.
var errGivenUp = errors.New("what was under way did not end soon after that and was given up")

// heed is heeding for work without a value.
func heed(ctx context.Context, grace time.Duration, work func() error) error {
	_, err := heeding(ctx, grace, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// heeding runs work and returns its result. After the context ends it waits for grace more; with grace 0 it returns at
// once. Abandoned work may still be running, so the caller must not use anything that it uses. A panic in work becomes
// an error.
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
