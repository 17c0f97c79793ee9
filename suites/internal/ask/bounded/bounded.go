// Package bounded runs work that may panic, or outlast its context.
package bounded

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
