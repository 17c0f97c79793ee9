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

// workbench holds what all measurements share.
type workbench struct {
	binary, self string
	folder       string // for users, requests and reports
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

// command is a call of the command under measurement.
func (w *workbench) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.binary, append(args, "--concurrency", strconv.Itoa(concurrency))...)
	cmd.Env = []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	return cmd
}

// client is a call of the bare client, with what Go does by default.
func (w *workbench) client(usersFile ...string) *exec.Cmd {
	cmd := exec.Command(w.self, append([]string{clientMode, w.requestsFile()}, usersFile...)...)
	cmd.Env = []string{} // never nil, which would be the environment of the bench
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

// sample is what one process took.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // of the resident memory, in bytes
}

// passes is the exit code of a run that passes.
const passes = 0

// interleaved measures two processes in turn, each so many times after once that does not count, and returns the medians.
func interleaved(times int, suite, bare func() *exec.Cmd) (sample, sample, error) {
	var samples [2][]sample
	for range times + 1 {
		for i, process := range []func() *exec.Cmd{suite, bare} {
			s, err := measure(process(), passes)
			if err != nil {
				return sample{}, sample{}, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	return median(samples[0][1:]), median(samples[1][1:]), nil
}

// measure runs a process, which must end with one of the exit codes.
func measure(cmd *exec.Cmd, codes ...int) (sample, error) {
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	started := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		return sample{}, fmt.Errorf("%s: expected an exit code of %d, got: %w", strings.Join(cmd.Args, " "), codes,
			failure(err, []byte(output.String())))
	}
	return sample{wall: time.Since(started), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		peak: peakOf(cmd.ProcessState)}, nil
}

// failure adds what a process said to the error with which it ended.
func failure(err error, said []byte) error {
	if exit := new(exec.ExitError); errors.As(err, &exit) && said == nil {
		said = exit.Stderr
	}
	return fmt.Errorf("%w\n%s", err, said)
}

// median takes the median of each figure by itself.
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
