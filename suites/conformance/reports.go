package conformance

import (
	"errors"
	"io"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
)

// reports writes the files of a run. Without a folder it writes nothing.
type reports struct {
	requirements *Requirements
	started      time.Time
	folder       *folder.Folder   // nil: none
	recorded     *evidence.Writer // nil until the run is prepared, and without a folder
	written      bool
}

// openReports replaces an earlier report by one that says "unfinished", before anything else is checked. After a crash
// or a wrong config, no old report with a pass remains.
func openReports(dir string, requirements *Requirements) (*reports, error) {
	f := &reports{requirements: requirements, started: time.Now()}
	if strings.TrimSpace(dir) == "" {
		return f, nil
	}
	var err error
	if f.folder, err = folder.Open(dir); err == nil {
		err = f.folder.Write(folder.Content{Report: report.Unfinished(requirements.Contract.Digest, f.started),
			Provisional: true})
	}
	if err != nil {
		f.close()
		return nil, errors.Join(err, folder.RemoveReports(dir, folder.Reports()...))
	}
	return f, nil
}

func (f *reports) close() {
	if f.recorded != nil {
		f.recorded.Close()
	}
	if f.folder != nil {
		f.folder.Close()
	}
}

// prepare prepares a run with the settings. Its exchanges are kept if there is a folder for them.
func (f *reports) prepare(s *settings.Settings, out *sanitize.Output) (*run.Run, error) {
	if f.folder == nil {
		return run.New(s, f.requirements, report.Version, nil), nil
	}
	recorded, err := evidence.NewWriter(f.folder.Dir())
	if err != nil {
		return nil, err
	}
	f.recorded = recorded
	r := run.New(s, f.requirements, report.Version, target.Recorder(recorded))
	recorded.ForRun(r.Requests, out)
	return r, nil
}

// write writes the files of a run with its report. Ended is why it did not complete, or nil.
func (f *reports) write(r *run.Run, out *sanitize.Output, result *report.Report, ended error) error {
	if f.folder == nil {
		return nil
	}
	err := f.folder.Write(folder.Content{
		Report: result, Store: f.recorded, Guard: out.Guard(),
		Archive: func(w io.Writer) error {
			return f.recorded.WriteArchive(w, evidence.RecordOf(r, out, ended))
		},
	})
	f.written = err == nil
	return err
}

// failed writes a report with the reason why there is no result, and returns that reason.
func (f *reports) failed(cause error) error {
	if f.folder == nil || f.written {
		return cause
	}
	result := report.Failed(f.requirements.Contract.Digest, f.started, time.Now(), cause.Error())
	return errors.Join(cause, f.folder.Write(folder.Content{Report: result}))
}
