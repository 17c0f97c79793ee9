package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/summary"
	"authenticator-conformance/suites/internal/tally"
)

// reports are the files of a command, as far as they can be written before and instead of its work.
type reports interface {
	unfinished(f *folder.Folder) error
	failed(f *folder.Folder, why string) error
}

// reported does work between two reports: before anything else is judged, one that says "unfinished" takes the place of an
// earlier one, so that neither a crash nor a bad setting leaves yesterday's pass behind; and where the work fails, one that
// says why takes its place in turn.
func reported(s *surroundings, r reports, work func() error) (err error) {
	dir := settings.ReportDir(nil, s.args, s.environ)
	if s.folder, err = folder.Open(dir); err != nil {
		return err
	}
	defer s.folder.Close()
	if err := r.unfinished(s.folder); err != nil {
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
		if failed == nil {
			defer again.Close()
			failed = r.failed(again, err.Error())
		}
		if failed != nil && failed.Error() != err.Error() {
			err = fmt.Errorf("%w; and %w", err, failed)
		}
	}()
	return work()
}

// reportsFor are the files that a command leaves; nil for one that leaves none.
func (s *surroundings) reportsFor(name string) (reports, error) {
	if name != runName && name != judgeName && name != sweepName && name != mergeName {
		return nil, nil
	}
	contract, err := s.contract()
	if err != nil {
		return nil, err
	}
	swept := sweepReports{s, report.SuiteOf(contract.Digest), time.Now()}
	switch name {
	case sweepName:
		return swept, nil
	case mergeName:
		return mergeReports{swept}, nil
	}
	return runReports{s, contract.Digest, time.Now(), name == judgeName}, nil
}

// runReports are the files of a run. Keep leaves the evidence there is in the folder: it may be what is to be judged.
type runReports struct {
	*surroundings
	contract string
	started  time.Time
	keep     bool
}

func (r runReports) unfinished(f *folder.Folder) error {
	return f.Write(folder.Content{Report: report.Unfinished(r.contract, r.started), Keep: r.keep})
}

func (r runReports) failed(f *folder.Folder, why string) error {
	result := report.Failed(r.contract, r.started, time.Now(), why)
	return errors.Join(f.Write(folder.Content{Report: result, Keep: r.keep}), r.tellCI(result))
}

// sweepReports are the files of a sweep but for those that it goes on with.
type sweepReports struct {
	*surroundings
	suite   report.Suite
	started time.Time
}

func (r sweepReports) unfinished(f *folder.Folder) error {
	if err := f.Lock(); err != nil {
		return err
	}
	return f.Put(nil, sweepFiles(tally.Empty(r.suite, r.started, "unfinished: the sweep has not ended; where its process is gone, go on with --resume"))...)
}

func (r sweepReports) failed(f *folder.Folder, why string) error {
	result := tally.Empty(r.suite, r.started, why)
	return errors.Join(f.Put(nil, sweepFiles(result)...), summary.StepSummary(r.environ, summary.OfSweep(result)))
}
