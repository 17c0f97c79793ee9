package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
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
func (c *checker) isRecorded(v schemas.Version) bool {
	return c.sweep.record != nil && c.sweep.record.Version() == v
}

// asked returns the versions that are asked.
func (c *checker) asked() []schemas.Version {
	return slices.DeleteFunc(slices.Compact([]schemas.Version{c.pair.From, c.pair.To}), c.isRecorded)
}

// readRecord returns the recorded answer to a probe; nil if the record does not have it.
func (c *comparison) readRecord(p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := c.recorded.Exchange(p)
	if errors.Is(err, exchange.ErrNotRecorded) {
		return nil, nil
	}
	return ex, err
}

// compareUnrecorded returns the result of a user whose answer the record lacks: the answer that came is judged alone.
func (c *comparison) compareUnrecorded(ctx context.Context, ex *exchange.Exchange) (stats.Result, error) {
	settled, err := c.settle(ctx, ex)
	if err != nil {
		return stats.Result{}, err
	}
	j := c.judged(c.adjusted(settled))
	if j.Answer.DisclosesData() {
		c.sweep.controls.NoteServed(settled)
	}
	found := stats.Result{Findings: c.findings(j)}
	c.noteAnswers(&found, j)
	v := c.sweep.record.Version()
	if c.recorded == nil {
		c.unrecorded = true
		return c.incomparable(found, fmt.Sprintf("the record of %s does not have the user", v)), nil
	}
	return c.incomparable(found, fmt.Sprintf("the record of %s has only a digest of the answer", v)), nil
}

// countUnmatched returns how many users of the record were not among those of the users file.
func (s *Sweep) countUnmatched() (int64, error) {
	if s.record == nil || s.Options.Sample > 0 || s.lastFailed != nil {
		return 0, nil
	}
	all, err := s.record.Count(s.Options.Shard.Index, s.Options.Shard.Of)
	return max(0, all-(s.Tally.Users-s.Tally.Unrecorded)), err
}

// faultedLive reports whether a version that was asked gave no answer, so that it may be asked again.
func (c *comparison) faultedLive(judgements ...*spec.Judgement) bool {
	return slices.ContainsFunc(judgements, func(j *spec.Judgement) bool {
		return !c.isRecorded(j.Answer.Exchange.Probe.Version) && faultsOf(j) != ""
	})
}
