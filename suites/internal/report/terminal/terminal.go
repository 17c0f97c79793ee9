// Package terminal finds out what a stream is, a terminal or not, and shows progress on it.
package terminal

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Printer writes a command's output and keeps the first error: a result that was not printed is no success.
type Printer struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (p *Printer) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Err returns the error if something could not be printed, else nil.
func (p *Printer) Err() error {
	if err := p.failed.Load(); err != nil {
		return fmt.Errorf("the output can't be written: %w", *err)
	}
	return nil
}

// Width returns how many columns a terminal has, and whether the stream is a terminal.
func Width(w io.Writer) (columns int, is bool) {
	if p, ok := w.(*Printer); ok {
		w = p.Writer
	}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	columns, _, _ = term.GetSize(int(file.Fd())) // 0 if it is not known
	return columns, true
}

// Coloured reports whether to use colour: on a terminal, unless NO_COLOR is set (no-color.org).
func Coloured(w io.Writer) bool {
	_, is := Width(w)
	return is && os.Getenv("NO_COLOR") == ""
}

// Bar returns functions that show a live line of progress on a terminal and remove it again. A terminal that is closed
// does not affect the work.
func Bar(w io.Writer, options ...progressbar.Option) (show func(text string, done, total int), remove func()) {
	bar := progressbar.NewOptions(1, append(options, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(100*time.Millisecond))...)
	return func(text string, done, total int) {
		bar.Describe(text)
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}, func() { _ = bar.Clear() }
}

// Left says how long the rest takes if it goes on as it did: ", about 20s left". It is "" as long as that is not known.
func Left(elapsed time.Duration, done, total int) string {
	if done == 0 || total <= done {
		return ""
	}
	left := elapsed / time.Duration(done) * time.Duration(total-done)
	return ", about " + max(left.Round(time.Second), time.Second).String() + " left"
}

// Log writes a line with the time after first, and then after each interval, until it is stopped.
func Log(w io.Writer, first, interval time.Duration, line func() string) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for next := time.NewTimer(first); ; next.Reset(interval) {
			select {
			case now := <-next.C:
				fmt.Fprintf(w, "%s %s\n", now.UTC().Format(time.RFC3339), line())
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
