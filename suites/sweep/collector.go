package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// collector counts and stores what a sweep finds, so that the sweep can be resumed after it ends in any way.
type collector struct {
	sweep        *Sweep
	findings     *record.Findings
	answers      *record.Answers
	recording    *record.Recording // nil if nothing is recorded
	files        []file            // those that are open
	counts       *stats.Counts
	read         stats.Population // up to the last user that was counted
	before       time.Duration    // time that earlier processes spent
	traffic      stats.Traffic    // sent by earlier processes
	resumed      int64            // users that earlier processes checked
	begun        time.Time
	checkpointer checkpointer
	again        []*laterUser // users to ask once more at the end, in the population's order (J22)
	askedAgain   int64        // how many were
	leftOut      int64        // how many could not be stored, and are not asked again
	broken       bool         // only some findings of a user were written: resume from the last checkpoint
	digest       string       // of the findings, once they are finished
}

// file is a file that grows during a sweep.
type file interface {
	Sync() error
	Close()
}

// begin returns a collector that starts empty or, with --resume, continues from the checkpoint.
func (s *Sweep) begin(users *source) (k *collector, err error) {
	k = &collector{sweep: s, counts: stats.New(s.Options.Seed), begun: time.Now()}
	k.checkpointer.collector = k
	var earlier *record.Checkpoint
	if s.Options.Resume && !(s.Options.CountStart && !record.Begun(s.Settings.ReportDir)) {
		earlier, err = k.resume(users)
	}
	if err == nil {
		err = k.open(earlier)
	}
	if err == nil {
		err = k.checkpointer.save()
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// resume reads the checkpoint, and goes past the users who were checked before.
func (c *collector) resume(s *source) (*record.Checkpoint, error) {
	w := c.sweep
	earlier, err := record.ReadCheckpoint(w.Settings.ReportDir, w.identity)
	if err != nil {
		return nil, err
	}
	c.again, err = s.skip(earlier.Passed(), earlier.Read, earlier.Again, func(u users.Row) {
		for _, k := range earlier.Controls {
			if k.User == u.Index {
				w.controls.Restore(control.Of(exchange.Probe{Operation: k.Operation, Version: k.Version, User: u.User,
					Position: int(u.Index) + 1}), k.Served)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	c.counts, c.resumed, c.read = earlier.Tally, earlier.Tally.Users, earlier.Read
	c.before = earlier.Elapsed
	c.traffic = earlier.Traffic
	w.Started, w.ID = earlier.Started, earlier.Sweep
	c.markWitnessed()
	return earlier, nil
}

// open creates the files that grow during the sweep or, with a checkpoint, continues them.
func (c *collector) open(earlier *record.Checkpoint) (err error) {
	var findings, answers, recorded *record.Position
	if earlier != nil {
		findings, answers, recorded = &earlier.Findings, &earlier.Answers, &earlier.Record
	}
	w := c.sweep
	dir, guard := w.Settings.ReportDir, w.out.Guard()
	header := record.Header{Format: stats.Format, Suite: w.identity.Suite, Sweep: w.ID, Started: w.Started.UTC(),
		Identity: w.identity}
	if c.findings, err = record.Open(dir, guard, header, findings); err != nil {
		return err
	}
	c.files = append(c.files, c.findings)
	if c.answers, err = record.OpenAnswers(dir, guard, evidence.Head(w.identity.Values), answers); err != nil {
		return err
	}
	c.files = append(c.files, c.answers)
	if path := w.recordPath(); path != "" {
		c.recording, err = record.OpenRecording(path, guard, w.aboutRecord(), w.Options.Restart, recorded)
		if err != nil {
			return err
		}
		c.files = append(c.files, c.recording)
	}
	return nil
}

// elapsed returns how long all processes have swept.
func (c *collector) elapsed() time.Duration { return c.before + time.Since(c.begun) }

// sent returns what all processes have sent.
func (c *collector) sent() stats.Traffic {
	traffic := c.traffic
	traffic.Add(c.sweep.traffic())
	traffic.AskedAgain += c.askedAgain
	return traffic
}

// add records the result of the next user in the population's order.
func (c *collector) add(u *userCheck) error {
	part := c.putOff(u)
	c.sweep.check.waiting.Add(-int64(len(u.line)))
	if !u.isCountable() {
		c.read = u.read
		return c.checkpointer.saveSometimes()
	}
	if err := c.store(u); err != nil {
		c.broken = true
		return err
	}
	c.sweep.check.stored(u)
	// Time continues where the earlier process stopped: hours between two processes don't count.
	c.counts.Add(part, u.results[:], u.durations, c.before+u.at.Sub(c.begun))
	if u.unrecorded {
		c.counts.Unrecorded++
	}
	c.markWitnessed()
	if u.again == nil {
		c.read = u.read
	}
	return c.checkpointer.saveSometimes()
}

// store writes what was found for a user, and the line of a record.
func (c *collector) store(u *userCheck) error {
	for i := range u.results {
		for j := range u.results[i].Findings {
			if err := c.findings.Add(&u.results[i].Findings[j]); err != nil {
				return err
			}
		}
	}
	for _, ex := range u.exchanges {
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

// checkpoint returns the current state as the text of a checkpoint.
func (c *collector) checkpoint() ([]byte, error) {
	at, err := c.findings.Position()
	if err != nil {
		return nil, err
	}
	answers, err := c.answers.Position()
	if err != nil {
		return nil, err
	}
	var recorded record.Position
	if c.recording != nil {
		if recorded, err = c.recording.Position(); err != nil {
			return nil, err
		}
	}
	state := &record.Checkpoint{
		Format: stats.Format, Sweep: c.sweep.ID, Identity: c.sweep.identity, Started: c.sweep.Started.UTC(),
		Read: c.read, Again: c.laterUsers(), Findings: at, Answers: answers, Record: recorded,
		Tally: c.counts, Traffic: c.sent(),
		Elapsed: c.elapsed(),
	}
	c.sweep.controls.Each(func(p exchange.Probe, served time.Time) {
		state.Controls = append(state.Controls, record.Control{Operation: p.Operation, Version: p.Version,
			User: int64(p.Position) - 1, Served: served})
	})
	return state.Text()
}

// finish writes a last checkpoint, unless users may be hidden who were counted, then the footer of the findings and the
// end of the archive.
func (c *collector) finish(ended bool) error {
	if c.broken {
		return nil
	}
	err := c.checkpointer.wait()
	if err == nil && (ended || !c.sweep.controls.MayHideUsers()) {
		err = c.checkpointer.save()
	}
	if err == nil {
		var footer record.Footer
		footer, err = c.findings.Finish(c.counts.Users, ended)
		c.digest = footer.Digest
	}
	if err == nil {
		err = c.answers.Finish()
	}
	if err == nil && ended {
		err = c.finishRecording()
	}
	return err
}

func (c *collector) close() {
	_ = c.checkpointer.wait() // finish has already reported any error
	for _, file := range c.files {
		file.Close()
	}
}
