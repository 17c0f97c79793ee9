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
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// command is one call of the binary.
type command struct {
	args    []string // the name of the command first
	env     []string // NAME=value; besides these the process gets HOME and TMPDIR
	folder  string   // to work in; "" means a new one
	stdin   io.Reader
	onStart func(process) // called as soon as the process runs
}

// process is a running call of the binary.
type process struct {
	*os.Process
	stdout *gbytes.Buffer // what it has written so far
}

// result is the result of a process that has ended.
type result struct {
	command        string // its name
	folder         string // that it worked in
	exitCode       int    // -1 if a signal ended it
	stdout, stderr string
	peakMemory     int64 // bytes of resident memory; 0 if the system is not Linux
	err            error // it could not be started, or did not end in time
}

// generousTimeout is much longer than any process needs.
const generousTimeout = 6 * time.Minute

// runToEnd runs the process to its end, and expects of it what holds for every process.
func (c command) runToEnd() *result {
	GinkgoHelper()
	r := c.runUnchecked()
	r.expectClean()
	return r
}

// runUnchecked runs the process to its end. It may be called from any goroutine.
func (c command) runUnchecked() *result {
	if c.folder == "" {
		c.folder = newFolder()
	}
	ctx, cancel := context.WithTimeout(context.Background(), generousTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binaryPath(), c.args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.folder, c.stdin, 10*time.Second
	cmd.Env = append([]string{"HOME=" + c.folder, "TMPDIR=" + suiteFolder}, c.env...)
	stdout, stderr, r := gbytes.NewBuffer(), new(bytes.Buffer), &result{command: c.args[0], folder: c.folder}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Start()
	if err == nil {
		peak := watchMemory(cmd.Process.Pid)
		if c.onStart != nil {
			c.onStart(process{cmd.Process, stdout})
		}
		err = cmd.Wait()
		r.peakMemory, r.exitCode = peak(), cmd.ProcessState.ExitCode()
	}
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		r.err = err
	}
	r.err = errors.Join(r.err, ctx.Err())
	r.stdout, r.stderr = string(stdout.Contents()), stderr.String()
	return r
}

// expectClean expects that the process ended in time, printed only what a terminal or a log can show, and neither
// panicked nor reported a defect of the suite.
func (r *result) expectClean() {
	GinkgoHelper()
	Expect(r.err).NotTo(HaveOccurred(), "%s", r)
	Expect(unprintableParts(r.stdout)).To(BeEmpty(), "on the standard output")
	Expect(unprintableParts(r.stderr)).To(BeEmpty(), "on the standard error")
	Expect(r.allOutput()).NotTo(MatchRegexp("panic|defect|goroutine"))
}

var unprintable = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}` +
	`\x{2066}-\x{2069}]`)

// unprintableParts lists what must not reach a terminal, a log or the page of a CI server: control characters except
// line feed and tab, bidirectional marks, and invalid UTF-8.
func unprintableParts(text string) []string {
	list := unprintable.FindAllString(text, 10)
	if !utf8.ValidString(text) {
		list = append(list, "invalid UTF-8")
	}
	return list
}

// The report folders if no setting names one.
const (
	defaultReports = "conformance-report"
	defaultSweep   = "conformance-sweep"
)

// reportFolder returns the report folder.
func (r *result) reportFolder() string {
	folder := map[string]string{"sweep": defaultSweep, "judge": "conformance-judged",
		"merge": "conformance-merged"}[r.command]
	return filepath.Join(r.folder, cmp.Or(folder, defaultReports))
}

// allOutput returns what the process wrote to both streams.
func (r *result) allOutput() string { return r.stdout + r.stderr }

// String describes the result for the message of a failed assertion.
func (r *result) String() string {
	text := fmt.Sprintf("exit code %d\n%s\n%s", r.exitCode, r.stdout, r.stderr)
	return strings.ToValidUTF8(text[:min(len(text), 6000)], "?")
}

var memoryLine = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// watchMemory samples the peak of a process's resident memory, until the returned function is called; that returns the
// peak in bytes. wait4 can't be used, because it also counts the memory of the parent process.
func watchMemory(pid int) (peak func() int64) {
	kilobytes, stop, stopped := int64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // an error means that it has ended
			if found := memoryLine.FindSubmatch(status); found != nil {
				kilobytes, _ = strconv.ParseInt(string(found[1]), 10, 64) // they are digits
			}
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return kilobytes << 10
	}
}

// whenServing waits until serve prints its URL, calls use, and then interrupts the process.
func whenServing(use func(url string)) func(process) {
	return func(p process) {
		go func() {
			defer GinkgoRecover()
			defer func() { _ = p.Signal(os.Interrupt) }()
			address := regexp.MustCompile(`AUTHN_TARGET_URL=(\S+) .*\n`)
			Eventually(p.stdout.Contents, generousTimeout).Should(MatchRegexp(address.String()))
			use(string(address.FindSubmatch(p.stdout.Contents())[1]))
		}()
	}
}

// findTool finds a program, or skips the spec, or fails it if a variable of the environment is 1. install is how to get
// it.
func findTool(variable, install string, paths ...string) string {
	GinkgoHelper()
	for _, name := range paths {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing := filepath.Base(paths[0]) + " is missing; to run this test: " + install
	if os.Getenv(variable) == "1" {
		Fail(missing + " (" + variable + "=1 says that it must run)")
	}
	Skip(missing)
	return ""
}
