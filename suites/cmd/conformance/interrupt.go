package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long after a signal another one is the same: timeout(1) sends it to the process and to its group.
const oneSignal = 200 * time.Millisecond

// interruption is the cause of a context that a signal has ended.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string {
	return fmt.Sprintf("interrupted by the signal %q before the run had ended; run again", i.signal)
}

// interrupted reports whether it was a signal that ended a context.
func interrupted(ctx context.Context) bool { return errors.As(context.Cause(ctx), new(interruption)) }

// exitOnSignal is the exit code of a command that a signal ended before its work was done. That of a sweep is its own:
// whoever starts it again, such as a Job of Kubernetes, must not take the signal for an error or a verdict.
func exitOnSignal(args []string) int {
	if len(args) > 0 && args[0] == sweepName {
		return exitStopped
	}
	return exitError
}

// interruptible gives a context that ends at SIGINT or SIGTERM, with an interruption as the cause, so that a run can
// still write its reports. The process ends soon after that with the exit code, whatever it does; a second signal ends
// it at once, as it would without us.
func interruptible(parent context.Context, code int) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			time.AfterFunc(oneSignal, func() { signal.Stop(signals) })
			time.AfterFunc(toExit, func() { os.Exit(code) })
			cancel(interruption{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
