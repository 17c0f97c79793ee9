// Package run carries out one run. It makes probes from settings, sends them, judges the exchanges, and stores the
// results in the ledger. A run is carried out once, even if many specs read its ledger.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/ask/target"
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

	// Client sends the requests; nil for a run that is judged again.
	Client *target.Client
	// Records has the source of each version that is read from a record instead of being asked.
	Records map[schemas.Version]engine.Source
	// Waits are the pauses between two controls while the target refuses everybody (J23).
	Waits []time.Duration

	// Progress, if set, is called with the number of finished requests and the number of planned ones.
	Progress func(done, planned int)

	sender   result.Sender
	around   result.Around // of a run that is judged again
	live     bool          // requests go to the target, not to stored evidence
	evidence string        // digest of the evidence that is judged again
	past     error         // why the original of a run that is judged again failed
	engine   *engine.Engine
	options  spec.Options
	slots    *semaphore.Weighted // of the concurrency
	turns    *semaphore.Weighted // one: to judge large answers
	judged   sync.Map            // the answers to well-formed requests that were judged
	reading  engine.Reading      // of answers, to know whether they are refusals
	controls *control.Controls
	faults   map[schemas.Version]*engine.Faults // of well-formed requests
	selected map[ledger.Key]bool                // nil: everything
	sends    map[schemas.Operation]sending

	preflight preflight
	unstable  []*reading
	early     []*reading // with refusals from before their operation and version served anybody
	begun     bool       // these were added

	mu      sync.Mutex
	done    int
	planned int
	next    int // number of the next unplanned exchange

	waitingBytes int // bytes of bodies that unstable sequences hold
}

// New prepares a run of a suite against the target of the settings; it sends nothing. Version is the suite's. The
// recorder, which may be nil, is called for every request.
func New(s *settings.Settings, suite *spec.Suite, version string, recorder target.Recorder) *Run {
	id := uuid.NewString()
	client := target.New(s, suite.Contract, version, id)
	client.Recorder = recorder
	r := prepare(s, suite, client.Requests, time.Now())
	r.ID, r.sender, r.Client, r.live = id, client, client, true
	r.Waits = control.DefaultWaits()
	r.controls = r.newControls()
	r.engine.Served, client.First = r.controls.NoteServed, r.controls.NoteFirst
	client.Discloses = r.controls.Discloses
	return r
}

// Again prepares a run that judges the exchanges of a past run again, with that run's settings.
func Again(s *settings.Settings, suite *spec.Suite, past result.Past) *Run {
	requests := requests.Past(s, suite.Contract, past.Target)
	requests.Unknown = past.Unknown
	r := prepare(s, suite, requests, past.Started)
	r.ID, r.sender, r.past, r.evidence = past.ID, past.Sender, past.Err, past.Digest
	r.Finished, r.around = past.Finished, past.Around
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
		slots:    semaphore.NewWeighted(int64(s.Concurrency)),
		turns:    semaphore.NewWeighted(1),
		faults:   map[schemas.Version]*engine.Faults{},
	}
	r.engine = &engine.Engine{
		Suite: suite, Pairs: suite.Contract.PairsOf(s.Versions), Rule: parity.Rule{ShapeOnly: options.ShapeOnly},
		Compares: compares,
	}
	for _, v := range s.Versions {
		r.faults[v] = &engine.Faults{}
	}
	r.plansAnew()
	for _, i := range settings.Active(s.Ignore, started) {
		r.engine.Rule.Ignored = append(r.engine.Rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
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
		Suite: r.Suite, Ledger: r.Ledger, Evidence: r.evidence, Counts: r.Counts(), Observed: r.sender.Observed(),
		StaleWaivers: r.StaleWaivers, Err: err,
		Notes: slices.Concat(r.Warnings(), r.Settings.Ended(r.Finished), r.WaiverNotes)}
	if note := r.Settings.InterruptionNote(e.Counts.Interruptions, r.live && r.Client.RenewalHelped()); note != "" {
		e.Notes = append(e.Notes, note)
	}
	for i, ignored := range settings.Active(r.Settings.Ignore, r.Started) {
		if r.engine.Rule.Ignored[i].Used() {
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
func (r *Run) Evidence() string { return r.evidence }

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
	r.preparePreflight()
	r.planned = len(r.Plan())
}

// Planned returns how many requests the run plans to send: as many as Plan lists, until Execute plans more or fewer.
func (r *Run) Planned() int { return r.planned }

// Options returns the settings that decide which requirements are judged.
func (r *Run) Options() spec.Options { return r.options }

// Counts returns how much was sent.
func (r *Run) Counts() exchange.Counts {
	counts := r.sender.Counts()
	if r.controls != nil {
		counts.Controls, counts.Interruptions = r.controls.Counts()
	}
	return counts
}

// endGrace is how long sending and judging may take after the deadline or a signal, even if it blocks (J18).
const endGrace = 5 * time.Second

// Execute carries the run out. Call it once. An error means that the run did not complete; the ledger then contains the
// results so far. After an engine.ErrGivenUp nothing of the run may be used.
func (r *Run) Execute(ctx context.Context) error {
	if r.live {
		r.controls.Waits = r.Waits
		bounded, cancel := context.WithTimeoutCause(ctx, r.Settings.Deadline,
			fmt.Errorf("%w; raise it, send fewer users, or raise concurrency if the target does not throttle",
				target.ErrDeadline))
		defer cancel()
		ctx = bounded
	}
	err := engine.Within(ctx, endGrace, func() error {
		defer r.sender.Close()
		return r.execute(ctx)
	})
	if errors.Is(err, engine.ErrGivenUp) {
		return err
	}
	err = cmp.Or(err, r.past)
	if outage := r.controls.Outage(); outage != nil && errors.Is(err, target.ErrDeadline) {
		err = outage
	}
	counts := r.Counts()
	r.Ledger.Disturbed = counts.Throttled+counts.Interruptions > 0
	r.Ledger.Close(err == nil)
	if r.live {
		r.Finished = time.Now()
	}
	r.StaleWaivers, r.WaiverNotes = r.Ledger.Waive(r.Settings.Waivers, r.Finished)
	return err
}
