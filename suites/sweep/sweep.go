package sweep

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/ask/target"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
)

// Sweep is one sweep of a population against one target.
type Sweep struct {
	Settings *settings.Settings
	Contract *schemas.Contract
	Options  Options
	Client   *target.Client
	ID       string    // of a resumed sweep, that of its first process
	Started  time.Time // of a resumed sweep, when its first process started

	// Tally is the counts, set once the sweep has been executed.
	Tally *stats.Counts
	// Ended is true if the population was checked to its end.
	Ended bool

	// Waits are the pauses between two controls while the target refuses everybody (J23).
	Waits []time.Duration

	// Opened, if set, is called once the users file is open, before anything is written or sent.
	Opened func() error

	// Progress, if set, is called at the beginning and after users that are done, by one goroutine at a time.
	Progress func(Progress)

	lastFailed []users.Row
	stdin      io.Reader
	record     *recorded.Record   // of the version that is read instead of asked; nil if both are asked
	recording  *exchange.Recorded // the record that was made; nil if none was
	unmatched  int64              // users of the record who are not in the users file
	late       error              // why the deadline ended the sweep; nil if it did not
	out        *sanitize.Output
	identity   stats.Identity
	suite      *spec.Suite  // the requirements that a sweep judges
	pair       schemas.Pair // the versions that it compares
	rule       parity.Rule
	waived     []ledger.Waiver // waivers in force
	do         func(context.Context, exchange.Probe) (*exchange.Exchange, error)
	controls   *control.Controls
	faults     map[schemas.Version]*engine.Faults
	asked      map[int64][]*exchange.Exchange // by user, from before the user is checked; nil if nobody was asked yet
	collector  *collector
	source     *source
	read       stats.Population // set when the sweep has ended
	total      int64            // users in total, for a sweep that was stopped; 0 if that is not known
	counted    atomic.Int64     // users in total, for the progress; 0 until that is known
	reportedTo time.Time        // when the progress was last reported

	// Whether both versions have already disclosed data to some user who was counted, by operation. Until then every
	// answer goes through the full judge, which detects that.
	witnessed [2]atomic.Bool
	// Held while a large answer is decoded, because that can take sixty times its size in memory.
	large   sync.Mutex
	reading engine.Reading // of answers, to know whether they are refusals
	// Bytes that wait to be stored: for a user before, or until it is known that the settings are right.
	waiting atomic.Int64
}

// saveGrace is how long a sweep may take to save findings and checkpoint after its deadline or a signal, even if the
// disk blocks (J18).
const saveGrace = time.Minute

// Input is what a sweep reads besides its settings, and the way out.
type Input struct {
	Stdin io.Reader // read if the users file is settings.StandardInput
	Out   *sanitize.Output
	// LastFailed are the users to sweep instead of those of the users file, unless it is nil.
	LastFailed []users.Row
	// Record is what OpenRecord returned. The sweep closes it.
	Record *recorded.Record
}

// patience is for how long a request is sent again that is throttled.
const patience = 3 * time.Minute

// New returns a sweep with the settings of settings.Sweep. It neither reads nor sends anything.
func New(s *settings.Settings, suite *spec.Suite, o Options, in Input) *Sweep {
	id, now := uuid.NewString(), time.Now()
	w := &Sweep{
		Settings: s, Contract: suite.Contract, Options: o, Client: target.New(s, suite.Contract, report.Version, id),
		ID: id, Started: now, lastFailed: in.LastFailed,
		stdin: in.Stdin, out: in.Out, record: in.Record, Waits: control.LongWaits(),
		faults: map[schemas.Version]*engine.Faults{}, suite: suite.WellFormedOnly(),
		pair: pairOf(suite.Contract, s.Versions), waived: settings.Active(s.Waivers, now),
		rule: parity.Rule{ShapeOnly: s.ParityMode == settings.ParityShape},
	}
	w.Client.Patience, w.do = patience, w.Client.Do
	if w.out != nil {
		w.Client.Renewed = w.out.Renew
	}
	for _, v := range s.Versions {
		w.faults[v] = &engine.Faults{}
	}
	for _, i := range settings.Active(s.Ignore, now) {
		w.rule.Ignored = append(w.rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
	}
	w.controls, w.identity = w.newControls(), identityOf(w)
	w.Client.First = w.controls.NoteFirst
	return w
}

// Execute runs the sweep. Call it once. After an error, what was found is kept and the sweep can be resumed; an
// engine.ErrGivenUp means that nothing else of the sweep may be used. An interrupt is no error, but Ended stays false.
func (s *Sweep) Execute(ctx context.Context) error {
	if d := s.Settings.Deadline; d > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, d, target.ErrDeadline)
		defer cancel()
		ctx = bounded
	}
	return engine.Within(ctx, saveGrace, func() error {
		defer s.Client.Close()
		if s.record != nil {
			defer s.record.Close()
		}
		return s.execute(ctx)
	})
}

func (s *Sweep) execute(ctx context.Context) (err error) {
	if s.source, err = s.open(ctx); err != nil {
		return s.unlessEnded(ctx, err)
	}
	defer s.source.close()
	if s.Opened != nil {
		err = s.Opened()
	}
	if err == nil {
		s.controls.Waits = s.Waits
		s.collector, err = s.begin(s.source)
	}
	if err != nil {
		return s.unlessEnded(ctx, err)
	}
	defer s.collector.close()
	s.Tally = s.collector.Tally
	if s.Progress != nil {
		s.countForProgress()
		// Show what earlier processes did: it may be long until the first user is done.
		s.Progress(s.progress(s.collector))
	}
	if err = s.flow(ctx, s.source.nextCheck); err == nil {
		// The reader may have passed users of other shards after the last user of this one.
		s.read = s.source.read()
		err = s.collector.checkTotal()
	}
	if err == nil {
		err = s.flow(ctx, s.collector.last())
	}
	if err == nil {
		err = s.controls.Finish(ctx)
	}
	switch {
	case err == nil:
		if s.unmatched, err = s.countUnmatched(); err == nil {
			s.Ended = true
		}
	case stopped(ctx, err):
		s.noteDeadline(err)
		err = nil
		s.total = s.countUsers()
	}
	if saved := s.collector.finish(s.Ended); err == nil {
		err = saved
	}
	return err
}

// unlessEnded returns the error, or nil if the context ended while the users were being read.
func (s *Sweep) unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		s.noteDeadline(context.Cause(ctx))
		return nil
	}
	return err
}

// noteDeadline notes why a sweep stopped, if its deadline is the reason.
func (s *Sweep) noteDeadline(err error) {
	if errors.Is(err, target.ErrDeadline) {
		s.late = cmp.Or(s.controls.Outage(), err)
	}
}

// stopped reports whether an error means that the sweep was interrupted or reached its limit, so that it can be
// resumed.
func stopped(ctx context.Context, err error) bool {
	return errors.Is(err, target.ErrDeadline) ||
		errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// traffic returns what this process has sent.
func (s *Sweep) traffic() stats.Traffic {
	traffic := stats.Traffic{Counts: s.Client.Counts()}
	traffic.Controls, traffic.Interruptions = s.controls.Counts()
	return traffic
}
