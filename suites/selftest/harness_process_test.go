package selftest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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
	noSlot  bool                   // it does not wait for a slot: a process with a slot waits for it
}

// process is a running call of the binary.
type process struct {
	*os.Process
	stdout *syncBuffer // what it has written so far
}

// result is the result of a process that has ended.
type result struct {
	folder         string // that it worked in
	exitCode       int    // -1 if a signal ended it
	stdout, stderr string
	timedOut       bool  // it was killed because it did not end in time
	peakMemory     int64 // bytes of resident memory; 0 if the system is not Linux
	err            error // it could not be started
}

// generousTimeout is much longer than any process needs.
const generousTimeout = 2 * time.Minute

// processSlots limits how many processes run at the same time. Many of them wait most of the time.
var processSlots = make(chan struct{}, max(4, runtime.NumCPU()))

// run runs the process to its end, as soon as a slot is free. It may be called from any goroutine.
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

// reports returns the report folder.
func (r *result) reports() string { return filepath.Join(r.folder, defaultReports) }

// output returns what the process wrote to both streams.
func (r *result) output() string { return r.stdout + r.stderr }

// String describes the result for the message of a failed assertion.
func (r *result) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	text := fmt.Sprintf("exit code %d\n%s\n%s", r.exitCode, r.stdout, r.stderr)
	const maxLength = 6000
	if len(text) > maxLength {
		text = text[:maxLength] + "\n…"
	}
	return strings.ToValidUTF8(text, "?")
}

// syncBuffer is a buffer that may be read while a process writes to it.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.String()
}

// watchMemory samples the peak of a process's resident memory, until the returned function is called; that returns the
// peak in bytes. wait4 can't be used, because it also counts the memory of the parent process.
func watchMemory(pid int) (peak func() int64) {
	stop, found := make(chan struct{}), make(chan int64)
	go func() {
		highest := int64(0)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			highest = max(highest, peakMemory(pid))
			select {
			case <-stop:
				found <- highest
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-found
	}
}

// peakMemory returns the peak so far. It is 0 if the process has ended, or if the system is not Linux.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
