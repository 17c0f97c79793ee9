package sweep

import (
	"fmt"
	"time"

	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/trail"
)

// keeper keeps what a sweep has found, so that it can be gone on with after any end.
type keeper struct {
	sweep    *Sweep
	findings *trail.Findings
	tally    *tally.Tally
	read     tally.Population // as far as its users were looked at
	before   time.Duration    // that earlier processes took
	traffic  tally.Traffic    // of earlier processes
	resumed  int64            // users that they looked at
	begun    time.Time
	saver    *saver
	held     []*turn
	broken   bool // some findings of a user were written, and not all: the last checkpoint is what can be gone on with
	footer   trail.Footer
}

// begin keeps from the beginning on, or goes on from the checkpoint.
func (w *Sweep) begin(s *source) (*keeper, error) {
	k := &keeper{sweep: w, begun: time.Now()}
	var err error
	if w.Options.Resume && !(w.Options.BeginToo && !trail.Begun(w.Settings.ReportDir)) {
		err = k.resume(s)
	} else {
		k.tally = tally.New(w.Options.Seed)
		k.findings, err = trail.Begin(w.Settings.ReportDir, w.guard, trail.Header{
			Format: tally.Format, Suite: w.identity.Suite, Sweep: w.ID, Started: w.Started.UTC(), Identity: w.identity,
		})
	}
	if err != nil {
		return nil, err
	}
	k.saver = newSaver(k)
	if err = k.saver.save(); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *keeper) resume(s *source) error {
	w := k.sweep
	c, err := trail.ReadCheckpoint(w.Settings.ReportDir, w.identity)
	if err != nil {
		return err
	}
	if err := s.skip(c.Tally.Users, c.Read); err != nil {
		return err
	}
	k.tally, k.read, k.before, k.traffic, k.resumed = c.Tally, c.Read, c.Elapsed, c.Traffic, c.Tally.Users
	w.Started, w.first = c.Started, c.Sweep
	k.findings, err = trail.Resume(w.Settings.ReportDir, w.guard, c.Findings)
	return err
}

// elapsed is how long was swept, by all processes.
func (k *keeper) elapsed() time.Duration { return k.before + time.Since(k.begun) }

// sent is what was sent, by all processes.
func (k *keeper) sent() tally.Traffic {
	traffic := k.traffic
	traffic.Add(k.sweep.traffic())
	return traffic
}

// add keeps what came of the next user in the population's order. Users of whom both versions turned the caller away are held
// back until somebody else comes: where so many of them stand in a row that the token must have ended, they are no results.
func (k *keeper) add(t *turn) error {
	if t.seen.looks[0].Unwelcome && t.seen.looks[1].Unwelcome {
		if k.held = append(k.held, t); len(k.held) < mostUnwelcome {
			return nil
		}
		return fmt.Errorf("the target turned the caller away (401 or 403) for %d users in a row, in both operations and versions: "+
			"see whether token and application id are valid, then go on with --resume", len(k.held))
	}
	if err := k.release(); err != nil {
		return err
	}
	if err := k.keep(t); err != nil {
		return err
	}
	return k.saver.saveSometimes()
}

// mostUnwelcome is how many users in a row may be asked for in vain: a hundred million wrong tokens help nobody, and may lock
// somebody out.
const mostUnwelcome = 100

// release keeps those who were held back.
func (k *keeper) release() error {
	for _, t := range k.held {
		if err := k.keep(t); err != nil {
			return err
		}
	}
	k.held = nil
	return nil
}

func (k *keeper) keep(t *turn) error {
	for i := range t.seen.looks {
		for j := range t.seen.looks[i].Findings {
			if err := k.findings.Add(&t.seen.looks[i].Findings[j]); err != nil {
				k.broken = true
				return err
			}
		}
	}
	// A sweep that was stopped for a night has no users in that night: its time goes on where it stopped.
	k.tally.Add(t.seen.looks[:], t.seen.lasted, k.before+t.seen.at.Sub(k.begun))
	k.read = t.read
	return nil
}

// checkpoint is the state of all that is kept.
func (k *keeper) checkpoint() ([]byte, error) {
	at, err := k.findings.Mark()
	if err != nil {
		return nil, err
	}
	c := &trail.Checkpoint{Format: tally.Format, Sweep: k.sweep.id(), Identity: k.sweep.identity, Started: k.sweep.Started.UTC(), Read: k.read,
		Findings: at, Tally: k.tally, Traffic: k.sent(), Elapsed: k.elapsed()}
	return c.Text()
}

// finish ends the findings with their footer, once all that was kept can be gone on with.
func (k *keeper) finish(ended bool) error {
	if k.broken {
		return nil
	}
	var err error
	if ended {
		err = k.release() // nobody else comes
	}
	if err == nil {
		err = k.saver.save()
	}
	if err == nil {
		k.footer, err = k.findings.Finish(k.tally.Users, ended)
	}
	return err
}

func (k *keeper) close() {
	if k.saver != nil {
		k.saver.stop()
	}
	k.findings.Close()
}
