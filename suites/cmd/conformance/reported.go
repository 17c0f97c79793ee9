package main

import (
	"fmt"
	"runtime/debug"
	"time"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// reported does a run's work between two reports: before anything else is judged, one that says "unfinished" takes the
// place of an earlier one, so that neither a crash nor a bad setting leaves yesterday's pass behind; and where the work
// fails, one that says why takes its place in turn.
func reported(s *surroundings, work func() error) (err error) {
	started := time.Now()
	contract, err := s.contract()
	if err != nil {
		return err
	}
	dir := settings.ReportDir(nil, s.args, s.environ)
	if err := report.Write(dir, report.Unfinished(contract.Digest, started)); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s", p, debug.Stack())
		}
		if err == nil {
			return
		}
		if failed := report.Write(dir, report.Failed(contract.Digest, started, time.Now(), err.Error())); failed != nil {
			err = fmt.Errorf("%w; and %w", err, failed)
		}
	}()
	return work()
}
