// Package run carries out one run: settings become probes, probes become exchanges, exchanges become judgements, and the
// ledger keeps them. A run is carried out once, however many specs read its ledger.
package run

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
)

// Run is one run against one target, or one that is judged again from its evidence.
type Run struct {
	*exchange.Requests
	Settings *settings.Settings
	Contract *schemas.Contract
	Ledger   *ledger.Ledger
	ID       string
	Started  time.Time

	// SelfChecked is how many examples the suite judged rightly before the run.
	SelfChecked int

	// Progress, where set, is told how many requests are done of how many that are meant to be sent.
	Progress func(done, planned int)

	sender   Sender
	live     bool  // the target is asked, not the evidence
	was      error // why a run that is judged again could not be carried out
	judge    *judge.Judge
	rule     parity.Rule
	slots    *semaphore.Weighted
	memory   memory
	streak   streak
	selected map[ledger.Key]bool // nil: everything

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

// New prepares a run against the target of the settings; nothing is sent. Suite is the suite's version. The recorder, which
// may be nil, is told of every request.
func New(s *settings.Settings, contract *schemas.Contract, suite string, recorder target.Recorder) *Run {
	id := uuid.NewString()
	client := target.New(s, contract, suite, id)
	client.Recorder = recorder
	r := prepare(s, contract, client.Requests, time.Now())
	r.ID, r.sender, r.live = id, client, true
	return r
}

// Past is what there is of a run that was carried out before.
type Past struct {
	ID      string
	Started time.Time
	Target  map[schemas.Version]string // base URLs, as they were shown
	Sender  Sender
	Err     error // why it could not be carried out to its end
}

// Again prepares a run that judges past exchanges again, by the settings of their run.
func Again(s *settings.Settings, contract *schemas.Contract, past Past) *Run {
	r := prepare(s, contract, exchange.PastRequests(s, contract, nil, past.Target), past.Started)
	r.ID, r.sender, r.was = past.ID, past.Sender, past.Err
	return r
}

func prepare(s *settings.Settings, contract *schemas.Contract, requests *exchange.Requests, started time.Time) *Run {
	r := &Run{
		Requests: requests,
		Settings: s,
		Contract: contract,
		Ledger:   ledger.New(contract, s.Versions, s.ParityMode == settings.ParityShape, s.Divergence == settings.DivergenceFail),
		Started:  started,
		judge:    judge.New(contract, requests.Secrets()),
		rule:     parity.Rule{ShapeOnly: s.ParityMode == settings.ParityShape},
		slots:    semaphore.NewWeighted(int64(s.Concurrency)),
		memory:   memory{held: semaphore.NewWeighted(mostHeld)},
	}
	for _, i := range s.Ignore {
		if i.Holds(started) {
			r.rule.Ignored = append(r.rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
		}
	}
	return r
}

// IgnoreNotes names the entries of parity.ignore that are past their date, and those that hid nothing.
func (r *Run) IgnoreNotes() []string {
	var notes []string
	inForce := r.rule.Ignored
	for _, i := range r.Settings.Ignore {
		switch {
		case !i.Holds(r.Started):
			notes = append(notes, fmt.Sprintf("parity.ignore %s (%s) ended on %s and hides nothing any more", i.Pointer, i.Where, i.Until.Format(time.DateOnly)))
			continue
		case !inForce[0].Hid():
			notes = append(notes, fmt.Sprintf("parity.ignore %s (%s) hid nothing: remove it if it is not needed any more", i.Pointer, i.Where))
		}
		inForce = inForce[1:]
	}
	return notes
}

// Select narrows the run to the rows and open points named: only their probes are sent. Rows left out are not run.
func (r *Run) Select(keys map[ledger.Key]bool) {
	r.selected = keys
	r.Ledger.Select(keys)
}

// Alike tells whether two exchanges for one probe are judged alike.
func (r *Run) Alike(a, b *exchange.Exchange) bool { return r.judge.Alike(a, b) }

// Counts says how much was sent.
func (r *Run) Counts() exchange.Counts { return r.sender.Counts() }

// wants tells whether a row or an open point is part of the run.
func (r *Run) wants(id string, v schemas.Version) bool {
	return r.selected == nil || r.selected[ledger.Key{ID: id, Version: v}]
}

// Execute carries the run out, once; called again, it returns what it returned before. An error means that the run could
// not be carried out: the ledger then holds what was judged until then.
func (r *Run) Execute(ctx context.Context) error {
	r.once.Do(func() {
		defer r.sender.Close()
		if r.live {
			bounded, cancel := context.WithTimeoutCause(ctx, r.Settings.Deadline, target.ErrDeadline)
			defer cancel()
			ctx = bounded
		}
		r.err = guarded(func() error { return r.execute(ctx) })
		if r.err == nil {
			r.err = r.was
		}
		r.Ledger.Close(r.err == nil)
	})
	return r.err
}

// Defect is a fault of the suite itself, never of the target.
type Defect struct {
	Panic any
	Stack []byte
}

func (d *Defect) Error() string {
	return fmt.Sprintf("defect of the suite, not of the target: panic: %v; please report it with this stack:\n%s", d.Panic, d.Stack)
}

// guarded turns a panic into an error, so that the reports are written whatever happens.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Defect{Panic: p, Stack: debug.Stack()}
		}
	}()
	return do()
}
