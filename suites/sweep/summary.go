package sweep

import (
	"fmt"
	"math"
	"time"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/hide"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// Summary returns the content of sweep.json. reason is the error of Execute, or nil.
func (w *Sweep) Summary(finished time.Time, reason error) *stats.Summary {
	finished = finished.UTC()
	s := &stats.Summary{
		Format: stats.Format, Complete: w.Ended && reason == nil, Suite: report.SuiteOf(w.Contract.Digest),
		Sweep: w.ID, Started: w.Started.UTC(), Finished: &finished, Identity: w.identity, Shards: []stats.Shard{},
		Tally: w.Tally, Traffic: w.traffic(), Notes: w.notes(finished), Settings: []report.Setting{},
	}
	if k := w.collector; k != nil {
		s.Seconds = math.Round(k.elapsed().Seconds()*1000) / 1000
		s.Read, s.Traffic, s.Findings = k.read, k.sent(), k.digest
		s.Total = w.total
		if w.Ended {
			s.Read, s.Total = w.read, w.Tally.Users
		}
	} else {
		s.Tally = stats.New(w.Options.Seed)
	}
	for _, e := range w.Settings.Effective {
		s.Settings = append(s.Settings,
			report.Setting{Name: e.Name, Value: w.Secrets().Show(e.Value, 0), Source: w.Secrets().Show(e.Source, 0)})
	}
	if reason != nil {
		text := w.Secrets().Show(reason.Error(), 0)
		s.Error = &text
	}
	s.Conclude()
	return s
}

// notes names the waivers and ignored places that have expired, as they explain findings that nobody expects.
func (w *Sweep) notes(now time.Time) []string {
	notes, show := append([]string{}, w.Client.Warnings()...), w.Secrets().Show
	if k := w.collector; k != nil && k.leftOut > 0 {
		notes = append(notes, fmt.Sprintf("%s got no answer, and were not asked once more at the end: only the first %s are",
			wording.Count(k.leftOut, "user"), wording.Number(int64(maxAgain))))
	}
	for _, waiver := range w.Settings.Waivers {
		if !waiver.Active(now) {
			notes = append(notes, fmt.Sprintf("the waiver of %s (%s) ended on %s and no longer holds",
				waiver.Requirement, show(waiver.Where, 0), waiver.Until.Format(time.DateOnly)))
		}
	}
	for _, i := range w.Settings.Ignore {
		if !i.Active(now) {
			notes = append(notes, fmt.Sprintf("parity.ignore %s (%s) ended on %s and no longer holds",
				show(i.Pointer, 0), show(i.Where, 0), i.Until.Format(time.DateOnly)))
		}
	}
	return notes
}

// Heading describes the sweep that is about to start: suite, target and users.
func (w *Sweep) Heading() string {
	text := fmt.Sprintf("%s %s, contract %.19s…\n", report.Name, report.Version, w.Contract.Digest)
	for _, v := range w.Settings.Versions {
		text += fmt.Sprintf("%s at %s\n", v, w.Client.DisplayBase(v))
	}
	if w.Settings.Embedded {
		text += "target: " + report.BuiltInReference + "\n"
	}
	if w.Client.Values() != nil {
		text += "values of users: " + hide.Sentence + "\n"
	}
	users := "the users of the embedded reference"
	switch w.Settings.UsersFile {
	case "":
	case settings.StandardInput:
		users = "the users of the standard input"
	default:
		users = "the users of " + w.Secrets().Show(w.Settings.UsersFile, 0)
	}
	if w.Options.Shard.Of > 1 {
		users += ", shard " + w.Options.Shard.String()
	}
	if w.Options.Sample > 0 {
		users += fmt.Sprintf(", a random sample of %s (seed %d)", wording.Number(int64(w.Options.Sample)),
			w.Options.Seed)
	}
	if left := checkpoint.Peek(w.Settings.ReportDir); w.Options.Resume && left.Begun {
		users += ", continuing after " + wording.Count(left.Users, "user")
	}
	rate := ""
	if w.Settings.Rate > 0 {
		rate = fmt.Sprintf(" and %g a second", w.Settings.Rate)
	}
	return text + fmt.Sprintf("%s, %s at a time%s at most, reports in %s, sweep %s\n", users,
		wording.Count(int64(w.Settings.Concurrency), "request"), rate, w.Secrets().Show(w.Settings.ReportDir, 0), w.ID)
}
