// Package session carries a run from its settings to its report folder: evidence, results, baseline, reports. The
// commands run and judge do so, and so does Register in another program's suite.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// Session is a run, or one that is judged again, with all that its reports are made from.
type Session struct {
	Run *run.Run
	// Out is the way out for everything that the run shows.
	Out *sanitize.Output
	// Result is the report, once the run has ended.
	Result *report.Report

	folder   *folder.Folder // nil: no files are written
	store    evidence.Store
	archive  func(io.Writer) error
	close    func()
	records  map[schemas.Version]result.Source
	baseline *report.Report
	ended    error // why the run was not carried out to its end
}

// New prepares a run against the target of the settings, and keeps its evidence in a folder. Without a folder no file
// is written. It sends nothing.
func New(s *settings.Settings, suite *spec.Suite, into *folder.Folder) (*Session, error) {
	if err := ginkgospecs.CheckFilters(s, ginkgospecs.KnownLabels(suite.Contract)); err != nil {
		return nil, err
	}
	n := &Session{Out: WayOut(s, suite), folder: into, close: func() {}}
	if err := n.openRecords(s, suite.Contract); err != nil {
		return nil, err
	}
	in := run.Input{Records: n.records, Renewed: n.Out.Renew}
	if into != nil {
		kept, err := evidence.NewWriter(into.Dir(), n.Out)
		if err != nil {
			return nil, fmt.Errorf("the evidence can't be kept in the report folder: %w", err)
		}
		closeRecords := n.close
		n.store, in.Recorder, n.close = kept, kept, func() { kept.Close(); closeRecords() }
		n.archive = func(w io.Writer) error {
			return kept.WriteArchive(w, evidence.RecordOf(n.Run.Result(n.ended), n.Out))
		}
	}
	n.Run = run.New(s, suite, report.Version, in)
	if err := n.readBaseline(); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// WayOut returns the way out for a run or a sweep with these settings.
func WayOut(s *settings.Settings, suite *spec.Suite) *sanitize.Output {
	return sanitize.New(s, suite.Contract, report.Name+"/"+report.Version)
}

// readBaseline reads the baseline of the settings, if there is one.
func (n *Session) readBaseline() (err error) {
	s := n.Run.Settings
	if s.Baseline == "" {
		return nil
	}
	if n.baseline, err = gate.Read(s.Baseline, n.Run.Contract); err == nil {
		err = gate.CheckCoverage(s.Baseline, n.baseline, n.Run.Ledger.Rows())
	}
	if err != nil && s.Program {
		return fmt.Errorf("Config.Baseline: %w", err)
	}
	return err
}

// Heading returns the lines that describe what is judged, and by which contract.
func (n *Session) Heading() string {
	s := n.Run.Settings
	work := wording.Count(n.Run.Planned(), "request") + " planned"
	if n.Run.Evidence() != "" {
		work = "judged again as of " + n.Run.Started.Format(time.RFC3339)
	}
	return report.Heading(n.Run.Contract.Digest, n.Out.Texts(n.Run.Targets()), s.Embedded, n.Out.Values()) +
		fmt.Sprintf("%s, %s, run %s\n", wording.Count(len(s.Users), "user"), work, n.Run.ID) +
		fmt.Sprintf("fingerprint: %s\n", report.FingerprintsOf(s, n.Run.Contract, n.Run.Started, n.Out))
}

// Warning returns what is to be known before anything is sent: the token travels in clear text, or ends too early; or
// "".
func (n *Session) Warning() string {
	if n.Run.Evidence() != "" {
		return "" // nothing is sent
	}
	s := n.Run.Settings
	seconds := float64(n.Run.Planned()) / 10 // at a tenth of a second each
	if s.Rate > 0 {
		seconds = max(seconds, float64(n.Run.Planned())/s.Rate)
	}
	expected := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	return n.Out.Text(strings.Join(slices.DeleteFunc([]string{n.Run.UnencryptedWarning(), n.Run.TokenWarning(expected)},
		func(text string) bool { return text == "" }), "; "), 0)
}

// Execute carries the run out, makes its report and compares it with the baseline. progress, unless it is nil, is
// called with how many requests are done, and planned. The error says why the run was not carried out to its end; after
// an bounded.ErrGivenUp there is no report.
func (n *Session) Execute(ctx context.Context, progress func(done, planned int)) error {
	n.ended = n.Run.Execute(ctx, progress)
	if errors.Is(n.ended, bounded.ErrGivenUp) {
		return n.ended
	}
	n.Result = report.New(n.Run.Result(n.ended), n.Out)
	if n.folder != nil {
		n.Result.Folder = n.Out.Text(n.folder.Dir(), 0)
	}
	if n.baseline != nil {
		// Other users show other things at an open point.
		changeFails := n.Run.Settings.Divergence == settings.DivergenceFail && len(n.Run.Settings.OnlyRows) == 0
		gate.Compare(n.baseline, n.Result, changeFails)
	}
	return n.ended
}

// Write writes the files of the report folder, if there is one. Without a report its error says why there is none.
func (n *Session) Write() error {
	switch {
	case n.folder == nil:
		return nil
	case n.Result == nil:
		return n.ended
	}
	return n.folder.Write(folder.Content{Report: n.Result, Store: n.store, Guard: n.Out.Guard(), Archive: n.archive})
}

// Close releases what the evidence takes on disk.
func (n *Session) Close() { n.close() }

// Planned is a request that a run would send, as plan shows it.
type Planned struct {
	Exchange  string `json:"exchange"`
	Risk      string `json:"risk"`
	Operation string `json:"operation"`
	Version   string `json:"version"`
	UserID    string `json:"userId"`
	Probe     string `json:"probe"`
	Method    string `json:"method"`
	URL       string `json:"url"`
	Body      string `json:"body"`
}

// Plan lists the requests that the run would send, in order, with placeholders for the tokens.
func (n *Session) Plan() []Planned {
	bases, unknown := map[schemas.Version]string{}, map[schemas.Version]string{}
	for _, v := range n.Run.Settings.Versions {
		bases[v], unknown[v] = n.Run.Base(v), exchange.UnknownToken
	}
	shown, list := requests.Past(n.Run.Settings, n.Run.Contract, bases, unknown), []Planned{}
	for _, p := range n.Run.Plan() {
		address, _, body := n.Out.Request(shown, p, "")
		list = append(list, Planned{Exchange: p.ID, Risk: string(p.Risk()), Operation: string(p.Operation),
			Version: string(p.Version), UserID: n.Out.Text(n.Out.StoredUser(p).UserID, 0), Probe: p.Name(),
			Method: p.Method(), URL: n.Out.Text(address, 0), Body: n.Out.Text(body, 0)})
	}
	return list
}
