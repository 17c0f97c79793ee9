package sweep

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/throttle"
)

// Sweep is one sweep of a population against one target.
type Sweep struct {
	Settings *settings.Settings
	Contract *schemas.Contract
	Options  Options
	Client   *target.Client
	ID       string
	Started  time.Time // where the sweep goes on, when it was begun

	// Tally is what was counted, once the sweep has been carried out.
	Tally *stats.Counts
	// Ended tells that the population was looked at to its end.
	Ended bool

	// Progress, where set, is told at the beginning and of each user that is done, by one goroutine at a time.
	Progress func(Progress)

	known      []settings.User // of the embedded reference
	stdin      io.Reader
	guard      *redact.Guard
	identity   stats.Identity
	first      string // the id of the sweep that this one goes on with; "" where it is the first
	check      *userCheck
	throttle   *throttle.Throttle
	sender     *sender
	kept       *collector
	source     *source
	read       stats.Population // of which the sweep has ended
	total      int64            // users there are for a sweep that was stopped; 0 if that is not known
	reportedTo time.Time        // of progress
	once       sync.Once
	err        error
}

// Input is what a sweep reads beside its settings, and what must not get into what it writes.
type Input struct {
	Stdin io.Reader       // read where the users file is settings.StandardInput
	Known []settings.User // taken where there is no users file: those of the embedded reference
	Guard *redact.Guard   // looks at all that is written; nil looks for nothing
}

// How long a target that does not answer is left alone at a time, and until it is given up.
const (
	rest     = 2 * time.Second
	patience = 3 * time.Minute
)

// New prepares a sweep; nothing is read or sent. The settings are those of settings.Sweep.
func New(s *settings.Settings, suite *spec.Suite, o Options, in Input) *Sweep {
	id, now := uuid.NewString(), time.Now()
	w := &Sweep{
		Settings: s, Contract: suite.Contract, Options: o, Client: target.New(s, suite.Contract, report.Version, id), ID: id,
		Started: now,
		known:   in.Known, stdin: in.Stdin, guard: in.Guard,
		throttle: throttle.New(throttle.Options{Concurrency: s.Concurrency, Budget: o.Budget, Window: o.Window, Rest: rest,
			Patience: patience}),
	}
	w.Client.Pacer = w.throttle
	w.sender = newSender(s.Concurrency, w.Client.Do)
	secrets := w.Secrets()
	w.check = &userCheck{
		send: w.sender.send, suite: suite.WellFormedOnly(), waived: waiversThatHold(s.Waivers, now),
		rule: parity.Rule{ShapeOnly: s.ParityMode == settings.ParityShape}, show: secrets.Show,
	}
	for _, i := range s.Ignore {
		if i.Holds(now) {
			w.check.rule.Ignored = append(w.check.rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
		}
	}
	w.identity = identityOf(w)
	return w
}

// Secrets is what must stand in no output.
func (w *Sweep) Secrets() *redact.Secrets { return w.Client.Secrets() }

// id is that of the sweep, which keeps its first one when it is gone on with.
func (w *Sweep) id() string {
	if w.first != "" {
		return w.first
	}
	return w.ID
}

// Execute carries the sweep out, once. An error means that it could not go on; what it found until then is kept, and
// can be gone on with. A sweep that was interrupted, or whose budget is spent, has not ended, and brings no error.
func (w *Sweep) Execute(ctx context.Context) error {
	w.once.Do(func() {
		defer w.Client.Close()
		w.err = engine.Guarded(func() error { return w.execute(ctx) })
	})
	return w.err
}

func (w *Sweep) execute(ctx context.Context) (err error) {
	if w.source, err = w.open(ctx); err != nil {
		return unlessEnded(ctx, err)
	}
	if w.kept, err = w.begin(w.source); err != nil {
		w.source.close()
		return unlessEnded(ctx, err)
	}
	defer w.kept.close()
	w.Tally = w.kept.counts
	if w.Progress != nil {
		w.Progress(w.progress(w.kept)) // what earlier processes did; it may be long until somebody is done
	}
	switch err = w.flow(ctx, w.source, w.kept); {
	case err == nil:
		w.Ended = true
		// Behind the last user of a shard there may be users of others.
		w.read = w.source.read()
	case stopped(ctx, err):
		err = nil
		w.total = w.countUsers()
	}
	if saved := w.kept.finish(w.Ended); err == nil {
		err = saved
	}
	return err
}

// unlessEnded is an error, but for one of a sweep that somebody ended while it read its users.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// stopped tells whether an error is one by which somebody stopped the sweep, or set it an end: it can be gone on with.
func stopped(ctx context.Context, err error) bool {
	return errors.Is(err, throttle.ErrBudget) || errors.Is(err, target.ErrDeadline) ||
		errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// traffic is what this process has sent.
func (w *Sweep) traffic() stats.Traffic {
	counts := w.Client.Counts()
	return stats.Traffic{Requests: counts.Requests, Throttled: counts.Throttled, Repeated: counts.Repeated +
		w.sender.repeated.Load(), Outages: w.throttle.Outages()}
}
