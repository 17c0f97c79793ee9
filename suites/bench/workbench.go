package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
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
	if err != nil {
		return nil, err
	}
	w := &workbench{binary: binary, self: self, folder: folder}
	if err := w.writeUsers(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *workbench) close() { _ = os.RemoveAll(w.folder) }

func (w *workbench) usersFile() string    { return filepath.Join(w.folder, "users.csv") }
func (w *workbench) requestsFile() string { return filepath.Join(w.folder, "requests.json") }

func (w *workbench) writeUsers() error {
	known, err := knownUsers()
	if err != nil {
		return err
	}
	text := "id,userId\n"
	for _, u := range known {
		text += u.ID + `,"` + strings.ReplaceAll(u.UserID, `"`, `""`) + "\"\n"
	}
	return os.WriteFile(w.usersFile(), []byte(text), 0o600)
}

// sample is what one process took.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // of the resident memory, in bytes
}

// pair is the suite beside the bare client.
type pair struct{ suite, bare sample }

// compare measures a run and the bare client against a target with a delay.
func (w *workbench) compare(delay time.Duration, pairs int) (pair, error) {
	url, stop, err := w.startTarget(delay)
	if err != nil {
		return pair{}, err
	}
	defer stop()
	if _, err := w.writeRequests(url); err != nil {
		return pair{}, err
	}
	medians, err := interleaved(pairs, func() *exec.Cmd { return w.command("run", url) }, w.bareClient)
	if err != nil {
		return pair{}, err
	}
	return pair{medians[0], medians[1]}, nil
}

// interleaved measures processes in turn, each so many times after one that does not count, and gives the median of
// each.
func interleaved(times int, processes ...func() *exec.Cmd) ([]sample, error) {
	samples, medians := make([][]sample, len(processes)), make([]sample, len(processes))
	for round := range times + 1 {
		for i, process := range processes {
			s, err := measure(process(), passes)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				samples[i] = append(samples[i], s)
			}
		}
	}
	for i := range samples {
		medians[i] = median(samples[i])
	}
	return medians, nil
}

// once measures one run against a target with a delay, and counts its requests.
func (w *workbench) once(delay time.Duration) (sample, int, error) {
	url, stop, err := w.startTarget(delay)
	if err != nil {
		return sample{}, 0, err
	}
	defer stop()
	requests, err := w.writeRequests(url)
	if err != nil {
		return sample{}, 0, err
	}
	s, err := measure(w.command("run", url), passes)
	return s, requests, err
}

// command is a call of the command against a target.
func (w *workbench) command(name, url string) *exec.Cmd {
	return w.call(name, "--target-url", url, "--users", w.usersFile(), "--report-dir", filepath.Join(w.folder, "report"))
}

func (w *workbench) call(args ...string) *exec.Cmd {
	cmd := exec.Command(w.binary, append(args, "--concurrency", strconv.Itoa(concurrency))...)
	cmd.Env = []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	return cmd
}

func (w *workbench) bareClient() *exec.Cmd {
	cmd := exec.Command(w.self, clientMode, w.requestsFile())
	cmd.Env = []string{}
	return cmd
}

// writeRequests asks the command for its plan, puts tokens where the plan has placeholders, and keeps the requests for
// the bare client.
func (w *workbench) writeRequests(url string) (int, error) {
	plan, err := w.command("plan", url).Output()
	if err != nil {
		return 0, fmt.Errorf("conformance plan: %w", failure(err, nil))
	}
	shown := exchange.Shown(exchange.UnknownToken)
	tokens := strings.NewReplacer(shown.Real, fixtures.AccessToken,
		shown.Random, strings.Repeat("r", len(fixtures.AccessToken)), shown.Changed, strings.Repeat("c", len(fixtures.AccessToken)))
	lines := strings.Split(strings.TrimSpace(string(plan)), "\n")
	requests := make([]request, 0, len(lines))
	for _, line := range lines[:len(lines)-1] { // the last one is their number
		columns := strings.Split(line, "\t")
		if len(columns) != 6 {
			return 0, fmt.Errorf("conformance plan: expected id, label, method, URL, probe and body, got %q", line)
		}
		r := request{
			Method: columns[2], URL: columns[3], Body: tokens.Replace(columns[5]),
			Agent: "bare client (" + columns[0] + ")", Alone: columns[1] != string(schemas.Read),
		}
		if r.Method == http.MethodPost {
			r.ContentType = exchange.Probe{Alteration: exchange.Alteration(columns[4])}.ContentType()
		}
		requests = append(requests, r)
	}
	if count := lines[len(lines)-1]; count != strconv.Itoa(len(requests)) || len(requests) == 0 {
		return 0, fmt.Errorf("conformance plan lists %d requests and says %q", len(requests), count)
	}
	content, err := json.Marshal(requests)
	if err != nil {
		return 0, err
	}
	return len(requests), os.WriteFile(w.requestsFile(), content, 0o600)
}

// The exit codes of the command that a measurement takes.
const (
	passes  = 0
	differs = 1
)

// measure runs a process, which must end with an exit code.
func measure(cmd *exec.Cmd, code int) (sample, error) {
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	started := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		return sample{}, fmt.Errorf("%s: expected exit code %d, got: %w", strings.Join(cmd.Args, " "), code, failure(err, []byte(output.String())))
	}
	s := sample{wall: time.Since(started), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak: peakOf(cmd.ProcessState)}
	return s, nil
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
