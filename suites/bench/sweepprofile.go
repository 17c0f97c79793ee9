package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/sweep"
)

// profileSweep carries a sweep out under the CPU profiler and writes the profile to a file.
func profileSweep(target, usersFile, reportDir, file string) error {
	base, err := url.Parse(target)
	if err != nil {
		return err
	}
	contract, err := schemas.Load()
	if err != nil {
		return err
	}
	suite, err := conformance.Specification(contract)
	if err != nil {
		return err
	}
	s := settingsFor(base)
	s.UsersFile, s.ReportDir = usersFile, reportDir
	taken, err := os.Create(file)
	if err != nil {
		return err
	}
	defer taken.Close()
	if err := pprof.StartCPUProfile(taken); err != nil {
		return err
	}
	w := sweep.New(s, suite, sweep.Options{Shard: tally.Shard{Index: 1, Of: 1}}, sweep.Input{Guard: redact.NewGuard("", s.Secrets...)})
	err = w.Execute(context.Background())
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	return taken.Close()
}

// settingsFor are the settings of what is profiled, but for the users.
func settingsFor(target *url.URL) *settings.Settings {
	return &settings.Settings{
		URLs:        map[schemas.Version]*url.URL{schemas.V5: target, schemas.V6: target},
		AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID,
		Versions: schemas.Versions(), Concurrency: concurrency, Timeout: time.Minute, Deadline: 10 * time.Minute,
		ParityMode: settings.ParityValue, Divergence: settings.DivergenceReport, Secrets: []string{fixtures.AccessToken},
	}
}

// sweepShare gives how much of a sweep's CPU went into judging and comparing. The sweep has a process of its own, so
// that the bench stays small.
func (w *workbench) sweepShare(target, usersFile string) (judging, all time.Duration, err error) {
	file := filepath.Join(w.folder, "sweep.pprof")
	cmd := exec.Command(w.self, profileMode, target, usersFile, w.folder, file)
	cmd.Env = []string{collecting}
	if said, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("the profiled sweep: %w", failure(err, said))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	// What proves the common answer, and what finds two alike.
	return split(bytes.NewBuffer(content), append(judges(), "/schemas.(*Contract).AcceptsAnswer", "/suites/sweep.(*pair).plain")...)
}
