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
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// collector counts and stores what a sweep finds, so that the sweep can be resumed after it ends in any way.
type collector struct {
	sweep        *Sweep
	findings     *checkpoint.Findings
	answers      *checkpoint.Answers
	counts       *stats.Counts
	read         stats.Population // up to the last user that was counted
	before       time.Duration    // time that earlier processes spent
	traffic      stats.Traffic    // sent by earlier processes
	resumed      int64            // users that earlier processes checked
	begun        time.Time
	checkpointer checkpointer
	pending      []*job
	served       bool             // some user was served data, in this process or an earlier one
	again        []population.Row // users to ask once more at the end, in the population's order (J22)
	askedAgain   int64            // how many were
	leftOut      int64            // how many could not be stored, and are not asked again
	broken       bool             // only some findings of a user were written: resume from the last checkpoint
	digest       string           // of the findings, once they are finished
}

// begin returns a collector that starts empty or, with --resume, continues from the checkpoint.
func (w *Sweep) begin(s *source) (*collector, error) {
	k := &collector{sweep: w, begun: time.Now()}
	k.checkpointer.collector = k
	start := k.start
	if w.Options.Resume && !(w.Options.CountStart && !checkpoint.Begun(w.Settings.ReportDir)) {
		start = func() error { return k.resume(s) }
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

func (k *collector) start() (err error) {
	w := k.sweep
	k.counts = stats.New(w.Options.Seed)
	k.findings, err = checkpoint.Begin(w.Settings.ReportDir, w.guard, checkpoint.Header{
		Format: stats.Format, Suite: w.identity.Suite, Sweep: w.ID, Started: w.Started.UTC(), Identity: w.identity,
	})
	if err == nil {
		k.answers, err = checkpoint.BeginAnswers(w.Settings.ReportDir, w.guard, evidence.Head(w.identity.Values))
	}
	return err
}

func (k *collector) resume(s *source) error {
	w := k.sweep
	c, err := checkpoint.ReadCheckpoint(w.Settings.ReportDir, w.identity)
	if err != nil {
		return err
	}
	if k.again, err = s.skip(c.Passed(), c.Read, c.Again); err != nil {
		return err
	}
	k.counts, k.resumed, k.read, k.before = c.Tally, c.Tally.Users, c.Read, c.Elapsed
	k.traffic, k.served = c.Traffic, c.Served
	w.Started, w.ID = c.Started, c.Sweep
	if k.findings, err = checkpoint.Resume(w.Settings.ReportDir, w.guard, c.Findings); err == nil {
		k.answers, err = checkpoint.ResumeAnswers(w.Settings.ReportDir, w.guard, c.Answers)
	}
	return err
}

// elapsed returns how long all processes have swept.
func (k *collector) elapsed() time.Duration { return k.before + time.Since(k.begun) }

// sent returns what all processes have sent.
func (k *collector) sent() stats.Traffic {
	traffic := k.traffic
	traffic.Add(k.sweep.traffic())
	traffic.AskedAgain += k.askedAgain
	return traffic
}

// add records the result of the next user in the population's order. It holds back users who were refused until another
// result comes. At the beginning this applies to every refusal, later only if both versions turned the caller away
// (401, 403). If too many are held back, the settings or the token are wrong: add returns an error and counts none of
// them.
func (k *collector) add(t *job) error {
	k.served = k.served || t.result.served
	authRefused := t.result.results[0].AuthRefused && t.result.results[1].AuthRefused
	if authRefused || !k.served && !(t.hasOtherCause() && len(k.pending) == 0) {
		if k.pending = append(k.pending, t); len(k.pending) < maxRefused {
			return nil
		}
		if !k.served {
			return k.servedNobody()
		}
		return fmt.Errorf("the target turned the caller away (401 or 403) for %d users in a row, in both operations "+
			"and versions: see whether token and application id are valid, then continue with --resume", len(k.pending))
	}
	if err := k.release(); err != nil {
		return err
	}
	if err := k.collect(t); err != nil {
		return err
	}
	return k.checkpointer.saveSometimes()
}

// maxRefused limits how many users in a row may be refused: a hundred million requests with a wrong token help nobody,
// and may lock an account.
const maxRefused = 100

// hasOtherCause reports whether something else than wrong settings explains that the user was not served: the users
// file marks the user as not enrolled, or no answer came at all.
func (t *job) hasOtherCause() bool {
	return t.user.EnrolledGiven && !t.user.Enrolled || len(t.result.refusals) == 0
}

// servedNobody returns the error of a sweep that was refused every request from the beginning (J22).
func (k *collector) servedNobody() error {
	statuses := map[int]int64{}
	for _, t := range k.pending {
		for _, status := range t.result.refusals {
			statuses[status]++
		}
	}
	var counts []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		counts = append(counts, fmt.Sprintf("status %d: %s", status, wording.Count(statuses[status], "answer")))
	}
	w := k.sweep
	var bases []string
	for _, v := range w.Settings.Versions {
		bases = append(bases, w.Secrets().Show(w.Client.Base(v), 0))
	}
	users := "the only user"
	if len(k.pending) > 1 {
		users = "each of the first " + wording.Count(int64(len(k.pending)), "user")
	}
	return fmt.Errorf("nobody was served: both versions refused both operations for %s (%s). The first refusal was "+
		"%s. A wrong setting is more likely than a wrong service. Asked was %s. Check, in this order: %s. Then start "+
		"the sweep again", users, strings.Join(counts, ", "), *w.check.refusal.Load(),
		strings.Join(slices.Compact(bases), " and "), w.Settings.ToCheck(k.pending[0].result.refusals[0]))
}

// release counts the users who were held back.
func (k *collector) release() error {
	for _, t := range k.pending {
		if err := k.collect(t); err != nil {
			return err
		}
	}
	k.pending = nil
	return nil
}

// maxAgain limits how many users are stored to be asked once more. A target that is down for longer stops the sweep
// before it comes to so many.
const maxAgain = 10_000

// askLater stores a user who could not be compared for want of an answer, to be asked once more at the end (J22). It
// returns false for a user who is to be counted now: who was asked once more already, or for whom something was found.
func (k *collector) askLater(t *job) bool {
	switch {
	case t.late:
		k.again = k.again[1:] // results come in the order of the users
		k.askedAgain++
		return false
	case !t.result.faulted || t.result.hasFindings():
		return false
	case len(k.again) == maxAgain:
		k.leftOut++
		return false
	}
	k.again = append(k.again, t.user)
	return true
}

// last returns the users to ask once more. Their results are counted, whatever they are.
func (k *collector) last() *source {
	return &source{late: true, fromList: true, list: slices.Clone(k.again), length: len(k.again)}
}

func (k *collector) collect(t *job) error {
	if k.askLater(t) {
		k.read = t.read
		return nil
	}
	for i := range t.result.results {
		for j := range t.result.results[i].Findings {
			if err := k.findings.Add(&t.result.results[i].Findings[j]); err != nil {
				k.broken = true
				return err
			}
		}
	}
	for _, ex := range t.result.exchanges {
		if k.answers.Full() {
			break
		}
		client := k.sweep.Client
		if err := k.answers.Add(evidence.Text(client.Requests, ex, client.Agent(ex.Probe))); err != nil {
			k.broken = true
			return err
		}
	}
	// Time continues where the earlier process stopped: hours between two processes don't count.
	k.counts.Add(t.result.results[:], t.result.durations, k.before+t.result.at.Sub(k.begun))
	if !t.late {
		k.read = t.read
	}
	return nil
}

func indexes(users []population.Row) []int64 {
	var list []int64
	for _, u := range users {
		list = append(list, u.Index)
	}
	return list
}

// checkpoint returns the current state as the text of a checkpoint.
func (k *collector) checkpoint() ([]byte, error) {
	at, err := k.findings.Position()
	if err != nil {
		return nil, err
	}
	answers, err := k.answers.Position()
	if err != nil {
		return nil, err
	}
	c := &checkpoint.Checkpoint{
		Format: stats.Format, Sweep: k.sweep.ID, Identity: k.sweep.identity, Started: k.sweep.Started.UTC(),
		Read: k.read, Again: indexes(k.again), Served: k.served, Findings: at, Answers: answers, Tally: k.counts, Traffic: k.sent(),
		Elapsed: k.elapsed(),
	}
	return c.Text()
}

// finish writes a last checkpoint, then the footer of the findings and the end of the archive. It returns an error if
// nobody was served (J22).
func (k *collector) finish(ended bool) error {
	if k.broken {
		return nil
	}
	var refused, err error
	switch {
	case !ended: // the users held back are checked again on resume
	case !k.served && len(k.pending) > 0:
		refused, ended = k.servedNobody(), false
	default:
		err = k.release() // no other user comes
	}
	if err == nil {
		err = k.checkpointer.save()
	}
	if err == nil {
		var footer checkpoint.Footer
		footer, err = k.findings.Finish(k.counts.Users, ended)
		k.digest = footer.Digest
	}
	if err == nil {
		err = k.answers.Finish()
	}
	return cmp.Or(err, refused)
}

func (k *collector) close() {
	_ = k.checkpointer.wait() // finish has already reported any error
	if k.findings != nil {
		k.findings.Close()
	}
	if k.answers != nil {
		k.answers.Close()
	}
}
