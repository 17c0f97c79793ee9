package sweep

import (
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
	"authenticator-conformance/suites/sweep/record"
)

// maxRecorded is how many bytes of one body are recorded, as in the evidence of a run. Of a larger one the digest is.
const maxRecorded = 1 << 20

// records reports whether the sweep records the answers of one version, and compares nothing.
func (s *Sweep) records() bool { return s.pair.From == s.pair.To }

// pairOf returns the versions that a sweep compares or, if it records one version, that version twice: its two calls
// are compared with each other.
func pairOf(contract *schemas.Contract, versions []schemas.Version) schemas.Pair {
	if pairs := contract.PairsOf(versions); len(pairs) > 0 {
		return pairs[0]
	}
	return schemas.Pair{From: versions[0], To: versions[0]}
}

// versionOfPair returns the version that a finding about both answers has.
func (s *Sweep) versionOfPair() schemas.Version {
	if s.records() {
		return s.pair.From
	}
	return s.pair.Version()
}

// recordPath returns the file of the record, or "" if nothing is recorded. With shards it is one in a folder.
func (s *Sweep) recordPath() string {
	path, shard := s.Settings.Record, s.Options.Shard
	if path == "" || shard.Of == 1 {
		return path
	}
	return filepath.Join(path, fmt.Sprintf("%s-%d-of-%d.ndjson.gz", s.pair.From, shard.Index, shard.Of))
}

// encode makes the user's line of the record.
func (s *Sweep) encode(u *userCheck) (err error) {
	user := u.user.User
	user.ID, user.UserID = s.out.Identifier(user.ID), s.out.Identifier(user.UserID)
	all := slices.Concat(u.exchanges[:]...)
	u.line, u.withheld, err = recorded.Encode(user, all, func(ex *exchange.Exchange) exchange.Exchange {
		reduced := *ex
		reduced.Probe.User = exchange.User{} // the line has the user once
		reduced.Header = http.Header{"Content-Type": ex.Header["Content-Type"]}
		return s.out.Exchange(&reduced, maxRecorded)
	})
	return err
}

// openRecording opens the record. A part of one says from the beginning what its users file is, so that the next part
// can be compared with it before anything is asked.
func (s *Sweep) openRecording(ctx context.Context, at *record.Position) (*record.Recording, error) {
	population := ""
	if s.Options.Shard.Of > 1 {
		_, whole, err := s.readAgain(func() bool { return ctx.Err() != nil })
		if err != nil {
			return nil, err
		}
		population = whole.Digest
	}
	return record.OpenRecording(s.recordPath(), s.out.Guard(), s.aboutRecord(population), s.Options.Restart, at)
}

// aboutRecord returns what the record says of itself, as far as it is known now. population is the digest of the users.
func (s *Sweep) aboutRecord(population string) recorded.About {
	v := s.pair.From
	return recorded.About{Version: v, Sweep: s.ID, Shard: s.Options.Shard.Index, Shards: s.Options.Shard.Of,
		Recorded: exchange.Recorded{Target: s.identity.Target[v], Suite: s.identity.Suite, Contract: s.Contract.Digest,
			Subject: report.SubjectOf(s.Settings.Subject, nil, s.out).String(), Settings: s.identity.Rules,
			Population: population, Started: s.Started.UTC()}}
}

// finishRecording writes the footer of the record.
func (c *collector) finishRecording() (err error) {
	if c.recording == nil {
		return nil
	}
	w, about := c.sweep, c.sweep.aboutRecord(c.sweep.source.read().Digest)
	about.Finished = time.Now().UTC()
	w.recording, err = c.recording.Finish(about)
	w.recording.From = w.out.Text(w.recordPath(), 0)
	return err
}
