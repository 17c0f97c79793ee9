package selftest_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// command is one call of the binary.
type command struct {
	args    []string // the name of the command first
	env     []string // NAME=value; besides these the process gets HOME and TMPDIR
	folder  string   // to work in; "" means a new one
	stdin   io.Reader
	timeout time.Duration          // 0 means generousTimeout
	binary  func() (string, error) // nil means shippedBinary
	onStart func(process)          // called as soon as the process runs
	noSlot  bool                   // it runs beside a process that has a slot and waits for it
}

// process is a running call of the binary.
type process struct {
	*os.Process
	stdout *syncBuffer // what it has written so far
}

// result is what a process left behind.
type result struct {
	folder         string // that it worked in
	reportDir      string // in it; "" means defaultReports
	exitCode       int    // -1 if a signal ended it
	stdout, stderr string
	timedOut       bool  // it was killed because it did not end in time
	peakMemory     int64 // bytes of resident memory; 0 if the system does not tell
	err            error // it could not be started
}

// generousTimeout is for processes that should end long before.
const generousTimeout = 2 * time.Minute

// processSlots bounds how many processes run side by side. Many of them wait most of the time.
var processSlots = make(chan struct{}, max(4, runtime.NumCPU()))

// run runs the process to its end, once there is a free slot. It may be called from any goroutine.
func (c command) run() *result {
	if !c.noSlot {
		processSlots <- struct{}{}
		defer func() { <-processSlots }()
	}
	if c.folder == "" {
		c.folder = newFolder()
	}
	if c.timeout == 0 {
		c.timeout = generousTimeout
	}
	if c.binary == nil {
		c.binary = shippedBinary
	}
	r := &result{folder: c.folder}
	path, err := c.binary()
	if err != nil {
		r.err = err
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.folder, c.stdin, 10*time.Second
	cmd.Env = append([]string{"HOME=" + c.folder, "TMPDIR=" + suiteFolder}, c.env...)
	var stdout, stderr syncBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Start(); err == nil {
		peak := watchMemory(cmd.Process.Pid)
		if c.onStart != nil {
			c.onStart(process{cmd.Process, &stdout})
		}
		err = cmd.Wait()
		r.peakMemory = peak()
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		r.err = err
	}
	if cmd.ProcessState != nil {
		r.exitCode = cmd.ProcessState.ExitCode()
	}
	r.stdout, r.stderr, r.timedOut = stdout.String(), stderr.String(), ctx.Err() != nil
	return r
}

// defaultReports is the report folder if no setting names one.
const defaultReports = "conformance-report"

// reports returns the report folder: the default one, unless reportDir names another.
func (r *result) reports() string {
	return filepath.Join(r.folder, cmp.Or(r.reportDir, defaultReports))
}

// output returns what the process wrote to both streams.
func (r *result) output() string { return r.stdout + r.stderr }

// String describes the end of the process for the message of a failed assertion.
func (r *result) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	text := fmt.Sprintf("exit code %d\n%s\n%s", r.exitCode, r.stdout, r.stderr)
	const most = 6000
	if len(text) > most {
		text = text[:most] + "\n…"
	}
	return strings.ToValidUTF8(text, "?")
}

// syncBuffer is a buffer that may be read while a process writes to it.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
