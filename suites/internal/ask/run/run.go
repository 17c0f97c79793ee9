// Package run carries out one run. It makes probes from settings, sends them, judges the exchanges, and stores the
// results in the ledger. A run is carried out once, even if many specs read its ledger.
package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/ask/lookup"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
)

// Run is one run against one target, or one that is judged again from its evidence.
type Run struct {
	*requests.Requests
	Settings *settings.Settings
	Contract *schemas.Contract
	Suite    *spec.Suite
	Ledger   *ledger.Ledger
	ID       string
	Started  time.Time
	Finished time.Time // set when the run has ended

	// StaleWaivers fail the run; WaiverNotes are about others that have no effect. Both are set when the run has ended.
	StaleWaivers, WaiverNotes []string

	live    *live       // asks the target; nil for a run that is judged again
	earlier result.Past // the run that is judged again
	source  source      // of the answers to well-formed requests
	reader  *lookup.Reader
	options spec.Options
	judged  map[judged]bool // the answers to well-formed requests

	selected     map[ledger.Key]bool // nil: everything
	show         func(done, planned int)
	sends        map[schemas.Operation]sending
	done         int
	planned      int
	next         int // number of the next unplanned exchange
	waitingBytes int // of the bodies of lookups that wait
}

// Input is what a run needs besides its settings.
type Input struct {
	// Recorder, if set, gets every request and its answer.
	Recorder client.Recorder
	// Records has the source of each version that is read from a record instead of being asked.
	Records map[schemas.Version]result.Source
	// Renewed, if set, is called with a renewed token before it is sent.
	Renewed func(token string)
	// FirstWait is the first pause of the asker; 0 is a second.
	FirstWait time.Duration
}

// New prepares a run of a suite against the target of the settings; it sends nothing. Version is the suite's.
func New(s *settings.Settings, suite *spec.Suite, version string, in Input) *Run {
	id := rand.Text()
	c := client.New(s, suite.Contract, version, id, client.Options{Recorder: in.Recorder, Renewed: in.Renewed})
	r := prepare(s, suite, c.Requests, time.Now())
	r.ID = id
	r.live = &live{client: c, records: in.Records, recorder: in.Recorder, Asker: asker.New(asker.Options{
		Client: c, Suite: suite, Settings: s, FirstWait: in.FirstWait, Again: "run again"})}
	r.source = r.live
	return r
}

// Again prepares a run that judges the exchanges of a past run again, with that run's settings.
func Again(s *settings.Settings, suite *spec.Suite, again result.Past) *Run {
	r := prepare(s, suite, requests.Past(s, suite.Contract, again.Target, again.Unknown), again.Started)
	r.ID, r.Finished, r.earlier, r.source = again.ID, again.Finished, again, past{again.Evidence, suite}
	return r
}

func prepare(s *settings.Settings, suite *spec.Suite, requests *requests.Requests, started time.Time) *Run {
	options := spec.Options{
		Versions: s.Versions, ShapeOnly: s.ParityMode == settings.ParityShape,
		DivergenceFails: s.Divergence == settings.DivergenceFail, Recorded: s.ReadFromRecord(),
	}
	r := &Run{
		Requests: requests,
		Settings: s,
		Contract: suite.Contract,
		Suite:    suite,
		Ledger:   ledger.New(suite, options),
		Started:  started,
		options:  options,
		judged:   map[judged]bool{},
		reader: &lookup.Reader{Suite: suite, Pairs: suite.Contract.PairsOf(s.Versions),
			Rule: parity.Rule{ShapeOnly: options.ShapeOnly}, Compares: compares, Owners: &check.Owners{}},
	}
	r.plansAnew()
	for _, i := range settings.Active(s.Ignore, started) {
		r.reader.Rule.Ignored = append(r.reader.Rule.Ignored, i.Pointer)
	}
	return r
}

