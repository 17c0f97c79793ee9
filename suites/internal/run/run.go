// Package run carries out one run: settings become probes, probes become exchanges, exchanges become judgements, and
// the ledger keeps them. A run is carried out once, however many specs read its ledger.
package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/target"
)

// Run is one run against one target, or one that is judged again from its evidence.
type Run struct {
	*exchange.Requests
	Settings *settings.Settings
	Contract *schemas.Contract
	Suite    *spec.Suite
	Ledger   *ledger.Ledger
	ID       string
	Started  time.Time

	// Progress, where set, is told how many requests are done of how many that are meant to be sent.
	Progress func(done, planned int)

	sender   Sender
	live     bool   // the target is asked, not the evidence
	evidence string // the digest of what is judged again
	was      error  // why a run that is judged again could not be carried out
	engine   *engine.Engine
	options  spec.Options
	slots    *semaphore.Weighted
	memory   memory
	faults   engine.Faults       // of well-formed requests
	selected map[ledger.Key]bool // nil: everything
	sends    map[schemas.Operation]sending

	preflight preflight
	unstable  []*unstable
	atRest    int // bytes of the bodies of unstable sequences

	once sync.Once
	err  error

	mu      sync.Mutex
	done    int
	planned int
	next    int // number of the next exchange that no plan foresaw
}

// Sender brings the exchange of a probe: from the target, or from evidence. An error ends the run, but for
// exchange.ErrNotKept.
type Sender interface {
	Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
	Counts() exchange.Counts
	Close()
}

// New prepares a run of a suite, in a version of it, against the target of the settings; nothing is sent. The recorder,
// which may be nil, is told of every request.
func New(s *settings.Settings, suite *spec.Suite, version string, recorder target.Recorder) *Run {
	id := uuid.NewString()
	client := target.New(s, suite.Contract, version, id)
	client.Recorder = recorder
	r := prepare(s, suite, client.Requests, time.Now())
	r.ID, r.sender, r.live = id, client, true
	return r
}

// Past is what there is of a run that was carried out before.
type Past struct {
	ID      string
	Started time.Time
	Target  map[schemas.Version]string // base URLs, as they were shown
	Sender  Sender
	Unknown string // the random token that was sent
	Digest  string // of its evidence, sha256:…
	Err     error  // why it could not be carried out to its end
}

// Again prepares a run that judges past exchanges again, by the settings of their run.
func Again(s *settings.Settings, suite *spec.Suite, past Past) *Run {
	requests := exchange.PastRequests(s, suite.Contract, nil, past.Target)
	requests.Unknown = past.Unknown
	r := prepare(s, suite, requests, past.Started)
	r.ID, r.sender, r.was, r.evidence = past.ID, past.Sender, past.Err, past.Digest
	return r
}

func prepare(s *settings.Settings, suite *spec.Suite, requests *exchange.Requests, started time.Time) *Run {
	options := spec.Options{
		Versions: s.Versions, ShapeOnly: s.ParityMode == settings.ParityShape,
		DivergenceFails: s.Divergence == settings.DivergenceFail,
	}
	r := &Run{
		Requests:  requests,
		Settings:  s,
		Contract:  suite.Contract,
		Suite:     suite,
		Ledger:    ledger.New(suite, options),
		Started:   started,
		options:   options,
		slots:     semaphore.NewWeighted(int64(s.Concurrency)),
		memory:    newMemory(),
		preflight: preflight{users: map[settings.User]bool{}, ends: map[string]int{}},
	}
	r.engine = &engine.Engine{
		Suite: suite, Rule: parity.Rule{ShapeOnly: options.ShapeOnly}, Send: r.send, Compares: compares,
		Judge: func(ctx context.Context, ex *exchange.Exchange) (*spec.Judgement, int64, error) {
			return r.memory.wellFormed(ctx, suite, ex)
		},
	}
	r.sends = r.sendings()
	for _, i := range s.Ignore {
		if i.Holds(started) {
			r.engine.Rule.Ignored = append(r.engine.Rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
		}
	}
	return r
}

// compares reports whether an answer can be compared. One for a user marked enrolled: false that discloses nothing
// can't: how an empty result looks is open (§4.3).
func compares(j *spec.Judgement) bool {
	ex := j.Answer.Exchange
	return ex.Answered() && !ex.Dropped && (ex.Probe.User.Enrolled || j.Answer.DisclosesData())
}

// IgnoreNotes names the entries of parity.ignore that are past their date, and those that hid nothing.
func (r *Run) IgnoreNotes() []string {
	var notes []string
	inForce := r.engine.Rule.Ignored
	for _, i := range r.Settings.Ignore {
		switch {
		case !i.Holds(r.Started):
			notes = append(notes, fmt.Sprintf("parity.ignore %s (%s) ended on %s and hides nothing any more", i.Pointer, i.Where,
				i.Until.Format(time.DateOnly)))
			continue
		case !inForce[0].Hid():
			notes = append(notes, fmt.Sprintf("parity.ignore %s (%s) hid nothing: remove it if it is not needed any more",
				i.Pointer, i.Where))
		}
		inForce = inForce[1:]
	}
	return notes
}

// Hid lists the places of parity.ignore at which the versions differ.
func (r *Run) Hid() []string {
	var list []string
	for _, i := range r.engine.Rule.Ignored {
		if i.Hid() {
			list = append(list, i.Pattern)
		}
	}
	return list
}

// Evidence is the digest of the evidence that is judged again, sha256:…; "" where a live target is asked.
func (r *Run) Evidence() string { return r.evidence }

// Select narrows the run to the rows and open points named: only their probes are sent. Rows left out are not run.
func (r *Run) Select(keys map[ledger.Key]bool) {
	r.selected = keys
	r.sends = r.sendings()
	r.Ledger.Select(keys)
}

// Options are the settings on which it depends which requirements are judged.
func (r *Run) Options() spec.Options { return r.options }

// Counts says how much was sent.
func (r *Run) Counts() exchange.Counts { return r.sender.Counts() }

// Execute carries the run out, once; called again, it returns what it returned before. An error means that the run
// could not be carried out: the ledger then holds what was judged until then.
func (r *Run) Execute(ctx context.Context) error {
	r.once.Do(func() {
		defer r.sender.Close()
		if r.live {
			bounded, cancel := context.WithTimeoutCause(ctx, r.Settings.Deadline, target.ErrDeadline)
			defer cancel()
			ctx = bounded
		}
		r.err = engine.Guarded(func() error { return r.execute(ctx) })
		if r.err == nil {
			r.err = r.was
		}
		r.Ledger.Close(r.err == nil)
	})
	return r.err
}
