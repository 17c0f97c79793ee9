package sweep

import (
	"fmt"
	"time"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/stats"
)

// Progress is the progress of a sweep.
type Progress struct {
	Users     int64   // checked by all processes
	Rate      float64 // users per second, since this process began
	Different int64   // users times operations
	Found     stats.Findings
	Traffic   stats.Traffic // of all processes
	State     string        // what holds requests back; "" if nothing does
	Part      float64       // of the users file that was read, 0 to 1; 0 if it is not known
	Left      time.Duration // estimate for the rest at this rate; 0 if it is not known
}

// reportProgress reports the progress, but not more often than anybody reads it.
func (s *Sweep) reportProgress(k *collector) {
	if s.Progress == nil || time.Since(s.reportedTo) < time.Second/10 {
		return
	}
	s.reportedTo = time.Now()
	s.Progress(s.progress(k))
}

func (s *Sweep) progress(k *collector) Progress {
	p := Progress{Users: k.counts.Users, Different: k.counts.Count(stats.Different), Found: k.counts.Found(),
		Traffic: k.sent(), State: s.State()}
	since := time.Since(k.begun).Seconds()
	if since > 0 {
		p.Rate = float64(k.counts.Users-k.resumed) / since
	}
	switch done, total := s.source.size(); {
	case total > 0:
		p.Part = min(1, float64(done)/float64(total))
	case s.source.fromList && s.source.length > 0:
		p.Part = float64(k.counts.Users) / float64(s.source.length)
	}
	if p.Part > 0 && p.Rate > 0 {
		p.Left = time.Duration(float64(p.Users) * (1 - p.Part) / p.Part / p.Rate * float64(time.Second))
	}
	return p
}

// State returns what holds requests back now; "" if nothing does. It may be called from any goroutine.
func (s *Sweep) State() string {
	switch {
	case s.controls.Waiting():
		return "the target refuses everybody: waiting"
	case s.Client.Paused():
		return "throttled"
	}
	return ""
}

// String returns the progress as one line.
func (p Progress) String() string {
	text := fmt.Sprintf("%s, %.0f/s, %s different", wording.Count(p.Users, "user"), p.Rate, wording.Number(p.Different))
	if p.Found.Violations > 0 {
		text += ", " + wording.Plural(p.Found.Violations, "breach of the contract", "breaches of the contract")
	}
	if p.Found.Open > 0 {
		text += ", " + wording.Number(p.Found.Open) + " not comparable"
	}
	if p.Traffic.Throttled > 0 {
		text += ", throttled " + wording.Times(p.Traffic.Throttled)
	}
	if p.State != "" {
		text += " (" + p.State + ")"
	}
	if p.Part > 0 {
		text += fmt.Sprintf(", %.0f%% done", 100*p.Part)
	}
	if p.Left > 0 {
		text += ", " + p.Left.Round(time.Second).String() + " left"
	}
	return text
}
