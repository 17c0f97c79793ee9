package sweep

import (
	"fmt"
	"time"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/stats"
)

// Progress is the progress of a sweep.
type Progress struct {
	Users     int64   // asked by all processes
	Counted   int64   // of these, those whose block counts: what was found is found for them
	Rate      float64 // users per second, since this process began
	Different int64   // users times operations
	Found     stats.Findings
	Traffic   stats.Traffic // of all processes
	Record    int64         // bytes of the record that is made; 0 if none is
	State     string        // what holds requests back; "" if nothing does
	Total     int64         // users of the population, or of the shard or sample; 0 if it is not known
	Part      float64       // of the users who were checked, 0 to 1; 0 if it is not known
	Left      time.Duration // estimate for the rest at this rate; 0 if it is not known
}

// manyBytes is much more of a users file than is read ahead, and fewBytes are read in a moment.
const (
	manyBytes = 16 << 20
	fewBytes  = 1 << 20
)

// countForProgress counts the users, meanwhile if there are many.
func (s *Sweep) countForProgress() {
	count := func() { s.counted.Store(s.countUsers()) }
	if _, total := s.source.size(); total > fewBytes {
		go count()
		return
	}
	count()
}

// reportProgress reports the progress, but not more often than anybody reads it.
func (s *Sweep) reportProgress(k *collector) {
	if s.watch.Progress == nil || time.Since(s.reportedTo) < time.Second/10 {
		return
	}
	s.reportedTo = time.Now()
	s.watch.Progress(s.progress(k))
}

func (s *Sweep) progress(k *collector) Progress {
	asked := max(0, s.asked.Load())
	p := Progress{Users: k.Tally.Users + asked, Counted: k.Tally.Users, Different: k.Tally.Count(stats.Different),
		Found: k.Tally.Found(), Traffic: k.sent(), State: s.State()}
	if k.recording != nil {
		p.Record = k.recording.Size()
	}
	since := time.Since(k.begun).Seconds()
	if since > 0 {
		p.Rate = float64(p.Users-k.resumed) / since
	}
	// If the users are too many to count, the part of the file that was read is nearly that of the users.
	if p.Total = s.counted.Load(); p.Total > 0 {
		p.Part = min(1, float64(p.Users)/float64(p.Total))
	} else if done, total := s.source.size(); total > manyBytes {
		p.Part = min(1, float64(done)/float64(total))
	}
	if p.Part > 0 && p.Rate > 0 {
		p.Left = time.Duration(float64(p.Users) * (1 - p.Part) / p.Part / p.Rate * float64(time.Second))
	}
	return p
}

// waits is the state of a sweep that asks nothing but controls. How fast it was says nothing about the rest.
const waits = "the target serves nobody: waiting"

// State returns what holds requests back now; "" if nothing does. It may be called from any goroutine.
func (s *Sweep) State() string {
	switch {
	case s.waiting.Load():
		return waits
	case s.asker.Paused():
		return "throttled"
	}
	return ""
}

// String returns the progress as one line.
func (p Progress) String() string {
	users := wording.Count(p.Users, "user")
	if p.Total > 0 {
		users = wording.Number(p.Users) + " of " + wording.Count(p.Total, "user")
	}
	text := users
	if p.State != waits {
		text += fmt.Sprintf(", %.0f/s", p.Rate)
	}
	text += ", " + wording.Number(p.Different) + " different"
	if p.Counted < p.Users {
		text += " of the first " + wording.Number(p.Counted)
	}
	if p.Found.Violations > 0 {
		text += ", " + wording.Plural(p.Found.Violations, "breach of the contract", "breaches of the contract")
	}
	if p.Found.Open > 0 {
		text += ", " + wording.Number(p.Found.Open) + " not comparable"
	}
	if p.Traffic.Throttled > 0 {
		text += ", throttled " + wording.Times(p.Traffic.Throttled)
	}
	if p.Record > 0 {
		text += fmt.Sprintf(", record %.1f MiB", float64(p.Record)/(1<<20))
		if p.Part > 0 {
			text += fmt.Sprintf(" of about %.0f", max(1, float64(p.Record)/p.Part/(1<<20)))
		}
	}
	if p.State != "" {
		text += " (" + p.State + ")"
	}
	if p.Part > 0 {
		text += fmt.Sprintf(", %.0f%% done", 100*p.Part)
	}
	if p.Left > 0 && p.State != waits {
		text += ", " + p.Left.Round(time.Second).String() + " left"
	}
	return text
}
