package session

import (
	"fmt"
	"os"
	"path/filepath"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/settings"
)

// openRecords opens the record of each version that is read instead of asked: that of a sweep, or the evidence of a
// run. It completes what the settings say of them.
func (n *Session) openRecords(s *settings.Settings, contract *schemas.Contract) error {
	n.records = map[schemas.Version]engine.Source{}
	for v, known := range s.Recorded {
		path := known.From
		if archive := filepath.Join(path, report.EvidenceFile); isFile(archive) {
			path = archive
		}
		var facts exchange.Recorded
		if filepath.Ext(path) == filepath.Ext(report.EvidenceFile) {
			all, err := evidence.Read(path, contract.Versions)
			if err != nil {
				return err
			}
			if n.records[v], facts, err = all.AnswersOf(v, contract); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			facts.From = path
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

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
