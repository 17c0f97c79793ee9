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

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/summary"
	"authenticator-conformance/suites/internal/wording"
	"authenticator-conformance/suites/sweep"
)

// reports writes the files of a command before its work and after its failure.
type reports interface {
	unfinished(f *folder.Folder) error
	failed(f *folder.Folder, reason string) error
	// removeReports removes the files of an earlier run, for a folder in which nothing can be written.
	removeReports(dir string) error
}

// withReports makes a command write reports, even if its arguments are invalid.
func (a *app) withReports(cmd *cobra.Command) *cobra.Command {
	checkArgs, run := cmd.Args, cmd.RunE
	withReport := func(cmd *cobra.Command, work func() error) error {
		r, err := a.reportsFor(cmd.Name())
		if err != nil {
			return errors.Join(err, work())
		}
		return a.writeReports(cmd.Context(), commandOf(cmd.Name()), cmd.Flags(), r, work)
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

// writeReports does work between two reports. Before settings are validated, an "unfinished" report replaces an
// earlier one, so that a crash or a bad setting never leaves an old pass behind. If the work fails, a report with the
// reason replaces that. If no report can be written, the earlier ones are removed.
func (a *app) writeReports(ctx context.Context, c settings.Command, flags *pflag.FlagSet, r reports,
	work func() error) error {
	a.input = settings.Read(c, flags, a.args, a.environ)
	dir, err := engine.Value(ctx, 0, func() (string, error) { return a.input.ReportDir(), nil })
	if err != nil { // the configuration file could not be read in time: use the default folder
		interrupted := err
		dir, work = settings.Read(c, nil, nil, nil).ReportDir(), func() error { return interrupted }
	}
	if c == settings.Sweep {
		shard, _ := a.input.Flag("shard")
		if dir, err = sweep.ReportDir(dir, shard, a.environ); err != nil {
			return err // without a folder there is no place for a report
		}
	}
	if a.folder, err = folder.Open(dir); err == nil {
		defer a.folder.Close()
		err = r.unfinished(a.folder)
	}
	if reported := (reportedError{}); errors.As(err, &reported) || errors.Is(err, folder.ErrInUse) {
		return err
	}
	if err != nil {
		return joined(err, r.removeReports(dir))
	}
	err = engine.Within(ctx, reportGrace, func() error {
		if err := work(); err != nil {
			return err
		}
		return a.stdout.err()
	})
	if err == nil {
		return nil
	}
	again, failed := folder.Open(dir) // open it again, as it may have been removed
	if failed == nil {
		defer again.Close()
		failed = r.failed(again, a.out.ErrorLines(err))
	}
	return joined(err, failed)
}

// commandOf returns the command with this name, if it writes reports.
func commandOf(name string) settings.Command {
	return map[string]settings.Command{runName: settings.Run, judgeName: settings.Judge, sweepName: settings.Sweep,
		mergeName: settings.Merge}[name]
}

// reportedError is an error that the report in the folder already contains.
type reportedError struct{ error }

// joined returns an error for a failure and for a later one with another cause.
func joined(err, next error) error {
	if next == nil || next.Error() == err.Error() {
		return err
	}
	return fmt.Errorf("%w; and %w", err, next)
}

// reportsFor returns the reports of a command.
func (a *app) reportsFor(name string) (reports, error) {
	go a.suite() // while the first report is written, which needs no more than the digest
	digest, err := schemas.Digest()
	if err != nil {
		return nil, err
	}
	sweepRun := sweepReports{a, report.SuiteOf(digest), time.Now(), name == sweepName}
	switch name {
	case sweepName:
		return sweepRun, nil
	case mergeName:
		return mergeReports{sweepRun}, nil
	}
	return runReports{a, digest, time.Now(), name == judgeName}, nil
}

// runReports are the files of a run. With keep, evidence in the folder is kept: it may be what is to be judged.
type runReports struct {
	*app
	contract    string
	started     time.Time
	keepReports bool
}

func (r runReports) unfinished(f *folder.Folder) error {
	if r.keepReports {
		// A statement that can't be read is ignored.
		r.previousStatement, _ = os.ReadFile(filepath.Join(f.Dir(), report.StatementFile))
	}
	return f.Write(folder.Content{Report: report.Unfinished(r.contract, r.started), KeepArchive: r.keepReports,
		Provisional: true})
}

func (r runReports) failed(f *folder.Folder, reason string) error {
	result := report.Failed(r.contract, r.started, time.Now(), reason)
	return errors.Join(f.Write(folder.Content{Report: result, KeepArchive: r.keepReports}),
		r.writeAnnotations(result, summary.Annotations))
}

func (r runReports) removeReports(dir string) error {
	return folder.RemoveReports(dir, folder.Reports()...)
}

// sweepReports are the files of a sweep, except those that it is resumed from.
type sweepReports struct {
	*app
	suite   report.Suite
	started time.Time
	begins  bool // a sweep starts or is resumed; false for a merge
}

// unfinished replaces the report of an earlier sweep. If that sweep has ended and is to be resumed, its report is
// replaced only once this is known to be possible. The error means that an unfinished sweep would be lost.
func (s sweepReports) unfinished(f *folder.Folder) error {
	if err := f.Lock(); err != nil {
		return err
	}
	if s.begins {
		if err := s.readEarlier(f); err != nil {
			return reportedError{errors.Join(err, s.failed(f, s.out.ErrorLines(err)))}
		}
	}
	return s.replace(f, stats.Empty(s.suite, s.started,
		"unfinished: the sweep has not ended; if its process is gone, continue with --resume"))
}

// readEarlier checks what an earlier sweep left. It returns an error if neither resume nor restart was requested: an
// unfinished sweep would be lost, and the report of a finished one too.
func (s sweepReports) readEarlier(f *folder.Folder) error {
	left := checkpoint.Peek(f.Dir())
	_, continues := s.input.Flag(sweep.ResumeFlag)
	restart, _ := s.input.Flag(sweep.RestartFlag)
	restarts, _ := strconv.ParseBool(restart) // an invalid value is reported when settings are validated
	s.keepReports = left.Finished && !restarts
	if left.Finished && !continues && !restarts {
		return fmt.Errorf("a finished sweep is in %s (%s), and its report was left as it is: sweep again with --restart, "+
			"which replaces it, or into another folder by --report-dir", f.Dir(), wording.Count(left.Users, "user"))
	}
	if left.Unfinished() && !continues && !restarts {
		return fmt.Errorf("an unfinished sweep is in %s (%s so far): continue it with --resume, or start again with "+
			"--restart, which gives it up", f.Dir(), wording.Count(left.Users, "user"))
	}
	return nil
}

func (s sweepReports) failed(f *folder.Folder, reason string) error {
	result := stats.Empty(s.suite, s.started, reason)
	return errors.Join(s.replace(f, result), summary.StepSummary(s.environ, summary.Render(result.Document())))
}

// replace writes an empty report, and removes the list of differences that belongs to the earlier one.
func (s sweepReports) replace(f *folder.Folder, result *stats.Summary) error {
	if s.keepReports {
		return nil
	}
	if err := f.Put(nil, sweepFiles(result)...); err != nil {
		return err
	}
	stale := []string{stats.DifferencesFile}
	if !checkpoint.Begun(f.Dir()) || checkpoint.Peek(f.Dir()).Finished {
		stale = append(stale, stats.AnswersFile) // a sweep is resumed from it, even one that has checked no user yet
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(f.Dir(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s sweepReports) removeReports(dir string) error {
	names := []string{stats.DifferencesFile, stats.AnswersFile}
	for _, file := range sweepFiles(nil) {
		names = append(names, file.Name)
	}
	return folder.RemoveReports(dir, names...)
}
