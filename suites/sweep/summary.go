package sweep

import (
	"fmt"
	"math"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep/record"
)

// Summary returns the content of sweep.json. reason is the error of Execute, or nil.
func (s *Sweep) Summary(finished time.Time, reason error) *stats.Summary {
	if finished = finished.UTC(); s.Ended && !s.collector.Finished.IsZero() {
		finished = s.collector.Finished
	}
	summary := &stats.Summary{
		Format: stats.Format, Command: stats.SweepCommand, Ended: s.Ended &&
			reason == nil, Suite: report.SuiteOf(s.Contract.Digest),
		Sweep: s.ID, Started: s.Started.UTC(), Finished: &finished, Identity: s.identity, Shards: []stats.Shard{},
		Subject: report.SubjectOf(s.Settings.Subject, s.Client.Observed(), s.out),
		Late:    s.late != nil,
		Tally:   s.Tally, MinServed: s.Settings.MinServed, Traffic: s.traffic(), Notes: s.notes(finished),
		Settings: []report.Setting{},
	}
	if summary.Recording = s.recording; s.record != nil {
		r := &stats.Recorded{Recorded: s.record.Recorded, Unmatched: s.unmatched}
		for _, text := range []*string{&r.From, &r.Target, &r.Subject, &r.Suite} {
			*text = s.out.Text(*text, 0)
		}
		if s.Tally != nil {
			r.Lacking = s.Tally.Unrecorded
		}
		summary.Recorded = map[schemas.Version]*stats.Recorded{s.record.Version: r}
	}
	summary.Complete = summary.Ended && s.lastFailed == nil
	if k := s.collector; k != nil {
		summary.Seconds = math.Round(k.elapsed().Seconds()*1000) / 1000
		summary.Read, summary.Traffic, summary.Findings = k.Read, k.sent(), k.digest
		summary.Total = s.total
		if s.Ended {
			// The reader may have passed users of other shards after the last user of this one.
			summary.Read, summary.Total = s.source.read(), s.Tally.Users
		}
	} else {
		summary.Tally = stats.New(s.Options.Seed, s.Settings.Versions...)
	}
	for _, e := range s.Settings.Effective {
		summary.Settings = append(summary.Settings,
			report.Setting{Name: e.Name, Value: s.out.Text(e.Value, 0), Source: s.out.Text(e.Source, 0)})
	}
	if reason != nil {
		text := s.out.Error(reason)
		summary.Error = &text
	}
	summary.Conclude()
	return summary
}

// notes says what explains findings that nobody expects.
func (s *Sweep) notes(now time.Time) []string {
	var notes []string
	if s.Ended && s.collector.asksNothing() {
		notes = append(notes, "nothing was asked: the sweep had ended at "+now.Format(time.RFC3339)+
			"; for another one give --restart or another folder, such as one named by {date}")
	}
	notes = slices.Concat(notes, s.Client.Warnings(), s.Settings.Ended(now))
	if note := s.Settings.InterruptionNote(s.traffic().Interruptions, s.Client.RenewalHelped()); note != "" {
		notes = append(notes, note)
	}
	if s.late != nil {
		note := fmt.Sprintf("the sweep ended at its deadline of %s (%s)", s.Settings.Deadline,
			s.Settings.Named("--deadline, AUTHN_DEADLINE, deadline", "Deadline"))
		if s.late.Error() != client.ErrDeadline.Error() {
			note += ": " + s.out.Error(s.late)
		}
		notes = append(notes, note)
	}
	if s.source != nil && s.source.reader != nil {
		notes = append(notes, s.source.reader.Notes()...)
	}
	return s.out.Texts(notes)
}

// Heading describes the sweep that is about to start: suite, target and users.
func (s *Sweep) Heading() string {
	text := report.Heading(s.Contract.Digest, s.out.Texts(s.Client.Targets()), s.Settings.Embedded, s.out.Values())
	users := "the users of the embedded reference"
	switch {
	case s.lastFailed != nil:
		users = wording.Count(len(s.lastFailed), "user") + " for whom something was found before, of " +
			s.out.Text(s.Settings.LastFailed, 0)
	case s.Settings.UsersFile == "":
	case s.Settings.UsersFile == settings.StandardInput:
		users = "the users of the standard input"
	default:
		users = "the users of " + s.out.Text(s.Settings.UsersFile, 0)
	}
	if s.Options.Shard.Of > 1 {
		users += ", shard " + s.Options.Shard.String()
	}
	if s.Options.Sample > 0 {
		users += fmt.Sprintf(", a random sample of %s (seed %d)", wording.Number(int64(s.Options.Sample)),
			s.Options.Seed)
	}
	if left := record.Peek(s.Settings.ReportDir); s.Options.Resume && left.Begun {
		users += ", continuing after " + wording.Count(left.Users, "user")
		if left.Finished {
			users += ", at which an earlier process ended it"
		}
	}
	rate := ""
	if s.Settings.Rate > 0 {
		rate = fmt.Sprintf(" and %g a second", s.Settings.Rate)
	}
	prints := report.Fingerprints{Contract: s.Contract.Digest, Settings: s.identity.Rules}
	return text + fmt.Sprintf("fingerprint: %s\n%s, %s at a time%s at most, reports in %s, sweep %s\n", prints.String(),
		users,
		wording.Count(int64(s.Settings.Concurrency), "request"), rate, s.out.Text(s.Settings.ReportDir, 0), s.ID)
}
