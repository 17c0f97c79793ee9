package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

// crowd is how many users the share of judging is measured over.
const crowd = 1000

// profiled is how many runs are profiled together: one is too short for a hundred samples a second.
const profiled = 7

// crowdRun is a run over the crowd against a target.
func crowdRun(target string) (*settings.Settings, *conformance.Requirements, error) {
	base, err := url.Parse(target)
	if err != nil {
		return nil, nil, err
	}
	contract, err := schemas.Load()
	if err != nil {
		return nil, nil, err
	}
	s := settingsFor(base)
	for _, u := range people(crowd) {
		s.Users = append(s.Users, settings.User(u))
	}
	suite, err := conformance.Specification(contract)
	return s, suite, err
}

// judgingShare carries a run out in this process, against a target in another, under the CPU profiler, and gives how
// much of the CPU went into judging and comparing.
func (w *workbench) judgingShare() (judging, all time.Duration, err error) {
	target, stop, err := w.startTarget(0, "--crowd")
	if err != nil {
		return 0, 0, err
	}
	defer stop()
	s, suite, err := crowdRun(target)
	if err != nil {
		return 0, 0, err
	}
	var taken bytes.Buffer
	if err := pprof.StartCPUProfile(&taken); err != nil {
		return 0, 0, err
	}
	for range profiled {
		if err = run.New(s, suite, "bench", nil).Execute(context.Background()); err != nil {
			break
		}
	}
	pprof.StopCPUProfile()
	if err != nil {
		return 0, 0, err
	}
	return split(&taken, judges()...)
}

// judges are the packages that judge and compare.
func judges() []string { return []string{"/suites/internal/judge.", "/suites/internal/parity."} }

// split adds up a profile's samples: those in which a function is on the stack whose name has one of some parts, and
// all.
func split(taken *bytes.Buffer, parts ...string) (part, all time.Duration, err error) {
	p, err := profile.Parse(taken)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the CPU profile: %w", err)
	}
	for _, sample := range p.Sample {
		spent := time.Duration(sample.Value[len(sample.Value)-1])
		all += spent
		if onStack(sample, parts...) {
			part += spent
		}
	}
	if all == 0 {
		return 0, 0, fmt.Errorf("the CPU profile has no samples: the run was too short to measure")
	}
	return part, all, nil
}

func onStack(sample *profile.Sample, parts ...string) bool {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			for _, name := range parts {
				if strings.Contains(line.Function.Name, name) {
					return true
				}
			}
		}
	}
	return false
}
