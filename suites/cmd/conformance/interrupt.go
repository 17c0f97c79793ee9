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

// The most time that a command may take after a signal, even if it blocks (J18).
const (
	reportGrace = 10 * time.Second // a command that leaves reports
	exitGrace   = 20 * time.Second // the process
)

// oneSignal is how long a repeated signal counts as the same one: timeout(1) signals both the process and its group.
const oneSignal = 200 * time.Millisecond

// interruption is the cause of a context that ended because of a signal.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string {
	return fmt.Sprintf("interrupted by the signal %q before the run had ended; run again", i.signal)
}

// interrupted reports whether a signal ended a context.
func interrupted(ctx context.Context) bool { return errors.As(context.Cause(ctx), new(interruption)) }

// exitOnSignal returns the exit code of a command that a signal ended before its work was done. A sweep has its own
// code, so that a Kubernetes Job that restarts it does not treat the signal as an error or a verdict.
func exitOnSignal(args []string) int {
	if len(args) > 0 && args[0] == sweepName {
		return exitStopped
	}
	return exitError
}

// interruptible returns a context that ends at SIGINT or SIGTERM, with an interruption as its cause, so that a run can
// still write its reports. The process exits with code after exitGrace, whatever it does. A second signal ends it at
// once, as by default.
func interruptible(parent context.Context, code int) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			time.AfterFunc(oneSignal, func() { signal.Stop(signals) })
			time.AfterFunc(exitGrace, func() { os.Exit(code) })
			cancel(interruption{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