// compares reports whether an answer can be compared. An answer that discloses nothing, for a user marked enrolled:
// false, can't: the form of an empty result is open (§4.3).
func compares(j *spec.Judgement) bool {
	ex := j.Answer.Exchange
	return ex.Answered() && (ex.Probe.User.Enrolled || j.Answer.DisclosesData())
}

// Result returns what the run ended with. err is why it was not carried out to its end, or nil.
func (r *Run) Result(err error) *result.Result {
	e := &result.Result{Requests: r.Requests, ID: r.ID, Started: r.Started, Finished: r.Finished, Settings: r.Settings,
		Suite: r.Suite, Ledger: r.Ledger, Evidence: r.earlier.Digest, Counts: r.Counts(),
		Observed: r.earlier.Observed, StaleWaivers: r.StaleWaivers, Err: err}
	warnings, renewed := r.Warnings(), false
	if r.live != nil {
		warnings, renewed = r.live.client.Warnings(), r.live.client.RenewalHelped()
		e.Observed = r.live.client.Observed()
	}
	e.Notes = slices.Concat(warnings, r.Settings.Ended(r.Finished), r.WaiverNotes)
	if note := r.Settings.InterruptionNote(e.Counts.Interruptions, renewed); note != "" {
		e.Notes = append(e.Notes, note)
	}
	for _, ignored := range settings.Active(r.Settings.Ignore, r.Started) {
		if slices.Contains(r.Ledger.Hidden, ignored.Pointer) {
			e.UsedIgnores = append(e.UsedIgnores, ignored.Pointer)
			continue
		}
		e.Notes = append(e.Notes, fmt.Sprintf("parity.ignore %s (%s) hid nothing: remove it if it is not needed any "+
			"more",
			ignored.Pointer, ignored.Where))
	}
	return e
}

// Evidence returns the digest of the evidence that is judged again, sha256:…, or "" for a live target.
func (r *Run) Evidence() string { return r.earlier.Digest }

// Select limits the run to the named rows and open points. Only their probes are sent; all other rows are marked as not
// run.
func (r *Run) Select(keys map[ledger.Key]bool) {
	r.selected = keys
	r.plansAnew()
	r.Ledger.Select(keys)
}

// plansAnew computes what is sent.
func (r *Run) plansAnew() {
	r.sends = r.sendings()
	r.planned = len(r.Plan())
}

// Planned returns how many requests the run plans to send: as many as Plan lists, until Execute plans more or fewer.
func (r *Run) Planned() int { return r.planned }

// Options returns the settings that decide which requirements are judged.
func (r *Run) Options() spec.Options { return r.options }

// Counts returns how much was sent.
func (r *Run) Counts() exchange.Counts {
	if r.live != nil {
		return r.live.Counts()
	}
	return r.earlier.Counts
}

// endGrace is how long sending and judging may take after the deadline or a signal, even if it blocks (J18).
const endGrace = 5 * time.Second

// Execute carries the run out. Call it once. progress, unless it is nil, is called with the number of finished requests
// and that of planned ones. An error means that the run did not complete; the ledger then contains the results so far.
// After an bounded.ErrGivenUp nothing of the run may be used.
func (r *Run) Execute(ctx context.Context, progress func(done, planned int)) error {
	r.show = progress
	if r.live != nil {
		limited, cancel := context.WithTimeoutCause(ctx, r.Settings.Deadline,
			fmt.Errorf("%w; %s", client.ErrDeadline, asker.Advice(r.Settings)))
		defer cancel()
		defer r.live.client.Close()
		ctx = limited
	}
	err := bounded.Within(ctx, endGrace, func() error {
		r.progress(0)
		return r.execute(ctx)
	})
	if errors.Is(err, bounded.ErrGivenUp) {
		return err
	}
	err = cmp.Or(err, r.earlier.Err)
	counts := r.Counts()
	r.Ledger.Close(err == nil, counts.Throttled+counts.Interruptions > 0)
	if r.live != nil {
		r.Finished = time.Now()
	}
	r.StaleWaivers, r.WaiverNotes = r.Ledger.Waive(r.Settings.Waivers, r.Finished)
	return err
}
