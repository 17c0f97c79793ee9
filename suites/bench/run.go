package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// runs measures a run and compares it with the bare client.
func (w *workbench) runs(t table, pairs int) error {
	known, err := knownUsers()
	if err != nil {
		return err
	}
	file, err := w.writeUsers(known)
	if err != nil {
		return err
	}
	for _, delay := range []time.Duration{0, slowDelay} {
		suite, bare, err := w.compareRuns(file, delay, pairs)
		if err != nil {
			return err
		}
		condition, bound := "on loopback", loopbackBound
		if delay > 0 {
			condition, bound = "with a delay of "+delay.String(), slowBound
		}
		t.times("run, wall time, "+condition, suite.wall, bare.wall, bound)
		t.times("run, CPU time, "+condition, suite.cpu, bare.cpu, 0)
		if delay == 0 {
			t.memory("run, peak memory", suite.peak, runMemory)
		}
	}
	return nil
}

// compareRuns measures runs and the bare client against the reference, which answers after delay.
func (w *workbench) compareRuns(usersFile string, delay time.Duration, pairs int) (suite, bare sample, err error) {
	url, stop, err := w.start("--delay", delay.String(), targetMode)
	if err != nil {
		return suite, bare, err
	}
	defer stop()
	command := func(name string) *exec.Cmd {
		return w.command(name, "--target-url", url, "--users", usersFile, "--report-dir",
			filepath.Join(w.folder, "report"))
	}
	plan, err := command("plan").Output()
	if err != nil {
		return suite, bare, fmt.Errorf("conformance plan: %w", withOutput(err, nil))
	}
	requests, err := parsePlan(string(plan))
	if err != nil {
		return suite, bare, err
	}
	if err := w.writeRequests(requests); err != nil {
		return suite, bare, err
	}
	return measureInterleaved(pairs, func() *exec.Cmd { return command("run") }, func() *exec.Cmd { return w.client() })
}

// parsePlan parses the requests from the output of plan and replaces its placeholders by tokens.
func parsePlan(plan string) ([]request, error) {
	shown := exchange.Shown(exchange.UnknownToken)
	tokens := strings.NewReplacer(shown.Real, fixtures.AccessToken,
		shown.Random, strings.Repeat("r", len(fixtures.AccessToken)), shown.Changed,
		strings.Repeat("c", len(fixtures.AccessToken)))
	lines := strings.Split(strings.TrimSpace(plan), "\n")
	var requests []request
	for _, line := range lines[:len(lines)-1] { // the last line is their number
		columns := strings.Split(line, "\t")
		if len(columns) != 6 {
			return nil, fmt.Errorf("conformance plan: expected id, label, method, URL, probe and body, got %q", line)
		}
		r := request{
			Method: columns[2], URL: columns[3], Body: tokens.Replace(columns[5]),
			Agent: "bare client (" + columns[0] + ")", OwnConnection: columns[1] != string(schemas.Read),
		}
		if r.Method == http.MethodPost {
			r.ContentType = exchange.Probe{Kind: exchange.Kind(columns[4])}.ContentType()
		}
		requests = append(requests, r)
	}
	if count := lines[len(lines)-1]; count != strconv.Itoa(len(requests)) || len(requests) == 0 {
		return nil, fmt.Errorf("conformance plan lists %d requests and says %q", len(requests), count)
	}
	return requests, nil
}
