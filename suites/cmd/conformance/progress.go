package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/sweep"
)

// terminal reports whether a stream is a terminal.
func terminal(w io.Writer) bool {
	if p, ok := w.(*printer); ok {
		w = p.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// columns returns the width of a terminal, or 0 for any other stream.
func columns(w io.Writer) int {
	if p, ok := w.(*printer); ok {
		w = p.Writer
	}
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// showProgress shows a live line on a terminal; in a pipe it shows nothing.
func showProgress(r *run.Run, w io.Writer) (stop func()) {
	if !terminal(w) {
		return func() {}
	}
	bar := progressbar.NewOptions(1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("sending"),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(100*time.Millisecond))
	r.Progress = func(done, planned int) {
		bar.ChangeMax(planned)
		_ = bar.Set(done) // a closed terminal does not affect the run
	}
	return func() { _ = bar.Clear() }
}

// perMille is the number of steps of a sweep's progress bar. The number of users is unknown before the end.
const perMille = 1000

// showSweep shows a live line on a terminal. In a log it writes a line after ten seconds and then each minute.
func showSweep(s *sweep.Sweep, w io.Writer) (stop func()) {
	if !terminal(w) {
		return logSweep(s, w, 10*time.Second, time.Minute)
	}
	bar := progressbar.NewOptions(perMille, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(200*time.Millisecond))
	s.Progress = func(p sweep.Progress) {
		bar.Describe(p.String())
		_ = bar.Set(min(perMille-1, int(p.Part*perMille))) // a closed terminal does not affect the sweep
	}
	return func() { _ = bar.Clear() }
}

// logSweep writes a progress line after first, and then after each pause. It also does so while no user is finished:
// outside the window, and while the target does not answer.
func logSweep(s *sweep.Sweep, w io.Writer, first, interval time.Duration) (stop func()) {
	var last atomic.Pointer[sweep.Progress]
	last.Store(&sweep.Progress{})
	s.Progress = func(p sweep.Progress) { last.Store(&p) }
	shard := ""
	if s.Options.Shard.Of > 1 {
		shard = "shard " + s.Options.Shard.String() + ": "
	}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for next := time.NewTimer(first); ; next.Reset(interval) {
			select {
			case now := <-next.C:
				p := *last.Load()
				p.State = s.State()
				fmt.Fprintf(w, "%s %s%s\n", now.UTC().Format(time.RFC3339), shard, p)
			case <-ended:
				next.Stop()
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// coloured reports whether to use colour: on a terminal, unless NO_COLOR is set (no-color.org).
func coloured(w io.Writer) bool { return terminal(w) && os.Getenv("NO_COLOR") == "" }
