// Package control finds out whether a refusal is the target's answer to one request, or whether the target refuses
// everybody at that time (J23). It asks a control: the well-formed request of a user to whom the same operation and
// version were served before.
package control

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Options are what the controls of a run or a sweep need of it.
type Options struct {
	// Send sends a probe once, and waits neither for a gate nor for a throttle that answers it.
	Send func(context.Context, exchange.Probe) (*exchange.Exchange, error)
	// Refused reports whether an answer is a refusal if its control gets none better.
	Refused func(*exchange.Exchange) bool
	// Served reports whether a well-formed request was served with a record or identifiers (J1, J13).
	Served func(*exchange.Exchange) bool
	// Judges reports whether a probe that should be refused is judged; otherwise it is only observed.
	Judges func(exchange.Probe) bool
	// Discloses reports whether the answer to a probe that should be refused has a record or identifiers (J13).
	Discloses func(*exchange.Exchange) bool
	// Renew, if set, reads the token's file again.
	Renew func()
	// Waits are the pauses between the controls that are asked while the target refuses everybody.
	Waits []time.Duration
	// Concurrency is how many requests may be in flight.
	Concurrency int
	// Alone is how many controls are asked one after the other when the target serves again.
	Alone int
	// Errors are what ends a run or a sweep, in words.
	Errors
	// Again is what to do after such an error.
	Again string
}

// Errors returns the errors of a target that does not serve its controls. last is the answer to one of them.
type Errors interface {
	// RefusesEverybody is of a target that refuses everybody, and served last at a time.
	RefusesEverybody(last *exchange.Exchange, asked int, served time.Time) error
	// RefusesNowAndThen is of a target that refused so many of them.
	RefusesNowAndThen(last *exchange.Exchange, refused, of int) error
	// ServedNothing is of a target that served everybody an empty list for a while.
	ServedNothing(last *exchange.Exchange) error
}

// Controls asks the controls of one run or sweep. It is safe for concurrent use.
type Controls struct {
	Options
	states   map[key]*state
	versions map[schemas.Version]*version

	asked         atomic.Int64
	interruptions atomic.Int64
	shaken        atomic.Bool                       // a control was refused once, and not only throttled
	probing       atomic.Bool                       // probes that should be refused are sent
	stands        atomic.Bool                       // some refusal of a user counts
	mu            sync.Mutex                        // of what follows, and of empty rows
	last          span                              // the last interruption, perhaps one that is not over
	alone         sync.Mutex                        // held while controls are asked to see what the target bears
	early         map[exchange.Probe]bool           // refused before their operation and version had a control
	row           *row                              // of refusals that has not ended; nil: none
	lockedOut     atomic.Pointer[exchange.Exchange] // an answer of a target that keeps refusing after a bad token
	outage        atomic.Pointer[outage]            // nil while the target serves
}

// version is what the operations of a version have in common.
type version struct {
	gate
	bears      atomic.Bool  // the target served as many controls at once as requests may be in flight
	askedAlone atomic.Int32 // how often it was asked whether it refuses now and then
	fails      atomic.Bool  // it does, by itself: no refusal of it is an interruption
}

type key struct {
	operation schemas.Operation
	version   schemas.Version
}

func keyOf(ex *exchange.Exchange) key { return key{ex.Probe.Operation, ex.Probe.Version} }

// state is what is known of an operation in a version.
type state struct {
	probe  atomic.Pointer[exchange.Probe]    // the control; nil until somebody was served
	known  atomic.Pointer[[sha256.Size]byte] // digest of a control that was served: it is not decoded again
	first  atomic.Pointer[time.Time]         // when the target served first; nil: not yet
	recent atomic.Pointer[service]           // who was served last
	empty  *row                              // of empty lists since its last other answer, or served control; nil: none

	mu       sync.Mutex
	waiting  []*member // refusals that are not settled
	leading  bool      // somebody settles them
	forgiven *row      // was taken for an interruption although no control was refused; nil: none yet
}

// service is a request that was served.
type service struct {
	probe exchange.Probe
	at    time.Time
}

// noteServed notes that a request was served.
func (s *state) noteServed(ex *exchange.Exchange) { s.recent.Store(&service{ex.Probe, ex.Ended()}) }

// servedAt returns when the target served last; the zero time if it never did.
func (s *state) servedAt() (at time.Time) {
	if recent := s.recent.Load(); recent != nil {
		at = recent.at
	}
	return at
}

// New returns controls for these versions.
func New(versions []schemas.Version, o Options) *Controls {
	c := &Controls{Options: o, states: map[key]*state{}, versions: map[schemas.Version]*version{},
		early: map[exchange.Probe]bool{}}
	for _, v := range versions {
		c.versions[v] = &version{}
		for _, op := range schemas.Operations() {
			c.states[key{op, v}] = &state{}
		}
	}
	return c
}

// DefaultWaits are the pauses of a run: 1, 2, 4, 8 and 16 seconds (J23).
func DefaultWaits() []time.Duration { return doubling(5) }

