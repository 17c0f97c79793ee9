// Package asker decides what is asked again, when, and whether an answer that refuses is believed (J19, J23). It asks
// one target for one run or sweep.
package asker

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
)

// Target sends requests, and describes what they were answered. It is a *client.Client but in specs.
type Target interface {
	// Send sends a probe once. An error ends the run.
	Send(context.Context, exchange.Probe) (*exchange.Exchange, error)
	// Alternate lets the next request go over the other one of two connections.
	Alternate()
	// Renew reads the files of the tokens again.
	Renew()
	Counts() exchange.Counts
	// Asked describes a request. The others return errors in words.
	Asked(*exchange.Exchange) string
	RefusesEverybody(last *exchange.Exchange, asked int, served time.Time) error
	Refused(answers []*exchange.Exchange, users string, of int, serving []schemas.Version) error
	Unreachable(who string, first *exchange.Exchange) error
}

// Options are what an asker needs of a run or a sweep.
type Options struct {
	Client   Target
	Suite    *spec.Suite
	Settings *settings.Settings
	Clock    Clock // nil: that of this machine
	// FirstWait is the pause after the first answer that throttles and does not say for how long, and between the first
	// controls of a target that refuses everybody. It doubles each time. 0 is a second.
	FirstWait time.Duration
	// Patient is true for a sweep: it waits for about three minutes for a target that refuses everybody.
	Patient bool
	// Again is what to do after a target has stopped serving.
	Again string
}

// Asker asks a target. Ask and Observe are safe for concurrent use; everything else belongs to the one goroutine that
// decides.
type Asker struct {
	Options
	waits []time.Duration // between two controls while the target refuses everybody
	gate  *gate

	services map[service]*served
	silent   map[schemas.Version]*silence
	controls int64
	// Interruptions are times in which the target refused everybody, and after which it served again.
	interruptions int64
	lockedOut     bool // the target keeps refusing after a bad token
}

// service is an operation of a version.
type service struct {
	operation schemas.Operation
	version   schemas.Version
}

func serviceOf(p exchange.Probe) service { return service{p.Operation, p.Version} }

// New returns an asker. It sends nothing.
func New(o Options) *Asker {
	if o.Clock == nil {
		o.Clock = System{}
	}
	if o.FirstWait == 0 {
		o.FirstWait = time.Second
	}
	a := &Asker{Options: o, services: map[service]*served{}, silent: map[schemas.Version]*silence{},
		gate: &gate{clock: o.Clock, scale: o.FirstWait.Seconds(), starts: map[service]*start{}}}
	if a.gate.advice = Advice(o.Settings); o.Settings.Rate > 0 {
		a.gate.least = time.Duration(float64(time.Second) / o.Settings.Rate)
	}
	for _, v := range o.Settings.Versions {
		a.silent[v] = &silence{}
		for _, op := range schemas.Operations() {
			a.services[service{op, v}], a.gate.starts[service{op, v}] = &served{}, &start{}
		}
	}
	doublings, longest := 5, 0
	if o.Patient {
		doublings, longest = 6, 2
	}
	for i := range doublings {
		a.waits = append(a.waits, o.FirstWait<<i)
	}
	for range longest {
		a.waits = append(a.waits, 60*o.FirstWait)
	}
	return a
}

// Advice returns what to do if a deadline is too near.
func Advice(s *settings.Settings) string {
	if s.Rate > 0 {
		return "raise it, send fewer users, or raise " + s.Named("--rate", "Rate")
	}
	return "raise it, or send fewer users"
}

// Counts returns how much was sent.
func (a *Asker) Counts() exchange.Counts {
	counts := a.Client.Counts()
	throttled, resent := a.gate.counts()
	counts.Throttled, counts.Repeated = throttled, counts.Repeated+resent
	counts.Controls, counts.Interruptions = a.controls, a.interruptions
	return counts
}

// Paused reports whether requests wait because the target asked for that.
func (a *Asker) Paused() bool { return a.gate.paused() > 0 }

const (
	shortestWait   = 100 * time.Millisecond // even if Retry-After is 0
	refusedAtMost  = 3                      // waits for a request that should be refused, or before any other answer
	doublings      = 6                      // waits for any other, if no answer says for how long
	longestDoubled = time.Minute
	patience       = 3 * time.Minute // of a sweep
)

// Ask sends a probe and returns its exchange. 429 and 503 are waited out, within the deadline, and so is what a service
// answers that starts (J19). An error means that the run ended, or its deadline is too near.
func (a *Asker) Ask(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	return a.ask(ctx, p, nil)
}

