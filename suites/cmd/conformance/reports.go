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

// writeReports does work between two reports in the report folder of the settings.
func (a *app) writeReports(ctx context.Context, c settings.Command, flags *pflag.FlagSet, kind folder.Kind,
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
	show := func(err error) string { return a.out.ErrorLines(err) } // out is known later than this
	return folder.Live(dir, kind, show, func(f *folder.Folder) error {
		a.folder = f
		return engine.Within(ctx, reportGrace, func() error {
			if err := work(); err != nil {
				return err
			}
			return a.stdout.err()
		})
	})
}

// commandOf returns the command with this name, if it writes reports.
func commandOf(name string) settings.Command {
	return map[string]settings.Command{runName: settings.Run, judgeName: settings.Judge, sweepName: settings.Sweep,
		mergeName: settings.Merge}[name]
}

// reportsFor returns the reports of a command.
func (a *app) reportsFor(name string) (folder.Kind, error) {
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
	return runReports{folder.Run{Contract: digest, Started: time.Now(), KeepArchive: name == judgeName}, a}, nil
}

// runReports are the files of a run, with what CI gets of its failure.
type runReports struct {
	folder.Run
	*app
}

func (r runReports) Unfinished(f *folder.Folder) error {
	if r.KeepArchive {
		// A statement that can't be read is ignored.
		r.previousStatement, _ = os.ReadFile(filepath.Join(f.Dir(), report.StatementFile))
	}
	return r.Run.Unfinished(f)
}

func (r runReports) Failed(f *folder.Folder, reason string) error {
	result := report.Failed(r.Contract, r.Started, time.Now(), reason)
	return errors.Join(r.Run.Failed(f, reason), r.writeAnnotations(result, summary.Annotations))
}

// sweepReports are the files of a sweep, except those that it is resumed from.
type sweepReports struct {
	*app
	suite   report.Suite
	started time.Time
	begins  bool // a sweep starts or is resumed; false for a merge
}

// Unfinished replaces the report of an earlier sweep. If that sweep has ended and is to be resumed, its report is
// replaced only once this is known to be possible. The error means that an unfinished sweep would be lost.
func (s sweepReports) Unfinished(f *folder.Folder) error {
	if err := f.Lock(); err != nil {
		return err
	}
	if s.begins {
		if err := s.readEarlier(f); err != nil {
			return folder.Reported{Err: errors.Join(err, s.Failed(f, s.out.ErrorLines(err)))}
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

// Failed writes the reason why there is no sweep.
func (s sweepReports) Failed(f *folder.Folder, reason string) error {
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

// Remove removes the files of an earlier sweep.
func (s sweepReports) Remove(dir string) error {
	names := []string{stats.DifferencesFile, stats.AnswersFile}
	for _, file := range sweepFiles(nil) {
		names = append(names, file.Name)
	}
	return folder.RemoveReports(dir, names...)
}