// LongWaits are the pauses of a sweep, about three minutes in all.
func LongWaits() []time.Duration { return append(doubling(6), time.Minute, time.Minute) }

func doubling(n int) []time.Duration {
	var list []time.Duration
	for i := range n {
		list = append(list, time.Second<<i)
	}
	return list
}

// Counts returns how many controls were asked, and how many interruptions there were.
func (c *Controls) Counts() (controls, interruptions int64) {
	return c.asked.Load(), c.interruptions.Load()
}

// NoteServed notes an answer that served a user with data. The first user of an operation and version is its control.
func (c *Controls) NoteServed(ex *exchange.Exchange) {
	s := c.states[keyOf(ex)]
	s.noteServed(ex)
	if at := ex.Ended(); s.first.Load() == nil {
		s.first.CompareAndSwap(nil, &at)
	}
	if s.probe.Load() == nil && !ex.Probe.Control {
		probe := Of(ex.Probe)
		s.probe.CompareAndSwap(nil, &probe)
	}
}

// NoteFirst notes the answer to a well-formed request that served an enrolled user with data, unless the operation and
// version have a control. A large one is decoded once, to be judged.
func (c *Controls) NoteFirst(ex *exchange.Exchange) {
	if ex.Probe.WellFormed() && ex.Probe.User.Enrolled && len(ex.Body) <= engine.Large &&
		c.states[keyOf(ex)].probe.Load() == nil && c.Served(ex) {
		c.NoteServed(ex)
	}
}

// control returns the control of an operation and version or, before anybody was served there, that of another
// operation of the version; nil if there is none.
func (c *Controls) control(s *state, v schemas.Version) *exchange.Probe {
	if own := s.probe.Load(); own != nil {
		return own
	}
	for _, op := range schemas.Operations() {
		if other := c.states[key{op, v}].probe.Load(); other != nil {
			return other
		}
	}
	return nil
}

// Each calls a function with each control that is known, and when its operation and version served last.
func (c *Controls) Each(known func(p exchange.Probe, served time.Time)) {
	for _, v := range schemas.InOrder(c.versions) {
		for _, op := range schemas.Operations() {
			s := c.states[key{op, v}]
			if p := s.probe.Load(); p != nil {
				known(*p, s.servedAt().UTC())
			}
		}
	}
}

// Restore sets a control that is known from an earlier process.
func (c *Controls) Restore(p exchange.Probe, served time.Time) {
	if s := c.states[key{p.Operation, p.Version}]; s != nil {
		s.probe.Store(&p)
		s.recent.Store(&service{p, served})
	}
}

// another returns the request that was served last, to be asked in turn with a control: the control's user may be gone
// meanwhile. Among probes that should be refused, the control is that of their user.
func (c *Controls) another(control exchange.Probe) exchange.Probe {
	recent := c.states[key{control.Operation, control.Version}].recent.Load()
	if recent == nil || c.probing.Load() {
		return control
	}
	return Of(recent.probe)
}

// Of returns the control of a served probe: its well-formed request, sent again.
func Of(p exchange.Probe) exchange.Probe {
	return exchange.Probe{Operation: p.Operation, Version: p.Version, Segment: string(p.Version), User: p.User,
		Position: p.Position, Control: true}
}

// Wait waits while the target is known to refuse everybody in a version.
func (c *Controls) Wait(ctx context.Context, v schemas.Version) error { return c.versions[v].wait(ctx) }

// Waiting reports whether the target is known to refuse everybody in some version now.
func (c *Controls) Waiting() bool {
	for _, v := range c.versions {
		if v.isClosed() {
			return true
		}
	}
	return false
}

// answer is the answer to a control.
type answer struct {
	ex     *exchange.Exchange
	served bool // with a record or identifiers
}

// ask asks a control. Its id is given here if the plan has none for it.
func (c *Controls) ask(ctx context.Context, p exchange.Probe) (answer, error) {
	n := c.asked.Add(1)
	if p.ID == "" {
		p.ID = "c" + strconv.FormatInt(n, 10)
	}
	ex, err := c.Send(ctx, p)
	if err != nil {
		return answer{}, err
	}
	s := c.states[key{p.Operation, p.Version}]
	known, digest := s.known.Load(), ex.AnswerDigest()
	a := answer{ex, known != nil && *known == digest || c.Served(ex)}
	if a.served {
		c.endEmpty(s)
		s.known.Store(&digest)
		c.NoteServed(ex)
	}
	return a, nil
}

// refuses reports whether the answer to a well-formed request says "no", or there was none: to the control that is true
// of a target that refuses everybody.
func (c *Controls) refuses(ex *exchange.Exchange) bool {
	return !ex.Answered() || ex.Throttled() || c.Refused(ex)
}

// Refusal is the error of a target that refuses everybody.
type Refusal struct {
	Last *exchange.Exchange // the last answer to a control
	Err  error              // what happened, in words
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the error in words.
func (r *Refusal) Unwrap() error { return r.Err }

func refusal(last *exchange.Exchange, err error, then string) *Refusal {
	return &Refusal{last, fmt.Errorf("%w; then %s", err, then)}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
