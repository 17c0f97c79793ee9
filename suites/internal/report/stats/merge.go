package stats

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// ErrNotEnded means that a shard is missing or has not ended, so merging may succeed later.
var ErrNotEnded = errors.New("not all shards have ended")

// Merge returns the summary of all shards. Errors refer to a shard by its name in names. The error names the first
// shard that is missing, duplicate, of another sweep or unfinished. It wraps ErrNotEnded if waiting helps.
func Merge(names []string, shards []*Summary, now time.Time) (*Summary, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("there is no shard to merge")
	}
	first := shards[0]
	byIndex := map[int]string{}
	for i, s := range shards {
		if err := s.checkMergeable(names[i], first, names[0]); err != nil {
			return nil, err
		}
		shard := s.Identity.Shard
		if other, twice := byIndex[shard.Index]; twice {
			return nil, fmt.Errorf("%s and %s are both shard %s: give each shard once", other, names[i], shard)
		}
		byIndex[shard.Index] = names[i]
	}
	for index := 1; index <= first.Identity.Shard.Of; index++ {
		if _, exists := byIndex[index]; !exists {
			return nil, fmt.Errorf(
				"%w: shard %s is missing: %d of %d were given; give all, after sweeping those that were not",
				ErrNotEnded, Shard{index, first.Identity.Shard.Of}, len(byIndex), first.Identity.Shard.Of)
		}
	}
	users := int64(0)
	for _, s := range shards {
		users += s.Tally.Users
	}
	if users != first.Read.Users {
		return nil, fmt.Errorf("the shards checked %s, and the population has %d: they are not all of one sweep, "+
			"or were changed; sweep them again", wording.Count(users, "user"), first.Read.Users)
	}
	return sumShards(shards, now), nil
}

// checkMergeable returns an error if a shard can't be merged with the first one.
func (s *Summary) checkMergeable(name string, first *Summary, firstName string) error {
	shard := s.Identity.Shard
	switch {
	case s.Merged():
		return fmt.Errorf("%s: is merged already: give the report folders of the shards", name)
	case s.Identity.Sample > 0:
		return fmt.Errorf("%s: is of a sample, which is drawn from the whole population: there is nothing to merge",
			name)
	case s.Error != nil:
		return fmt.Errorf("%w: %s: its sweep was not carried out (%s): sweep that shard again", ErrNotEnded, name,
			*s.Error)
	case shard.Index < 1 || shard.Index > shard.Of:
		return fmt.Errorf("%s: is of no shard of a sweep (it says %s): only what --shard split can be merged", name,
			shard)
	}
	if difference := first.Identity.Differs(s.Identity); difference != "" {
		return fmt.Errorf("%s: is of %s than %s: merge the shards of one sweep", name, difference, firstName)
	}
	if first.MinServed != s.MinServed {
		return fmt.Errorf("%s: has another --min-served (%s) than %s (%s): continue it with --resume and the same "+
			"value", name, s.MinServed, firstName, first.MinServed)
	}
	if !s.Complete || s.Finished == nil {
		return fmt.Errorf("%w: %s: shard %s is not finished: continue it with --resume, then merge again", ErrNotEnded,
			name, shard)
	}
	if s.Read != first.Read {
		return fmt.Errorf("%s: is of another population (%s, %s) than %s (%s, %s): sweep all shards of one users file",
			name, wording.Count(s.Read.Users, "user"), s.Read.Digest, firstName,
			wording.Count(first.Read.Users, "user"), first.Read.Digest)
	}
	return nil
}

// Merged reports whether merge wrote the summary.
func (s *Summary) Merged() bool { return s.Command == MergeCommand }

// sumShards adds up the shards in their order.
func sumShards(shards []*Summary, now time.Time) *Summary {
	shards = slices.SortedFunc(slices.Values(shards),
		func(a, b *Summary) int { return cmp.Compare(a.Identity.Shard.Index, b.Identity.Shard.Index) })
	whole := *shards[0]
	whole.Command = MergeCommand
	whole.Tally = New(whole.Identity.Seed, schemas.InOrder(whole.Identity.Target)...)
	whole.Shards, whole.Seconds, whole.Traffic, whole.Findings, whole.Notes = []Shard{}, 0, Traffic{}, "", []string{}
	whole.mergeRecorded(shards)
	whole.mergeSettings(shards)
	whole.Total = whole.Read.Users
	whole.Identity.Shard = Shard{1, 1}
	for _, s := range shards {
		whole.Tally.add(s.Tally)
		whole.Traffic.Add(s.Traffic)
		whole.Seconds += s.Seconds
		whole.Shards = append(whole.Shards, s.Identity.Shard)
		if s.Started.Before(whole.Started) {
			whole.Started = s.Started
		}
		if s.Tally.Ungrouped > 0 {
			whole.Notes = append(whole.Notes, fmt.Sprintf("a shard found more than %d groups: what is counted for a "+
				"group may be too low by the findings that no group has", maxGroups))
		}
		whole.Notes = append(whole.Notes, s.Notes...)
	}
	if note := apart(shards); note != "" {
		whole.Notes = append(whole.Notes, note)
	}
	slices.Sort(whole.Notes)
	whole.Notes = slices.Compact(whole.Notes)
	whole.Finished = new(now.UTC())
	whole.Conclude()
	return &whole
}

// mergeSettings leaves the settings that all shards have. One that differs is in the report of each.
func (s *Summary) mergeSettings(shards []*Summary) {
	s.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(one report.Setting) bool {
		return slices.ContainsFunc(shards, func(shard *Summary) bool { return !slices.Contains(shard.Settings, one) })
	})
}

// apart says which shard had ended over a day before another began, as they may be of two sweeps; "" if none had.
func apart(shards []*Summary) string {
	first := slices.MinFunc(shards, func(a, b *Summary) int { return a.Finished.Compare(*b.Finished) })
	last := slices.MaxFunc(shards, func(a, b *Summary) int { return a.Started.Compare(b.Started) })
	if last.Started.Sub(*first.Finished) < 24*time.Hour {
		return ""
	}
	return fmt.Sprintf("shard %s had ended at %s when shard %s began at %s: if they are of two sweeps, sweep the "+
		"shards of the first again", first.Identity.Shard, first.Finished.Format(time.RFC3339), last.Identity.Shard,
		last.Started.Format(time.RFC3339))
}

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
