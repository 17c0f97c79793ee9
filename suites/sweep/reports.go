package sweep

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/sweep/record"
)

// Reports are the files of a sweep in its report folder, except those that it is resumed from; or those of a merge. It
// is a folder.Kind.
type Reports struct {
	Contract string // digest of the contract
	Started  time.Time
	// Begins is true if a sweep starts or is resumed, and false for a merge. Resume and Restart are what was requested.
	Begins, Resume, Restart bool
	// Shards are the folders that a merge reads. It can't write its files there.
	Shards []string
	// CI gets the result of a sweep that failed.
	CI func(*stats.Summary) error
	// Refused says why this sweep may not begin: an earlier one is in the folder, and it, or its report, would be lost.
	// It is known after Unfinished. What is wrong with the settings comes first.
	Refused error

	keeps bool // the report of an earlier sweep is kept, unless this one is found to continue it
}

// Keeps reports whether the report of a finished sweep is kept.
func (r *Reports) Keeps() bool { return r.keeps }

// Command returns the name of the command.
func (r *Reports) Command() string {
	if r.Begins {
		return stats.SweepCommand
	}
	return stats.MergeCommand
}

// Reads reports whether the report folder of a merge is also one that it reads. Folders that can't be read are ignored.
func (r *Reports) Reads(dir string) bool {
	own, err := os.Stat(dir)
	return err == nil && slices.ContainsFunc(r.Shards, func(name string) bool { return record.HasShard(name, own) })
}

// empty returns a summary without counts, with the reason.
func (r *Reports) empty(reason string) *stats.Summary {
	s := stats.Empty(report.SuiteOf(r.Contract), r.Started, reason)
	s.Command = r.Command()
	return s
}

// Unfinished replaces the report of an earlier sweep that is not finished.
func (r *Reports) Unfinished(f *folder.Folder) error {
	if r.Begins {
		r.Refused = r.checkEarlier(f)
	}
	return r.replace(f, r.empty("unfinished: the sweep has not ended; if its process is gone, continue with --resume"))
}

// checkEarlier returns an error if neither resume nor restart was requested, and an earlier sweep is in the folder: it,
// or its report, would be lost.
func (r *Reports) checkEarlier(f *folder.Folder) error {
	left := record.Peek(f.Dir())
	r.keeps = left.Finished && !r.Restart
	switch {
	case r.Resume || r.Restart:
	case left.Finished:
		return fmt.Errorf("a finished sweep is in %s (%s), and its report was left as it is: sweep again with "+
			"--restart, which replaces it, or into another folder by --report-dir", f.Dir(),
			wording.Count(left.Users, "user"))
	case left.Begun:
		return fmt.Errorf("an unfinished sweep is in %s (%s so far): continue it with --resume, or start again with "+
			"--restart, which gives it up", f.Dir(), wording.Count(left.Users, "user"))
	}
	return nil
}

// Failed writes the reason why there is no sweep.
func (r *Reports) Failed(f *folder.Folder, reason string) error {
	result := r.empty(reason)
	now := time.Now().UTC()
	result.Finished = &now
	if err := r.replace(f, result); err != nil {
		return err
	}
	return r.CI(result)
}

// replace writes an empty report, and removes the list of differences that belongs to the earlier one.
func (r *Reports) replace(f *folder.Folder, result *stats.Summary) error {
	if r.keeps {
		return nil
	}
	if err := f.Put(nil, files(result, f.Earlier(metrics.File))...); err != nil {
		return err
	}
	stale := []string{stats.DifferencesFile}
	if !record.Begun(f.Dir()) || record.Peek(f.Dir()).Finished {
		stale = append(stale, stats.AnswersFile) // a sweep is resumed from it, even one that has checked no user yet
	}
	return folder.RemoveReports(f.Dir(), stale...)
}

// Write writes the files of a result. sources are the places of its findings.
func Write(f *folder.Folder, guard *sanitize.Guard, result *stats.Summary, sources ...record.Source) error {
	var list []folder.File
	if len(sources) > 0 {
		list = append(list, folder.File{Name: stats.DifferencesFile,
			Write: func(w io.Writer) error { return record.WriteDifferences(w, headsOf(result), sources) }})
	}
	return f.Put(guard, append(list, files(result, f.Earlier(metrics.File))...)...)
}

// headsOf returns the versions that a sweep compared, as a list of differences names them: with the day on which they
// were asked, if one of them was recorded.
func headsOf(result *stats.Summary) map[schemas.Version]string {
	heads := map[schemas.Version]string{}
	for v := range result.Identity.Target {
		heads[v] = string(v)
		if r := result.Recorded[v]; r != nil {
			heads[v] += " recorded on " + r.Started.UTC().Format(time.DateOnly)
		} else if len(result.Recorded) > 0 {
			heads[v] += " on " + result.Started.UTC().Format(time.DateOnly)
		}
	}
	return heads
}

// files returns the files of a summary. sweep.json is last, because programs rely on it. earlier are the metrics that
// are replaced.
func files(result *stats.Summary, earlier []byte) []folder.File {
	return []folder.File{
		{Name: stats.PageFile, Write: func(w io.Writer) error { return page.WriteSweep(w, result) }},
		{Name: metrics.File, Write: func(w io.Writer) error { return metrics.WriteSweep(w, result, earlier) }},
		{Name: stats.SummaryFile, Write: func(w io.Writer) error { return stats.Write(w, result) }},
	}
}
