package sweep

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/ask/lookup"
	"authenticator-conformance/suites/internal/ask/recorded"
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
	Client   *client.Client
	ID       string    // of a resumed sweep, that of its first process
	Started  time.Time // of a resumed sweep, when its first process started

	// Tally is the counts, set once the sweep has been executed.
	Tally *stats.Counts
	// Ended is true if the population was checked to its end.
	Ended bool

	watch      Watch
	lastFailed []users.Row
	stdin      io.Reader
	record     *recorded.Record   // of the version that is read instead of asked; nil if both are asked
	recording  *exchange.Recorded // the record that was made; nil if none was
	unmatched  int64              // users of the record who are not in the users file
	late       error              // why the deadline ended the sweep; nil if it did not
	out        *sanitize.Output
	identity   stats.Identity
	suite      *spec.Suite     // the requirements that a sweep judges
	pair       schemas.Pair    // the versions that it compares
	waived     []ledger.Waiver // waivers in force
	asker      *asker.Asker
	reader     *lookup.Reader
	equal      *stats.Result                 // of nearly all users
	given      map[string]*exchange.Exchange // answers from before the first block, by the id of their probe (J19)
	collector  *collector
	source     *source
	total      int64     // users in total, for a sweep that was stopped; 0 if that is not known
	askedAgain int64     // users of whom some request was sent again at the end of their block
	reportedTo time.Time // when the progress was last reported

	counted atomic.Int64 // users in total, for the progress; 0 until that is known
	asked   atomic.Int64 // users who were asked, and are not counted yet, for the progress
	waiting atomic.Bool  // the target serves nobody, and is waited for
	large   sync.Mutex   // held while a large answer is decoded, as that can take sixty times its size in memory
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
	Record    *recorded.Record
	FirstWait time.Duration // the first pause of the asker; 0 is a second
}

// Watch is what is called while a sweep goes on, by one goroutine at a time. What is nil is not called.
type Watch struct {
	// Opened is called once the users file is open, before anything is written or sent. Its error ends the sweep.
	Opened func() error
	// Progress is called at the beginning and after users that are done.
	Progress func(Progress)
}

// New returns a sweep with the settings of settings.Sweep. It neither reads nor sends anything.
func New(s *settings.Settings, suite *spec.Suite, o Options, in Input) *Sweep {
	id, now := rand.Text(), time.Now()
	options := client.Options{GivesUp: true}
	if in.Out != nil {
		options.Renewed = in.Out.Renew
	}
	c := client.New(s, suite.Contract, report.Version, id, options)
	w := &Sweep{
		Settings: s, Contract: suite.Contract, Options: o, Client: c, ID: id, Started: now, lastFailed: in.LastFailed,
		stdin: in.Stdin, out: in.Out, record: in.Record, suite: suite.WellFormedOnly(),
		pair: pairOf(suite.Contract, s.Versions), waived: settings.Active(s.Waivers, now),
	}
	w.equal = &stats.Result{Outcome: stats.Equal, Served: s.Versions}
	w.asker = asker.New(asker.Options{Client: c, Suite: w.suite, Settings: s, FirstWait: in.FirstWait, Patient: true,
		Again: "continue with --resume"})
	w.reader = &lookup.Reader{Suite: w.suite, Pairs: []schemas.Pair{w.pair},
		Rule:     parity.Rule{ShapeOnly: s.ParityMode == settings.ParityShape},
		Compares: func(*spec.Judgement) bool { return true }}
	for _, i := range settings.Active(s.Ignore, now) {
		w.reader.Rule.Ignored = append(w.reader.Rule.Ignored, i.Pointer)
	}
	w.identity = identityOf(w)
	return w
}

// Execute runs the sweep. Call it once. After an error, what was found is kept and the sweep can be resumed; an
// bounded.ErrGivenUp means that nothing else of the sweep may be used. An interrupt is no error, but Ended stays false.
func (s *Sweep) Execute(ctx context.Context, watch Watch) error {
	s.watch = watch
	if d := s.Settings.Deadline; d > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, d, client.ErrDeadline)
		defer cancel()
		ctx = limited
	}
	return bounded.Within(ctx, saveGrace, func() error {
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
	if s.watch.Opened != nil {
		err = s.watch.Opened()
	}
	if err == nil {
		s.collector, err = s.begin(ctx, s.source)
	}
	if err != nil {
		return s.unlessEnded(ctx, err)
	}
	defer s.collector.close()
	s.Tally = s.collector.Tally
	if s.watch.Progress != nil {
		s.countForProgress()
		// Show what earlier processes did: it may be long until the first user is done.
		s.watch.Progress(s.progress(s.collector))
	}
	if err = s.flow(ctx); err == nil {
		err = s.collector.checkTotal()
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
	if errors.Is(err, client.ErrDeadline) {
		s.late = err
	}
}

// stopped reports whether an error means that the sweep was interrupted or reached its limit, so that it can be
// resumed.
func stopped(ctx context.Context, err error) bool {
	return errors.Is(err, client.ErrDeadline) ||
		errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// traffic returns what this process has sent.
func (s *Sweep) traffic() stats.Traffic {
	return stats.Traffic{Counts: s.asker.Counts(), AskedAgain: s.askedAgain}
}
