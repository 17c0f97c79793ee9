package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// collector counts and stores what a sweep finds, so that the sweep can be resumed after it ends in any way.
type collector struct {
	sweep        *Sweep
	findings     *checkpoint.Findings
	answers      *checkpoint.Answers
	counts       *stats.Counts
	read         position      // up to the last user that was counted
	before       time.Duration // time that earlier processes spent
	traffic      stats.Traffic // sent by earlier processes
	resumed      int64         // users that earlier processes checked
	begun        time.Time
	checkpointer checkpointer
	pending      []*userCheck
	served       bool         // some user was served data, in this process or an earlier one
	again        []*laterUser // users to ask once more at the end, in the population's order (J22)
	askedAgain   int64        // how many were
	leftOut      int64        // how many could not be stored, and are not asked again
	broken       bool         // only some findings of a user were written: resume from the last checkpoint
	digest       string       // of the findings, once they are finished
}

// begin returns a collector that starts empty or, with --resume, continues from the checkpoint.
func (s *Sweep) begin(users *source) (*collector, error) {
	k := &collector{sweep: s, begun: time.Now()}
	k.checkpointer.collector = k
	start := k.start
	if s.Options.Resume && !(s.Options.CountStart && !checkpoint.Begun(s.Settings.ReportDir)) {
		start = func() error { return k.resume(users) }
	}
	err := start()
	if err == nil {
		err = k.checkpointer.save()
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (c *collector) start() (err error) {
	w := c.sweep
	c.counts = stats.New(w.Options.Seed)
	c.findings, err = checkpoint.Begin(w.Settings.ReportDir, w.out.Guard(), checkpoint.Header{
		Format: stats.Format, Suite: w.identity.Suite, Sweep: w.ID, Started: w.Started.UTC(), Identity: w.identity,
	})
	if err == nil {
		c.answers, err = checkpoint.BeginAnswers(w.Settings.ReportDir, w.out.Guard(), evidence.Head(w.identity.Values))
	}
	return err
}

func (c *collector) resume(s *source) error {
	w := c.sweep
	earlier, err := checkpoint.ReadCheckpoint(w.Settings.ReportDir, w.identity)
	if err != nil {
		return err
	}
	again, err := s.skip(earlier.Passed(), earlier.Read, earlier.LaterIndexes())
	if err != nil {
		return err
	}
	c.again = resumeLater(again, earlier.Again)
	c.counts, c.resumed, c.read = earlier.Tally, earlier.Tally.Users, position{known: &earlier.Read}
	c.before = earlier.Elapsed
	c.traffic, c.served = earlier.Traffic, earlier.Served
	w.Started, w.ID = earlier.Started, earlier.Sweep
	c.markWitnessed()
	if c.findings, err = checkpoint.Resume(w.Settings.ReportDir, w.out.Guard(), earlier.Findings); err == nil {
		c.answers, err = checkpoint.ResumeAnswers(w.Settings.ReportDir, w.out.Guard(), earlier.Answers)
	}
	return err
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

// add records the result of the next user in the population's order. It holds back users who were refused until another
// result comes. At the beginning this applies to every refusal, later only if both versions turned the caller away
// (401, 403). If too many are held back, the settings or the token are wrong: add returns an error and counts none of
// them.
func (c *collector) add(u *userCheck) error {
	c.served = c.served || u.served
	authRefused := u.results[0].AuthRefused && u.results[1].AuthRefused
	if authRefused || !c.served && !(u.hasOtherCause() && len(c.pending) == 0) {
		if c.pending = append(c.pending, u); len(c.pending) < maxRefused {
			return nil
		}
		if !c.served {
			return c.servedNobody()
		}
		return fmt.Errorf("the target turned the caller away (401 or 403) for %d users in a row, in both operations "+
			"and versions: see whether token and application id are valid, then continue with --resume", len(c.pending))
	}
	if err := c.release(); err != nil {
		return err
	}
	if err := c.collect(u); err != nil {
		return err
	}
	return c.checkpointer.saveSometimes()
}

// maxRefused limits how many users in a row may be refused: a hundred million requests with a wrong token help nobody,
// and may lock an account.
const maxRefused = 100

// hasOtherCause reports whether something else than wrong settings explains that the user was not served: the users
// file marks the user as not enrolled, or no answer came at all.
func (u *userCheck) hasOtherCause() bool {
	return u.user.EnrolledGiven && !u.user.Enrolled || len(u.refusals) == 0
}

// servedNobody returns the error of a sweep that was refused every request from the beginning (J22).
func (c *collector) servedNobody() error {
	statuses := map[int]int64{}
	for _, u := range c.pending {
		for _, status := range u.refusals {
			statuses[status]++
		}
	}
	var counts []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		counts = append(counts, fmt.Sprintf("status %d: %s", status, wording.Count(statuses[status], "answer")))
	}
	w := c.sweep
	var bases []string
	for _, v := range w.Settings.Versions {
		bases = append(bases, w.Client.Base(v))
	}
	users := "the only user"
	if len(c.pending) > 1 {
		users = "each of the first " + wording.Count(int64(len(c.pending)), "user")
	}
	return fmt.Errorf("nobody was served: both versions refused both operations for %s (%s). The first refusal was "+
		"%w. A wrong setting is more likely than a wrong service. Asked was %s. Check, in this order: %s. Then start "+
		"the sweep again", users, strings.Join(counts, ", "), c.pending[0].refusal,
		strings.Join(slices.Compact(bases), " and "), w.Settings.ToCheck(c.pending[0].refusals[0]))
}

// release counts the users who were held back.
func (c *collector) release() error {
	for _, u := range c.pending {
		if err := c.collect(u); err != nil {
			return err
		}
	}
	c.pending = nil
	return nil
}

func (c *collector) collect(u *userCheck) error {
	part := c.putOff(u)
	if !u.isCountable() {
		c.read = u.read
		return nil
	}
	for i := range u.results {
		for j := range u.results[i].Findings {
			if err := c.findings.Add(&u.results[i].Findings[j]); err != nil {
				c.broken = true
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
			c.broken = true
			return err
		}
	}
	c.sweep.check.stored(u)
	// Time continues where the earlier process stopped: hours between two processes don't count.
	c.counts.AddPart(part, u.results[:], u.durations, c.before+u.at.Sub(c.begun))
	c.markWitnessed()
	if u.again == nil {
		c.read = u.read
	}
	return nil
}

// readSoFar returns how far the population was read for the users that were counted.
func (c *collector) readSoFar() stats.Population { return c.sweep.source.readTo(c.read) }

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
	state := &checkpoint.Checkpoint{
		Format: stats.Format, Sweep: c.sweep.ID, Identity: c.sweep.identity, Started: c.sweep.Started.UTC(),
		Read: c.readSoFar(), Again: c.laterUsers(), Served: c.served, Findings: at, Answers: answers,
		Tally: c.counts, Traffic: c.sent(),
		Elapsed: c.elapsed(),
	}
	return state.Text()
}

// finish writes a last checkpoint, then the footer of the findings and the end of the archive. It returns an error if
// nobody was served (J22).
func (c *collector) finish(ended bool) error {
	if c.broken {
		return nil
	}
	var refused, err error
	switch {
	case !ended: // the users held back are checked again on resume
	case !c.served && len(c.pending) > 0:
		refused, ended = c.servedNobody(), false
	default:
		err = c.release() // no other user comes
	}
	if err == nil {
		err = c.checkpointer.save()
	}
	if err == nil {
		var footer checkpoint.Footer
		footer, err = c.findings.Finish(c.counts.Users, ended)
		c.digest = footer.Digest
	}
	if err == nil {
		err = c.answers.Finish()
	}
	return cmp.Or(err, refused)
}

func (c *collector) close() {
	_ = c.checkpointer.wait() // finish has already reported any error
	if c.findings != nil {
		c.findings.Close()
	}
	if c.answers != nil {
		c.answers.Close()
	}
}
