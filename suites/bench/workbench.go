package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/fixtures"
)

// workbench is what all measurements share.
type workbench struct {
	binary, self string
	folder       string // of users, requests and reports
}

func newWorkbench(binary string) (*workbench, error) {
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("%w; build it first: make build", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "conformance-bench-")
	return &workbench{binary: binary, self: self, folder: folder}, err
}

func (w *workbench) close() { _ = os.RemoveAll(w.folder) }

// command returns a call of the measured command.
func (w *workbench) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.binary, append(args, "--concurrency", strconv.Itoa(concurrency))...)
	cmd.Env = []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	return cmd
}

// client returns a call of the bare client. Its environment is empty, so Go's runtime uses its defaults.
func (w *workbench) client(usersFile ...string) *exec.Cmd {
	cmd := exec.Command(w.self, append([]string{clientMode, w.requestsFile()}, usersFile...)...)
	cmd.Env = []string{} // not nil, which would inherit the environment of bench
	return cmd
}

func (w *workbench) requestsFile() string { return filepath.Join(w.folder, "requests.json") }

func (w *workbench) writeRequests(requests []request) error {
	content, err := json.Marshal(requests)
	if err != nil {
		return err
	}
	return os.WriteFile(w.requestsFile(), content, 0o600)
}

// sample is what one process used.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // resident memory in bytes
}

// exitPass is the exit code of a run that passes.
const exitPass = 0

// measureInterleaved measures two processes alternately, the given number of times after one warm-up, and returns their
// medians.
func measureInterleaved(times int, suite, bare func() *exec.Cmd) (sample, sample, error) {
	var samples [2][]sample
	for range times + 1 {
		for i, process := range []func() *exec.Cmd{suite, bare} {
			s, err := measure(process(), exitPass)
			if err != nil {
				return sample{}, sample{}, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	return median(samples[0][1:]), median(samples[1][1:]), nil
}

// measure runs a process. It returns an error unless the process exits with one of the codes.
func measure(cmd *exec.Cmd, codes ...int) (sample, error) {
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	started := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		return sample{}, fmt.Errorf("%s: expected an exit code of %d, got: %w", strings.Join(cmd.Args, " "), codes,
			withOutput(err, []byte(output.String())))
	}
	return sample{wall: time.Since(started), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		peak: peakOf(cmd.ProcessState)}, nil
}

// withOutput adds the output of a process to its error.
func withOutput(err error, output []byte) error {
	if exit := new(exec.ExitError); errors.As(err, &exit) && output == nil {
		output = exit.Stderr
	}
	return fmt.Errorf("%w\n%s", err, output)
}

// median returns the median of each figure, taken separately.
func median(samples []sample) sample {
	middle := func(figure func(sample) int64) int64 {
		figures := make([]int64, len(samples))
		for i, s := range samples {
			figures[i] = figure(s)
		}
		slices.Sort(figures)
		return figures[len(figures)/2]
	}
	return sample{
		wall: time.Duration(middle(func(s sample) int64 { return int64(s.wall) })),
		cpu:  time.Duration(middle(func(s sample) int64 { return int64(s.cpu) })),
		peak: middle(func(s sample) int64 { return s.peak }),
	}
}
