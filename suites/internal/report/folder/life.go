package folder

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
)

// Kind is what a command leaves in its report folder when it has no result.
type Kind interface {
	// Command is the name of the command.
	Command() string
	// Reads reports whether the command reads what is in a folder, so that it can't write its reports there.
	Reads(dir string) bool
	// Unfinished replaces an earlier report, before anything else is checked.
	Unfinished(f *Folder) error
	// Failed replaces that by a report with the reason why there is no result. Whoever else gets that report gets it
	// only if it is in the folder.
	Failed(f *Folder, reason string) error
	// Keeps reports whether the earlier report is left as it is: that of a finished sweep.
	Keeps() bool
}

// Reported is an error that leaves the report in the folder as it is: the report has it, or it is about what is written
// beside the folder.
type Reported struct{ Err error }

func (r Reported) Error() string { return r.Err.Error() }

// Unwrap returns the error.
func (r Reported) Unwrap() error { return r.Err }

// Place is where a command leaves its reports.
type Place struct {
	Dir string
	// Replace lets it replace a signed certificate, or the files of another command or program.
	Replace bool
	// Since, if set, is when the program began. Reports that were written since then are not replaced: they are of
	// another part of the same program.
	Since time.Time
	// Inputs are the paths that the command was given to read.
	Inputs []string
	// MetricsFile returns a file for the metrics of what has ended, beside the one in the folder; "" means none. It is
	// called after the report of the beginning is written, as the name may be in a configuration file that blocks.
	MetricsFile func() string
}

// Live does work between two reports. First an "unfinished" report replaces an earlier one, so that a crash or a bad
// setting never leaves an old pass behind. If the work fails, a report with the reason, as text returns it, replaces
// that. If no report can be written, the earlier ones are removed. The work writes the report of its result itself. The
// metrics beside the folder follow each of these reports. If they, or what else is written beside it, can't be written
// at the end, the reports stay.
//
// A folder that the command reads, that another process uses, or that has a signature or the files of another command
// or program, is refused and left as it is. If replace is set, only the first two are.
func Live(at Place, kind Kind, text func(error) string, work func(*Folder) error) error {
	dir := at.Dir
	if kind.Reads(dir) || slices.ContainsFunc(at.Inputs, func(path string) bool { return IsOf(dir, path) }) {
		return fmt.Errorf("the report folder %q is the one that conformance %s reads: name another one by --report-dir",
			dir, kind.Command())
	}
	f, err := Open(dir)
	if err == nil {
		defer f.Close()
		release, busy := lock(dir)
		if busy != nil {
			return busy
		}
		defer release()
		if err := f.claim(kind.Command(), at); err != nil {
			return err
		}
		err = kind.Unfinished(f)
	}
	metricsFile := at.MetricsFile()
	fault := CheckOutside(metrics.Flag, metricsFile, dir)
	if fault == nil {
		fault = metrics.CheckPlace(metricsFile, kind.Command(), at.Replace)
	}
	if fault != nil {
		metricsFile, err = "", cmp.Or(err, fault)
	}
	if err == nil {
		f.metricsFile = metricsFile
		if !kind.Keeps() {
			err = f.publish()
		}
		if err == nil {
			err = work(f)
			if err == nil || errors.As(err, new(Reported)) {
				return errors.Join(err, f.publish())
			}
		}
	}
	fail := func() error {
		again, failed := Open(dir) // open it again, as it may have been removed
		if failed != nil {
			return failed
		}
		defer again.Close()
		failed = kind.Failed(again, text(err))
		if kind.Keeps() {
			return failed
		}
		again.metricsFile = metricsFile
		return errors.Join(failed, again.publish())
	}
	failed := fail()
	if failed == nil || errors.As(failed, new(Reported)) || kind.Keeps() {
		return joined(err, failed)
	}
	// On a full disk there is room for the new reports once the earlier ones are gone.
	ours := func(w writer) bool { return slices.Contains(w.commands, kind.Command()) }
	if left := RemoveReports(dir, writers[slices.IndexFunc(writers, ours)].results...); left != nil {
		return fmt.Errorf("%w; what is in it is not the result of this command", joined(err, left))
	}
	return joined(err, fail())
}

// joined returns an error for a failure and for a later one with another cause.
func joined(err, next error) error {
	var cause, other syscall.Errno // their texts may have the names of different files
	isSame := errors.As(err, &cause) && errors.As(next, &other) && cause == other
	if next == nil || isSame || next.Error() == err.Error() {
		return err
	}
	return fmt.Errorf("%w; and %w", err, next)
}

// Run is the Kind of a run against a contract, by its digest; or of evidence that is judged again.
type Run struct {
	Contract string
	Started  time.Time
	// Evidence is the file that is judged again, or what was given for it; "" for a run.
	Evidence string
	Judges   bool
	// CI gets the report of a run that could not begin; nil means nobody.
	CI func(*report.Report) error
}

// Keeps returns false: a run replaces an earlier report.
func (Run) Keeps() bool { return false }

// Command returns the name of the command.
func (r Run) Command() string {
	if r.Judges {
		return report.JudgeCommand
	}
	return report.RunCommand
}

// Reads reports whether the evidence is in a folder.
func (r Run) Reads(dir string) bool {
	return r.Judges && (Same(filepath.Dir(r.Evidence), dir) || Same(r.Evidence, dir))
}

// Unfinished writes the files of a run that has not ended.
func (r Run) Unfinished(f *Folder) error {
	unfinished := report.Unfinished(r.Contract, r.Started)
	unfinished.Command = r.Command()
	return f.Write(Content{Report: unfinished, Provisional: true})
}

// Failed writes the files of a run that could not begin.
func (r Run) Failed(f *Folder, reason string) error {
	failed := report.Failed(r.Contract, r.Started, time.Now(), reason)
	failed.Command = r.Command()
	if err := f.Write(Content{Report: failed}); err != nil || r.CI == nil {
		return err
	}
	return r.CI(failed)
}
