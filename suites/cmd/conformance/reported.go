package main

import (
	"fmt"
	"runtime/debug"
	"time"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// reported does work between two reports: before anything else is judged, one that says "unfinished" takes the place of an
// earlier one, so that neither a crash nor a bad setting leaves yesterday's pass behind; and where the work fails, one that
// says why takes its place in turn. Keep leaves the evidence there is in the folder: it may be what is to be judged.
func reported(s *surroundings, keep bool, work func() error) (err error) {
	started := time.Now()
	contract, err := s.contract()
	if err != nil {
		return err
	}
	dir := settings.ReportDir(nil, s.args, s.environ)
	if s.folder, err = folder.Open(dir); err != nil {
		return err
	}
	defer s.folder.Close()
	if err := s.folder.Write(folder.Content{Report: report.Unfinished(contract.Digest, started), Keep: keep}); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s", p, debug.Stack())
		}
		if err == nil {
			return
		}
		again, failed := folder.Open(dir) // it may have been removed meanwhile
		why := report.Failed(contract.Digest, started, time.Now(), err.Error())
		if failed == nil {
			defer again.Close()
			failed = again.Write(folder.Content{Report: why, Keep: keep})
		}
		if told := s.tellCI(why); told != nil && failed == nil && told.Error() != err.Error() {
			failed = told
		}
		if failed != nil {
			err = fmt.Errorf("%w; and %w", err, failed)
		}
	}()
	return work()
}
