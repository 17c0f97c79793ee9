package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/statement"
	"authenticator-conformance/suites/internal/settings"
)

// Again prepares to judge the evidence in a file, or in a report folder, again, by the settings of its run but for
// values and baseline, which are those of own. contract is the digest of the contract by which the run itself was
// judged.
func Again(ctx context.Context, path string, own *settings.Settings, suite *spec.Suite, into *folder.Folder) (
	n *Session, contract string, err error) {
	path = evidenceIn(path)
	recorded, err := bounded.Value(ctx, 0, func() (*evidence.Evidence, error) { return read(path, suite.Contract) })
	if err != nil {
		return nil, "", err
	}
	if n, err = Of(recorded, own, suite); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	n.folder, n.archive = into, recorded.WriteArchive
	if n.Out.Hides() {
		recorded.Hide(n.Run.Requests, n.Out)
	}
	secrets := n.Out.Guard().Watch(path) // else the copy would be a defect
	if err := recorded.WriteArchive(secrets); err != nil {
		return nil, "", err
	}
	if secrets.Err() != nil {
		return nil, "", fmt.Errorf("%s contains a secret that is given to this command: judge it without that secret, "+
			"as judge needs none, and keep the file to yourself", path)
	}
	return n, recorded.Record.Contract, bounded.Within(ctx, 0, n.readBaseline)
}

// Of prepares to judge evidence again, as Again, and writes no files.
func Of(recorded *evidence.Evidence, own *settings.Settings, suite *spec.Suite) (*Session, error) {
	s := recorded.Settings
	if err := ginkgospecs.CheckFilters(s, ginkgospecs.KnownLabels(suite.Contract)); err != nil {
		return nil, err
	}
	s.Values, s.Baseline, s.Secrets = own.Values, own.Baseline, own.Secrets
	n := &Session{Out: WayOut(s, suite), close: func() {}, store: recorded}
	n.Run = run.Again(s, suite, recorded.Run())
	return n, nil
}

// read reads evidence. It is an error if the statement beside it has another digest.
func read(path string, contract *schemas.Contract) (*evidence.Evidence, error) {
	all, err := evidence.Read(path, contract.Versions)
	if err != nil {
		return nil, err
	}
	return all, checkStatement(path, all.Digest())
}

// checkStatement returns an error if the statement.json beside the evidence has another digest for it: then the
// evidence was changed.
func checkStatement(path, digest string) error {
	content, err := os.ReadFile(filepath.Join(filepath.Dir(path), report.StatementFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	stated := ""
	if err == nil {
		var all map[string]string
		all, err = statement.Digests(content)
		stated = all[filepath.Base(path)]
	}
	switch {
	case err != nil:
		return fmt.Errorf("the %s beside %s can't be read: %w; name evidence in a folder without it",
			report.StatementFile, path, err)
	case stated != "" && stated != digest:
		return fmt.Errorf("%s was changed since it was recorded: the %s beside it says %s, and it is %s; name the "+
			"unchanged file, or one in a folder without the statement", path, report.StatementFile, stated, digest)
	}
	return nil
}

// openRecords opens the record of each version that is read instead of asked: that of a sweep, or the evidence of a
// run. It completes what the settings say of them.
func (n *Session) openRecords(s *settings.Settings, contract *schemas.Contract) error {
	n.records = map[schemas.Version]result.Source{}
	for v, known := range s.Recorded {
		path := evidenceIn(known.From)
		var facts exchange.Recorded
		if filepath.Ext(path) == filepath.Ext(report.EvidenceFile) {
			all, err := read(path, contract)
			if err != nil {
				return err
			}
			if n.records[v], facts, err = all.AnswersOf(v, contract); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			facts.From = path
		} else if _, err := os.Stat(filepath.Join(path, report.JSONFile)); err == nil {
			return fmt.Errorf("%s has no %s, so nothing is recorded in it: its run was not carried out, or the file "+
				"is missing; name the folder of another run, or run %s again", path, report.EvidenceFile, v)
		} else {
			record, err := recorded.Open(path, v, contract, "")
			if err != nil {
				return err
			}
			n.records[v], n.close, facts = record, record.Close, record.Recorded
		}
		s.SetRecorded(v, facts)
	}
	return nil
}

// evidenceIn returns the evidence in a report folder, or the path itself if it names none that has any.
func evidenceIn(path string) string {
	archive := filepath.Join(path, report.EvidenceFile)
	if info, err := os.Stat(archive); err == nil && !info.IsDir() {
		return archive
	}
	return path
}
