package stats

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// Recorded is what is known of a version that was read from a record.
type Recorded struct {
	exchange.Recorded
	Lacking   int64 `json:"lacking"`   // users whom the record does not have: not compared
	Unmatched int64 `json:"unmatched"` // users of the record who are not in the users file: not asked
}

// addRecorded adds, to the first lines of a report, what was recorded, when, and of what.
func (s *Summary) addRecorded(d *report.Document) {
	if r := s.Recording; r != nil {
		d.Recorded("Record", "in "+r.From+": "+r.String()+", "+wording.Count(r.Users, "user"))
		if r.Withheld > 0 {
			d.Fact("Answers recorded without their body", wording.Number(r.Withheld), false)
		}
	}
	for _, v := range schemas.InOrder(s.Recorded) {
		r := s.Recorded[v]
		d.Recorded(string(v), report.RecordedWords(&r.Recorded, s.Started))
		d.Fact("Users whom the record does not have, not compared", wording.Number(r.Lacking), false)
		d.Fact("Users of the record who are not in the users file, not asked", wording.Number(r.Unmatched), false)
		d.Fact("Answers of the record without their body, not compared", wording.Number(r.Withheld), false)
		d.Fact("Digest of the record of "+string(v), r.Digest, true)
	}
}

// records returns what is known of the records that were read.
func (s *Summary) records() map[schemas.Version]*exchange.Recorded {
	read := map[schemas.Version]*exchange.Recorded{}
	for v, r := range s.Recorded {
		read[v] = &r.Recorded
	}
	return read
}

// unmatchedTail says how many users of a record were not asked; "" if all were.
func (s *Summary) unmatchedTail() string {
	for _, v := range schemas.InOrder(s.Recorded) {
		if n := s.Recorded[v].Unmatched; n > 0 {
			return "; " + wording.Count(n, "user") + " of the record of " + string(v) + " are not in the users file, " +
				"and were not asked"
		}
	}
	return ""
}

// mergeRecorded adds up what shards know of the records that they read. Of records that they made, each has its own.
func (s *Summary) mergeRecorded(shards []*Summary) {
	s.Recorded, s.Recording = nil, nil
	for _, one := range shards {
		for v, r := range one.Recorded {
			if s.Recorded == nil {
				s.Recorded = map[schemas.Version]*Recorded{}
			}
			if s.Recorded[v] == nil {
				s.Recorded[v] = &Recorded{Recorded: r.Recorded}
			}
			s.Recorded[v].Lacking += r.Lacking
			s.Recorded[v].Unmatched += r.Unmatched
		}
	}
}
