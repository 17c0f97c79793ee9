package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long after a signal another one is the same: timeout(1) sends it to the process and to its group.
const oneSignal = 200 * time.Millisecond

// interruptible gives a context that ends at SIGINT or SIGTERM, with the signal as the cause, so that a run can still
// write its reports. The process ends soon after that, whatever it does; a second signal ends it at once, as it would
// without us.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			time.AfterFunc(oneSignal, func() { signal.Stop(signals) })
			time.AfterFunc(toExit, func() { os.Exit(exitError) })
			cancel(fmt.Errorf("interrupted by the signal %q before the run had ended; run again", s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
