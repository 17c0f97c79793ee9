package sweep

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/sweep/record"
)

// maxRecorded is how many bytes of one body are recorded, as in the evidence of a run. Of a larger one the digest is.
const maxRecorded = 1 << 20

// records reports whether the sweep records the answers of one version, and compares nothing.
func (c *checker) records() bool { return c.pair.From == c.pair.To }

// pairOf returns the versions that a sweep compares or, if it records one version, that version twice: its two calls
// are compared with each other.
func pairOf(contract *schemas.Contract, versions []schemas.Version) schemas.Pair {
	if len(versions) == 1 {
		return schemas.Pair{From: versions[0], To: versions[0]}
	}
	pair, _ := contract.PairOf(versions)
	return pair
}

// versionOfPair returns the version that a finding about both answers has.
func (c *checker) versionOfPair() schemas.Version {
	if c.records() {
		return c.pair.From
	}
	return c.pair.Version()
}

// repeatRecorded sends the request a third time after two calls were answered differently, so that the record shows
// what changes from call to call (J15).
func (c *comparison) repeatRecorded(ctx context.Context, found stats.Result) (stats.Result, error) {
	if err := c.engine.Ask(ctx, &c.answers, probesOf(c.pair.From)); err != nil {
		return stats.Result{}, err
	}
	third := c.answers.Judgements[2]
	if found.Findings = appendNew(found.Findings, c.findings(third)); faultsOf(third) != "" {
		c.faulted[c.operation] = true
		return c.incomparable(found, faultsOf(third)+", when it was read again"), nil
	}
	c.noteAnswers(&found, c.answers.Judgements...)
	found.Outcome, found.Why = stats.EqualUnderRule, "identical calls are answered differently"
	return found, nil
}

// recordPath returns the file of the record, or "" if nothing is recorded. With shards it is one in a folder.
func (s *Sweep) recordPath() string {
	path, shard := s.Settings.Record, s.Options.Shard
	if path == "" || shard.Of == 1 {
		return path
	}
	return filepath.Join(path, fmt.Sprintf("%s-%d-of-%d.ndjson.gz", s.check.pair.From, shard.Index, shard.Of))
}

// record makes the user's line of the record. Bodies are left out if too many wait to be written.
func (c *checker) record(u *userCheck) (err error) {
	limit := maxRecorded
	if c.waiting.Load() > maxWaiting {
		limit = 0
	}
	var stored []*exchange.Exchange
	for i, ex := range u.exchanges {
		reduced := *ex
		reduced.Header = http.Header{"Content-Type": ex.Header["Content-Type"]}
		if i > 0 && ex.Probe.Operation == u.exchanges[i-1].Probe.Operation && ex.SameAnswer(u.exchanges[i-1]) {
			same := *stored[i-1] // is not searched for secrets again
			same.Started, same.Duration = ex.Started, ex.Duration
			stored = append(stored, &same)
			continue
		}
		clean := c.sweep.out.Exchange(&reduced, limit)
		stored = append(stored, &clean)
	}
	user := u.user.User
	user.ID, user.UserID = c.sweep.out.Identifier(user.ID), c.sweep.out.Identifier(user.UserID)
	u.line, u.withheld, err = recorded.AppendLine(nil, user, stored, func(ex *exchange.Exchange) bool {
		i := slices.Index(stored, ex)
		return u.accepted[ex.Probe.Operation] && bytes.Equal(ex.Body, u.exchanges[i].Body)
	})
	return err
}

// beginRecording creates the record or, with at, continues it.
func (c *collector) beginRecording(at *record.Counts) (err error) {
	w := c.sweep
	path := w.recordPath()
	switch {
	case path == "":
		return nil
	case at != nil:
		c.recording, err = record.ResumeRecording(path, w.out.Guard(), *at)
		return err
	}
	v := w.check.pair.From
	c.recording, err = record.BeginRecording(path, w.out.Guard(), &recorded.Header{
		Version: v, Target: w.identity.Target[v], Subject: report.SubjectOf(w.Settings.Subject, nil, w.out).String(),
		Suite: w.identity.Suite, Contract: w.Contract.Digest, Settings: w.identity.Rules, Sweep: w.ID,
		Started: w.Started.UTC(), Shard: w.Options.Shard.Index, Shards: w.Options.Shard.Of,
	}, w.Options.Restart)
	return err
}

// finishRecording writes the footer of the record.
func (c *collector) finishRecording() error {
	if c.recording == nil {
		return nil
	}
	f := &recorded.Footer{Population: c.sweep.read.Digest, Finished: time.Now().UTC()}
	if err := c.recording.Finish(f); err != nil {
		return err
	}
	v := c.sweep.check.pair.From
	c.sweep.recording = &exchange.Recorded{From: c.sweep.out.Text(c.sweep.recordPath(), 0), Digest: f.Digest,
		Target: c.sweep.identity.Target[v], Suite: c.sweep.identity.Suite, Contract: c.sweep.Contract.Digest,
		Settings: c.sweep.identity.Rules, Population: f.Population, Users: f.Users, Withheld: f.Withheld,
		Started: c.sweep.Started.UTC(), Finished: f.Finished,
		Subject: report.SubjectOf(c.sweep.Settings.Subject, nil, c.sweep.out).String()}
	return nil
}

// accept notes that the answers of the operation passed the quick check.
func (c *comparison) accept() {
	if c.accepted == nil {
		c.accepted = map[schemas.Operation]bool{}
	}
	c.accepted[c.op] = true
}
