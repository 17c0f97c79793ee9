package sweep

import (
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
)

// OpenRecord opens the record of a version that the settings name, and completes what they say of it. It returns nil if
// every version is asked.
func OpenRecord(s *settings.Settings, contract *schemas.Contract) (*recorded.Record, error) {
	for v, known := range s.Recorded {
		record, err := recorded.Open(known.From, v, contract, s.ReportDir)
		if err == nil {
			s.SetRecorded(v, record.Recorded)
		}
		return record, err
	}
	return nil, nil
}

// isRecorded reports whether a version is read from a record.
func (s *Sweep) isRecorded(v schemas.Version) bool { return s.Settings.Recorded[v] != nil }

// compareUnrecorded returns the result of a user whose answer the record lacks: the answer that came is judged alone.
func (c *comparison) compareUnrecorded() *stats.Result {
	found, why := c.found(), "has only a digest of the answer"
	if found.Unrecorded = c.recorded == nil; found.Unrecorded {
		why = "does not have the user"
	}
	return c.incomparable(found, fmt.Sprintf("the record of %s %s", c.record.Version, why))
}

// countUnmatched returns how many users of the record were not among those of the users file.
func (s *Sweep) countUnmatched() (int64, error) {
	if s.record == nil || s.Options.Sample > 0 || s.lastFailed != nil {
		return 0, nil
	}
	all, err := s.record.Count(s.Options.Shard.Index, s.Options.Shard.Of)
	return max(0, all-(s.Tally.Users-s.Tally.Unrecorded)), err
}
