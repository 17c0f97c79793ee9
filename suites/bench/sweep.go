package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

const (
	// smallPopulation is the size of the population with which the peak memory of a large one is compared.
	smallPopulation = 10_000
	// maxCompared is the maximum number of users in a sweep of a pair. With so many, the start of the process hardly
	// matters.
	maxCompared = 60_000
)

// sweeps measures a sweep and the bare client against the lean target, and the peak memory for a large population.
func (w *workbench) sweeps(t table, population, pairs int) error {
	target, stop, err := w.start(leanMode)
	if err != nil {
		return err
	}
	defer stop()
	requests, err := sweepRequests(target)
	if err != nil {
		return err
	}
	if err := w.writeRequests(requests); err != nil {
		return err
	}
	number := min(population, maxCompared)
	file, err := w.writePopulation(number)
	if err != nil {
		return err
	}
	suite, bare, err := measureInterleaved(pairs, w.sweepOf(target, file), func() *exec.Cmd { return w.client(file) })
	if err != nil {
		return err
	}
	name := fmt.Sprintf("sweep of %d users", number)
	t.rate(name+", users a second", number, suite.wall, bare.wall)
	t.rate(name+", users a second of CPU time", number, suite.cpu, bare.cpu)

	// One sweep of the largest size is enough, because its peak hardly varies.
	large, err := w.sweepPeak(target, population, 1)
	if err != nil {
		return err
	}
	smallPeak, err := w.sweepPeak(target, smallPopulation, pairs)
	if err != nil {
		return err
	}
	t.memory(fmt.Sprintf("sweep of %d users, peak memory", population), large, sweepMemory)
	growth := float64(large) / float64(smallPeak)
	t.line(fmt.Sprintf("the same, relative to %d users", smallPopulation), fmt.Sprintf("%.2fx", growth),
		mebibytes(smallPeak), fmt.Sprintf("%.2fx", growthBound), growth <= growthBound)
	return nil
}

func (w *workbench) sweepPeak(target string, population, times int) (int64, error) {
	file, err := w.writePopulation(population)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(file) }()
	var samples []sample
	for range times {
		s, err := measure(w.sweepOf(target, file)(), exitPass)
		if err != nil {
			return 0, err
		}
		samples = append(samples, s)
	}
	return median(samples).peak, nil
}

func (w *workbench) sweepOf(target, usersFile string) func() *exec.Cmd {
	return func() *exec.Cmd {
		return w.command("sweep", "--target-url", target, "--users", usersFile, "--report-dir",
			filepath.Join(w.folder, "sweep"), "--restart")
	}
}

// sweepRequests returns the requests of a sweep for one user, in the order sent: for each operation v5, then v6.
func sweepRequests(target string) ([]request, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, err
	}
	var list []request
	for _, op := range schemas.Operations() {
		for _, v := range schemas.Versions() {
			probe := exchange.Probe{Operation: op, Version: v, Segment: string(v),
				User: settings.User{ID: idPlaceholder, UserID: userIDPlaceholder}}
			list = append(list, request{
				Method: probe.Method(), URL: target + probe.Path(), ContentType: probe.ContentType(),
				Body: string(probe.Body(contract.Request(op), exchange.Tokens{Real: fixtures.AccessToken},
					fixtures.ApplicationID)),
				// Has the same length as the suite's own User-Agent.
				Agent: fmt.Sprintf("bare-client-of-the-bench--/1.0.0 (run 00000000-0000-4000-8000-000000000000; "+
					"exchange %s.%d)", userIDPlaceholder, len(list)+1),
			})
		}
	}
	return list, nil
}
