package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/report"
)

// Kind is what a command leaves in its report folder when it has no result.
type Kind interface {
	// Unfinished replaces an earlier report, before anything else is checked.
	Unfinished(f *Folder) error
	// Failed replaces that by a report with the reason why there is no result.
	Failed(f *Folder, reason string) error
	// Remove removes an earlier report, from a folder in which nothing can be written.
	Remove(dir string) error
}

// Reported is an error of Kind.Unfinished that the report in the folder already contains.
type Reported struct{ Err error }

func (r Reported) Error() string { return r.Err.Error() }

// Unwrap returns the error.
func (r Reported) Unwrap() error { return r.Err }

// Live does work between two reports. First an "unfinished" report replaces an earlier one, so that a crash or a bad
// setting never leaves an old pass behind. If the work fails, a report with the reason, as text returns it, replaces
// that. If no report can be written, the earlier ones are removed. The work writes the report of its result itself.
func Live(dir string, kind Kind, text func(error) string, work func(*Folder) error) error {
	f, err := Open(dir)
	if err == nil {
		defer f.Close()
		err = kind.Unfinished(f)
	}
	if reported := (Reported{}); errors.As(err, &reported) || errors.Is(err, ErrInUse) {
		return err
	}
	if err != nil {
		return joined(err, kind.Remove(dir))
	}
	if err = work(f); err == nil {
		return nil
	}
	again, failed := Open(dir) // open it again, as it may have been removed
	if failed == nil {
		defer again.Close()
		failed = kind.Failed(again, text(err))
	}
	return joined(err, failed)
}

// joined returns an error for a failure and for a later one with another cause.
func joined(err, next error) error {
	if next == nil || next.Error() == err.Error() {
		return err
	}
	return fmt.Errorf("%w; and %w", err, next)
}

// Run is the Kind of a run against a contract, by its digest.
type Run struct {
	Contract string
	Started  time.Time
	// KeepArchive keeps evidence in the folder: it may be what is to be judged.
	KeepArchive bool
}

// Unfinished writes the files of a run that has not ended.
func (r Run) Unfinished(f *Folder) error {
	if r.KeepArchive {
		f.statement, _ = os.ReadFile(filepath.Join(f.dir, report.StatementFile)) // one that can't be read is ignored
	}
	return f.Write(Content{Report: report.Unfinished(r.Contract, r.Started), KeepArchive: r.KeepArchive,
		Provisional: true})
}

// Failed writes the files of a run that could not begin.
func (r Run) Failed(f *Folder, reason string) error {
	return f.Write(Content{Report: report.Failed(r.Contract, r.Started, time.Now(), reason),
		KeepArchive: r.KeepArchive})
}

// Remove removes the files with a run's result.
func (r Run) Remove(dir string) error { return RemoveReports(dir, Reports()...) }