// ask sends a probe. own are the GUIDs that one which should be refused must not be served (J13).
func (a *Asker) ask(ctx context.Context, p exchange.Probe, own map[string]bool) (*exchange.Exchange, error) {
	wait := a.FirstWait
	var begun time.Time
	for waits := 0; ; waits++ {
		ex, err := a.once(ctx, p)
		if err != nil {
			return nil, err
		}
		ex.Own = own
		starts := p.WellFormed() && a.gate.starting(ex, startTimeouts*a.Settings.Timeout)
		if !starts && (!ex.Throttled() || !p.WellFormed() && a.Suite.Discloses(ex)) {
			a.gate.change(Pace.Answered)
			return ex, nil
		}
		if waits == 0 {
			begun = a.Clock.Now()
		}
		pause, said := retryAfter(ex)
		if pause = max(pause, shortestWait); !said {
			pause = wait
			if p.WellFormed() { // any other may always be refused so, and there are many of these
				wait = min(2*wait, longestDoubled)
			}
		}
		if !starts {
			a.gate.noteThrottled(p)
		}
		switch {
		case starts && !ex.Answered():
			pause = 0 // it was waited for already
		case starts:
		case !p.WellFormed() && waits == refusedAtMost, p.WellFormed() && a.gate.hasWaited(ex, waits, said),
			a.Patient && a.Clock.Now().Sub(begun)+pause > a.gate.scaled(patience):
			return ex, nil
		}
		if end, bounded := ctx.Deadline(); bounded && time.Now().Add(pause).After(end) {
			if !p.WellFormed() {
				return ex, nil // such a long wait is a refusal (J13: a lasting 429 or 503 refuses too)
			}
			return nil, a.tooLong(ex, pause)
		}
		a.gate.pause(pause)
	}
}

// once sends a probe as soon as it may be sent.
func (a *Asker) once(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if err := a.gate.pass(ctx); err != nil {
		return nil, err
	}
	defer a.gate.back()
	return a.Client.Send(ctx, p)
}

// askControl sends a control once: its wait is that of who asks it.
func (a *Asker) askControl(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	a.controls++
	if p.ID == "" {
		p.ID = fmt.Sprintf("c%d", a.controls)
	}
	return a.Observe(ctx, p)
}

// Observe sends a well-formed request once. It waits for nothing but the time that an answer to another request names.
func (a *Asker) Observe(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := a.once(ctx, p)
	if err != nil || !ex.Throttled() {
		return ex, err
	}
	a.gate.noteThrottled(p)
	if pause, said := retryAfter(ex); said {
		if end, bounded := ctx.Deadline(); bounded && time.Now().Add(pause).After(end) {
			return nil, a.tooLong(ex, pause)
		}
		a.gate.pause(max(pause, shortestWait))
	}
	return ex, nil
}

func (a *Asker) tooLong(ex *exchange.Exchange, pause time.Duration) error {
	return fmt.Errorf("%s got %w, and the wait of %s is longer than the time left: %w; raise it, or send less (%s)",
		a.Client.Asked(ex), exchange.Summary(ex), pause.Round(time.Second), client.ErrDeadline, a.Settings.Slower())
}

// start is what is known of an operation of a version until it has answered. What a gateway says for it, or a late
// answer, is that of a service that starts: it is waited for up to three time-outs (J19).
type start struct {
	begun    time.Time // when it was asked first
	over     bool      // it is not waited for any more
	answered bool      // it gave another answer than one that throttles
}

const startTimeouts = 3

// starting reports whether an answer to a well-formed request is that of a service that starts, and counts it as sent
// again.
func (g *gate) starting(ex *exchange.Exchange, most time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.starts[serviceOf(ex.Probe)]
	if s.over {
		s.answered = s.answered || ex.Answered() && !ex.Throttled()
		return false
	}
	if s.begun.IsZero() {
		s.begun = g.clock.Now().Add(-ex.Duration)
	}
	late := ex.Fault != nil && ex.Fault.Kind == exchange.Timeout
	waited := g.clock.Now().Sub(s.begun)
	switch ex.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		s.over = waited >= g.scaled(most)
	case http.StatusTooManyRequests:
		return false
	default:
		s.over = !late || waited >= most*5/6 // one more would be late, too
		s.answered = ex.Answered()
	}
	if !s.over {
		g.resent++
	}
	return !s.over
}

// hasWaited reports whether a well-formed request that is throttled has waited often enough: if no answer says for how
// long, or nothing else was answered from the start.
func (g *gate) hasWaited(ex *exchange.Exchange, waits int, said bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.starts[serviceOf(ex.Probe)]
	switch {
	case said:
		return false
	case s.answered:
		return waits >= doublings
	}
	s.over = s.over || waits >= refusedAtMost
	return s.over
}
