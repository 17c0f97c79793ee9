package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/summary"
	"authenticator-conformance/suites/internal/wording"
	"authenticator-conformance/suites/sweep"
)

// reports are the files of a command, as far as they can be written before and instead of its work.
type reports interface {
	unfinished(f *folder.Folder) error
	failed(f *folder.Folder, why string) error
	// withdraw removes those of an earlier run from a folder in which nothing can be written.
	withdraw(dir string) error
}

// withReports has a command leave reports, also where it can't make anything of its arguments.
func (s *app) withReports(cmd *cobra.Command) *cobra.Command {
	checkArgs, run := cmd.Args, cmd.RunE
	withReport := func(cmd *cobra.Command, work func() error) error {
		r, err := s.reportsFor(cmd.Name())
		if err != nil {
			return errors.Join(err, work())
		}
		return s.betweenReports(cmd.Context(), commandOf(cmd.Name()), cmd.Flags(), r, work)
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return withReport(cmd, func() error { return flagFault(cmd, err) })
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := checkArgs(cmd, args); err != nil {
			return withReport(cmd, func() error { return err })
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withReport(cmd, func() error { return run(cmd, args) })
	}
	return cmd
}

// betweenReports does work between two reports: before anything else is judged, one that says "unfinished" takes the place of
// an earlier one, so that neither a crash nor a bad setting leaves yesterday's pass behind; and where the work fails,
// one that says why takes its place in turn. Where none can be written, the earlier ones are removed.
func (s *app) betweenReports(ctx context.Context, c settings.Command, flags *pflag.FlagSet, r reports,
	work func() error) error {
	s.input = settings.Read(c, flags, s.args, s.environ)
	dir, err := heeding(ctx, 0, func() (string, error) { return s.input.ReportDir(), nil })
	if err != nil { // the configuration file names no folder, as far as can be known
		interrupted := err
		dir, work = settings.Read(c, nil, nil, nil).ReportDir(), func() error { return interrupted }
	}
	if c == settings.Sweep {
		shard, _ := s.input.Flag("shard")
		if dir, err = sweep.ReportDir(dir, shard, s.environ); err != nil {
			return err // nobody knows in which folder to say so
		}
	}
	if s.folder, err = folder.Open(dir); err == nil {
		defer s.folder.Close()
		err = r.unfinished(s.folder)
	}
	if said := (reportedError{}); errors.As(err, &said) || errors.Is(err, folder.ErrInUse) {
		return err
	}
	if err != nil {
		return joined(err, r.withdraw(dir))
	}
	err = heed(ctx, toReport, func() error {
		if err := work(); err != nil {
			return err
		}
		return s.stdout.err()
	})
	if err == nil {
		return nil
	}
	again, failed := folder.Open(dir) // it may have been removed meanwhile
	if failed == nil {
		defer again.Close()
		failed = r.failed(again, err.Error())
	}
	return joined(err, failed)
}

// commandOf is a command that leaves reports, by its name.
func commandOf(name string) settings.Command {
	return map[string]settings.Command{runName: settings.Run, judgeName: settings.Judge, sweepName: settings.Sweep,
		mergeName: settings.Merge}[name]
}

// reportedError is an error that the report in the folder says already.
type reportedError struct{ error }

// joined is what failed, and what failed after that for another reason.
func joined(err, then error) error {
	if then == nil || then.Error() == err.Error() {
		return err
	}
	return fmt.Errorf("%w; and %w", err, then)
}

// reportsFor are the files that a command leaves.
func (s *app) reportsFor(name string) (reports, error) {
	suite, err := s.suite()
	if err != nil {
		return nil, err
	}
	sweepRun := sweepReports{s, report.SuiteOf(suite.Contract.Digest), time.Now(), name == sweepName}
	switch name {
	case sweepName:
		return sweepRun, nil
	case mergeName:
		return mergeReports{sweepRun}, nil
	}
	return runReports{s, suite.Contract.Digest, time.Now(), name == judgeName}, nil
}

// runReports are the files of a run. Keep leaves the evidence there is in the folder: it may be what is to be judged.
type runReports struct {
	*app
	contract string
	started  time.Time
	keep     bool
}

func (r runReports) unfinished(f *folder.Folder) error {
	if r.keep {
		// What can't be read vouches for nothing.
		r.former, _ = os.ReadFile(filepath.Join(f.Dir(), report.StatementFile))
	}
	return f.Write(folder.Content{Report: report.Unfinished(r.contract, r.started), Keep: r.keep})
}

func (r runReports) failed(f *folder.Folder, why string) error {
	result := report.Failed(r.contract, r.started, time.Now(), why)
	return errors.Join(f.Write(folder.Content{Report: result, Keep: r.keep}), r.tellCI(result))
}

func (r runReports) withdraw(dir string) error { return folder.Withdraw(dir, folder.Reports()...) }

// sweepReports are the files of a sweep but for those that it goes on with.
type sweepReports struct {
	*app
	suite   report.Suite
	started time.Time
	begins  bool // or continues; merging does neither
}

// unfinished replaces the report of an earlier sweep, but for one that has ended and is to be continued: that one is
// replaced only once it is known that it can be. The error says that an unfinished sweep would be lost.
func (r sweepReports) unfinished(f *folder.Folder) error {
	if err := f.Lock(); err != nil {
		return err
	}
	if r.begins {
		if err := r.lookBack(f); err != nil {
			return reportedError{errors.Join(err, r.failed(f, err.Error()))}
		}
	}
	return r.replace(f, stats.Empty(r.suite, r.started,
		"unfinished: the sweep has not ended; if its process is gone, continue with --resume"))
}

// lookBack looks at what an earlier sweep left.
func (r sweepReports) lookBack(f *folder.Folder) error {
	left := checkpoint.Look(f.Dir())
	_, continues := r.input.Flag(sweep.ResumeFlag)
	restart, _ := r.input.Flag(sweep.RestartFlag)
	restarts, _ := strconv.ParseBool(restart) // what is wrong with it is said when it is judged
	r.keep = left.Finished && continues
	if left.Unfinished() && !continues && !restarts {
		return fmt.Errorf("an unfinished sweep is in %s (%s so far): continue it with --resume, or begin anew with --restart, which gives it up",
			f.Dir(), wording.Count(left.Users, "user"))
	}
	return nil
}

func (r sweepReports) failed(f *folder.Folder, why string) error {
	result := stats.Empty(r.suite, r.started, why)
	return errors.Join(r.replace(f, result), summary.StepSummary(r.environ, summary.Of(result.Document())))
}

// replace writes a report that holds nothing. The list of who differs belonged to the one before.
func (r sweepReports) replace(f *folder.Folder, result *stats.Summary) error {
	if r.keep {
		return nil
	}
	if err := f.Put(nil, sweepFiles(result)...); err != nil {
		return err
	}
	stale := []string{stats.DifferencesFile}
	if !checkpoint.Begun(f.Dir()) || checkpoint.Look(f.Dir()).Finished {
		stale = append(stale, stats.AnswersFile) // with which a sweep is continued, also one that has looked at nobody yet
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(f.Dir(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r sweepReports) withdraw(dir string) error {
	names := []string{stats.DifferencesFile, stats.AnswersFile}
	for _, file := range sweepFiles(nil) {
		names = append(names, file.Name)
	}
	return folder.Withdraw(dir, names...)
}
