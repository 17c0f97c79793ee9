package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// collector counts and stores what a sweep finds, so that the sweep can be resumed after it ends in any way.
type collector struct {
	sweep *Sweep
	// Checkpoint has what was counted and read so far. Traffic and Elapsed are those of earlier processes.
	record.Checkpoint
	findings  *record.Findings
	answers   *record.Answers
	recording *record.Recording      // nil if nothing is recorded
	files     []interface{ Close() } // those that are open
	resumed   int64                  // users that earlier processes checked
	begun     time.Time
	broken    bool   // only some findings of a user were written: resume from the last checkpoint
	digest    string // of the findings, once they are finished
}

// begin returns a collector that starts empty or, with --resume, continues from the checkpoint.
func (s *Sweep) begin(ctx context.Context, users *source) (c *collector, err error) {
	c = &collector{sweep: s, begun: time.Now(), Checkpoint: record.Checkpoint{Format: stats.Format, Sweep: s.ID,
		Identity: s.identity, Started: s.Started.UTC(), Tally: stats.New(s.Options.Seed, s.Settings.Versions...)}}
	resumes := s.Options.Resume && !(s.Options.CountStart && !record.Begun(s.Settings.ReportDir))
	if resumes {
		err = c.resume(users)
	}
	if err == nil {
		err = c.open(ctx, resumes)
	}
	if err == nil {
		err = c.save()
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// resume reads the checkpoint, and goes past the users who were checked before.
func (c *collector) resume(s *source) error {
	w := c.sweep
	earlier, err := record.ReadCheckpoint(w.Settings.ReportDir, w.identity)
	if err != nil {
		return err
	}
	c.Checkpoint, c.resumed = *earlier, earlier.Tally.Users
	err = s.skip(c.Tally.Users, c.Read, func(u users.Row) {
		for _, k := range c.Controls {
			if k.User == u.Index {
				w.asker.Served(probeOf(u, k.Operation, k.Version), k.Served)
			}
		}
	})
	if err != nil {
		return err
	}
	w.Started, w.ID = c.Started, c.Sweep
	return nil
}

// checkTotal returns an error if the population has fewer users than an earlier process counted: its file was cut.
func (c *collector) checkTotal() error {
	if passed := c.Tally.Users; passed < c.Total {
		return fmt.Errorf("--resume: the population has %s now, and had %s before: give the users file with which "+
			"the sweep was begun, or start again with --restart", wording.Count(passed, "user"),
			wording.Number(c.Total))
	}
	return nil
}

// open creates the files that grow during the sweep or, if it is resumed, continues them. The record is first: if it
// is refused, what an earlier sweep found stays.
func (c *collector) open(ctx context.Context, resumes bool) (err error) {
	var findings, answers, recorded *record.Position
	if resumes {
		findings, answers, recorded = &c.Findings, &c.Answers, &c.Record
	}
	w := c.sweep
	if w.recordPath() != "" {
		if c.recording, err = w.openRecording(ctx, recorded); err != nil {
			return err
		}
		c.files = append(c.files, c.recording)
	}
	dir, guard := w.Settings.ReportDir, w.out.Guard()
	header := record.Header{Format: c.Format, Suite: c.Identity.Suite, Sweep: c.Sweep, Started: c.Started,
		Identity: c.Identity}
	if c.findings, err = record.Open(dir, guard, header, findings); err != nil {
		return err
	}
	c.files = append(c.files, c.findings)
	if c.answers, err = record.OpenAnswers(dir, guard, evidence.Head(c.Identity.Values), answers); err != nil {
		return err
	}
	c.files = append(c.files, c.answers)
	return nil
}

// elapsed returns how long all processes have swept.
func (c *collector) elapsed() time.Duration { return c.Elapsed + time.Since(c.begun) }

// sent returns what all processes have sent.
func (c *collector) sent() stats.Traffic {
	traffic := c.Traffic
	traffic.Add(c.sweep.traffic())
	return traffic
}

// known returns what the users who were counted show.
func (c *collector) known() known {
	return known{witnessed: maps.Clone(c.Tally.Witnessed), lists: c.Tally.ListsWanted()}
}

// add records the result of the next user in the population's order.
func (c *collector) add(u *userCheck) error {
	if err := c.store(u); err != nil {
		c.broken = true
		return err
	}
	// Time continues where the earlier process stopped: hours between two processes don't count.
	durations := make([]time.Duration, len(u.calls))
	for i, call := range u.calls {
		durations[i] = call.took
	}
	c.Tally.Add(u.user.EnrolledGiven && !u.user.Enrolled, []stats.Result{*u.results[0], *u.results[1]}, durations,
		c.Elapsed+u.at.Sub(c.begun))
	if u.again {
		c.sweep.askedAgain++
	}
	return nil
}

// store writes what was found for a user, and the line of a record.
func (c *collector) store(u *userCheck) error {
	for i := range u.results {
		for _, f := range u.results[i].Findings {
			f.Repeat = "" // it would be most of the line
			if err := c.findings.Add(&f); err != nil {
				return err
			}
		}
	}
	for _, ex := range slices.Concat(u.exchanges[:]...) {
		if c.answers.Full() {
			break
		}
		client := c.sweep.Client
		if err := c.answers.Add(evidence.Text(c.sweep.out, client.Requests, ex, client.Agent(ex.Probe))); err != nil {
			return err
		}
	}
	if c.recording != nil {
		return c.recording.Add(u.line, u.withheld)
	}
	return nil
}

// finish writes a last checkpoint, then the footer of the findings and the end of the archive.
func (c *collector) finish(ended bool) (err error) {
	if c.broken {
		return nil
	}
	if ended && !c.asksNothing() {
		c.Finished = time.Now().UTC()
	}
	if err = c.save(); err == nil {
		c.digest, err = c.findings.Finish(c.Tally.Users, ended)
	}
	if err == nil {
		err = c.answers.Finish()
	}
	if err == nil && ended {
		err = c.finishRecording()
	}
	return err
}

// asksNothing reports whether the sweep had ended before it was resumed.
func (c *collector) asksNothing() bool { return !c.Finished.IsZero() && c.Tally.Users == c.resumed }

// save writes a checkpoint: when a block counts. After a kill, the users since then are asked again.
func (c *collector) save() (err error) {
	state, w := c.Checkpoint, c.sweep
	if state.Findings, err = c.findings.Position(); err != nil {
		return err
	}
	if state.Answers, err = c.answers.Position(); err != nil {
		return err
	}
	if c.recording != nil {
		if state.Record, err = c.recording.Position(); err != nil {
			return err
		}
	}
	state.Total = max(state.Total, w.counted.Load())
	state.Traffic, state.Elapsed, state.Controls = c.sent(), c.elapsed(), nil
	w.asker.Controls(func(p exchange.Probe, served time.Time) {
		state.Controls = append(state.Controls, record.Control{Operation: p.Operation, Version: p.Version,
			User: int64(p.Position) - 1, Served: served.UTC()})
	})
	text, err := state.Text()
	if err != nil {
		return err
	}
	return record.WriteCheckpoint(w.Settings.ReportDir, w.out.Guard(), text)
}

func (c *collector) close() {
	for _, file := range c.files {
		file.Close()
	}
}
