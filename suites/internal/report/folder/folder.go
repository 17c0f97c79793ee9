// Package folder writes the files of the report folder. Each is written whole or not at all, and none contains a
// secret.
package folder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/report/statement"
	"authenticator-conformance/suites/internal/sanitize"
)

// Folder is an open report folder.
type Folder struct {
	dir    string
	handle *os.File // the folder itself; kept open to notice if another replaces it

	metricsFile string // of its Place
}

// Open opens a folder and creates it if it does not exist.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	handle, err := os.Open(dir)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	return &Folder{dir: dir, handle: handle}, nil
}

// Close closes the folder.
func (f *Folder) Close() { _ = f.handle.Close() }

// checkUnmoved returns an error if the path no longer leads to the folder that was opened.
func (f *Folder) checkUnmoved() error {
	was, err := f.handle.Stat()
	if err == nil {
		now, err := os.Stat(f.dir)
		if err == nil && os.SameFile(was, now) {
			return nil
		}
	}
	return fmt.Errorf("the report folder %q was removed or replaced meanwhile, and what was found is lost; start "+
		"again (a sweep with --restart)", f.dir)
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Earlier returns the content of a file in the folder, or nothing if it can't be read.
func (f *Folder) Earlier(name string) []byte {
	content, _ := os.ReadFile(filepath.Join(f.dir, name))
	return content
}

// Same reports whether two paths lead to the same folder, which exists.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Reports returns the names of the files with a run's result.
func Reports() []string {
	return []string{report.JSONFile, report.PageFile, report.JUnitFile, report.SummaryFile, report.StatementFile,
		metrics.File}
}

// RemoveReports removes files of an earlier run from a folder, so that nobody mistakes them for the result of this run.
// It is for a run that can't write its own.
func RemoveReports(dir string, names ...string) error {
	var faults []error
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if err := os.Remove(path); err != nil {
			faults = append(faults, fmt.Errorf("the %s of an earlier run can't be removed: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

// Content has everything that the files of a report folder are made from.
type Content struct {
	Report *report.Report
	// Store has the exchanges that the findings name; nil if nothing was sent.
	Store evidence.Store
	// Archive writes evidence.har. If it is nil there is no evidence, and an earlier file is removed.
	Archive func(io.Writer) error
	// Guard inspects all written files; nil if no secret is known yet.
	Guard *sanitize.Guard
	// Provisional files are not synced to disk, because others will replace them. A process that crashes does not lose
	// them, and a machine that crashes could lose their names even if they were synced.
	Provisional bool
}

// Write writes all files of a run into the folder. It is an error if the folder was replaced since it was opened: the
// new one must not get this run's result.
func (f *Folder) Write(c Content) error {
	if err := f.checkUnmoved(); err != nil {
		return err
	}
	s := &staging{dir: f.dir, guard: c.Guard, provisional: c.Provisional}
	defer s.cleanup()
	if c.Archive != nil {
		s.stage(report.EvidenceFile, c.Archive)
	}
	for _, one := range c.Files(f.Earlier(metrics.File)) {
		s.stage(one.Name, one.Write)
	}
	digests := s.digests()
	s.stage(report.StatementFile, func(w io.Writer) error {
		content, err := statement.Marshal(c.Report, digests)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
	if s.err() == nil && c.Archive == nil {
		if err := RemoveReports(f.dir, report.EvidenceFile); err != nil {
			return unwritable(f.dir, err)
		}
	}
	return s.commit()
}

// publish writes the metrics in the folder to their place beside it, if they have one. If they can't be written, those
// of an earlier command are removed, which makes room on a full disk.
func (f *Folder) publish() error {
	if f.metricsFile == "" {
		return nil
	}
	content := metrics.Carry(f.Earlier(metrics.File), metrics.ReadRegular(f.metricsFile))
	err := metrics.Publish(content, f.metricsFile)
	if err != nil {
		if left := RemoveReports(filepath.Dir(f.metricsFile), filepath.Base(f.metricsFile)); left != nil {
			return Reported{joined(err, left)}
		}
		err = metrics.Publish(content, f.metricsFile)
	}
	if err != nil {
		return Reported{err}
	}
	return nil
}

// File is the name of a file and the function that writes it.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Put writes files into the folder, all or none, in the order given. A nil guard checks nothing.
func (f *Folder) Put(guard *sanitize.Guard, files ...File) error {
	if err := f.checkUnmoved(); err != nil {
		return err
	}
	s := &staging{dir: f.dir, guard: guard}
	defer s.cleanup()
	for _, one := range files {
		s.stage(one.Name, one.Write)
	}
	return s.commit()
}

// Files returns the files that are made from the report and the exchanges, in the order in which they are put in place.
// report.json is last, because programs rely on it. earlier are the metrics that are replaced.
func (c *Content) Files(earlier []byte) []File {
	return []File{
		{report.PageFile, func(w io.Writer) error { return page.Write(w, c.Report, c.Store) }},
		{report.JUnitFile, func(w io.Writer) error { return report.WriteJUnit(w, c.Report) }},
		{report.SummaryFile, func(w io.Writer) error {
			_, err := w.Write(markdown.Render(c.Report.Document()))
			return err
		}},
		{metrics.File, func(w io.Writer) error { return metrics.Write(w, c.Report, earlier) }},
		{report.JSONFile, func(w io.Writer) error { return report.WriteJSON(w, c.Report) }},
	}
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("the report folder %q (setting reportDir, --report-dir, AUTHN_REPORT_DIR) can't be written: "+
		"%w; name a folder that you may write to and that has room", dir, err)
}
