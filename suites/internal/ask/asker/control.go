package asker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// served is to whom an operation of a version served data last.
type served struct {
	users [2]exchange.Probe // the last one, and the one before, as their controls; without a version if there is none
	at    time.Time
}

// Served notes that a request served its user with data, and when. Its control is asked if another one is refused.
func (a *Asker) Served(p exchange.Probe, at time.Time) {
	s := a.services[serviceOf(p)]
	if s == nil {
		return
	}
	if control := Of(p); s.users[0].User != control.User {
		s.users[1], s.users[0] = s.users[0], control
	}
	s.at = at
	a.silent[p.Version].ended = true
}

// Of returns the control of a served probe: its well-formed request, sent again.
func Of(p exchange.Probe) exchange.Probe {
	return exchange.Probe{Operation: p.Operation, Version: p.Version, Segment: string(p.Version), User: p.User,
		Position: p.Position, Control: true}
}

// Controls calls known with the control of each operation and version that served, and when that was.
func (a *Asker) Controls(known func(p exchange.Probe, at time.Time)) {
	for _, v := range schemas.InOrder(a.silent) {
		for _, op := range schemas.Operations() {
			if s := a.services[service{op, v}]; s.users[0].Version != "" {
				known(s.users[0], s.at)
			}
		}
	}
}

// control returns a control of an operation and version or, before these served anybody, of another operation of the
// version. whose is 0 for the user who was served last, and 1 for the one before. ok is false if there is none.
func (a *Asker) control(of service, whose int) (p exchange.Probe, ok bool) {
	for _, op := range append([]schemas.Operation{of.operation}, schemas.Operations()...) {
		users := a.services[service{op, of.version}].users
		if users[0].Version == "" {
			continue
		}
		if users[whose].Version == "" {
			whose = 0
		}
		return users[whose], true
	}
	return p, false
}

// silence is how many requests to a version in a row got no answer before it served anybody.
type silence struct {
	count    int
	first    *exchange.Exchange // the first of these, if possible one with a status
	answered bool               // it answered some request
	ended    bool               // it served somebody
}

// maxSilent is how many of these mean that the target can't be reached (J19).
const maxSilent = 5

// noteSilence counts a request without an answer, and returns an error if there were too many.
func (a *Asker) noteSilence(ex *exchange.Exchange) error {
	s := a.silent[ex.Probe.Version]
	if ex.Answered() {
		s.answered, s.count = true, 0
		return nil
	}
	if s.first == nil || s.first.Status == 0 && ex.Status > 0 {
		s.first = ex
	}
	if s.count++; s.count < maxSilent || s.ended {
		return nil
	}
	return a.Unreachable(ex.Probe.Version)
}

// NoteAnswered notes that a version answered some request.
func (a *Asker) NoteAnswered(v schemas.Version) { a.silent[v].answered, a.silent[v].count = true, 0 }

// Unreachable returns the error of a version that has answered no request, or stopped before it served anybody; nil if
// it answers.
func (a *Asker) Unreachable(v schemas.Version) error {
	s := a.silent[v]
	switch {
	case s.first == nil, s.answered && s.count < maxSilent:
		return nil
	case s.answered:
		return fmt.Errorf("%s stopped answering: %d well-formed requests in a row brought no answer, the first one "+
			"%s: %w; see whether the service still runs, then run again", v, s.count, s.first.Probe.ID, s.first.Fault)
	}
	who := "the target"
	for _, other := range a.silent {
		if other.answered {
			who = string(v)
		}
	}
	return a.Client.Unreachable(who, s.first)
}

// Refusal is the error of a target that refuses everybody.
type Refusal struct {
	Last *exchange.Exchange // the last answer to a control
	Err  error              // what happened, in words
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the error in words.
func (r *Refusal) Unwrap() error { return r.Err }

// settle asks the controls of an operation and version, or own in their place, until it is known whether the target
// serves. asked, unless it is nil, gets the answer to each. The error of a target that does not is a *Refusal.
func (a *Asker) settle(ctx context.Context, of service, t Timeline, own *exchange.Probe,
	asked func(*exchange.Exchange)) (end End, err error) {
	for {
		end, wait, whose := t.Next(a.waits)
		switch end {
		case Gone:
			return end, a.refusesEverybody(of, t)
		case Recovered:
			a.interruptions++
			a.gate.change(Pace.Slower)
			return end, nil
		case Serves:
			return end, nil
		}
		if wait > 0 {
			if err := sleep(ctx, a.Clock, wait); err != nil {
				return end, a.endedWaiting(of, t, err)
			}
			a.Client.Renew()
		}
		p, _ := a.control(of, whose)
		if own != nil {
			p = *own
		}
		ex, err := a.askControl(ctx, p)
		if err != nil {
			return end, a.endedWaiting(of, t, err)
		}
		refused := refuses(a.Suite, ex)
		if t = t.With(ex, !refused); !refused {
			a.services[of].at = ex.Ended()
		}
		if asked != nil {
			asked(ex)
		}
	}
}

// endedWaiting returns the error of a deadline that ended the wait for a target that refuses everybody.
func (a *Asker) endedWaiting(of service, t Timeline, err error) error {
	if t.Asked < tries || !errors.Is(err, client.ErrDeadline) {
		return err
	}
	return outlasted{fmt.Errorf("%w; the deadline (setting deadline) ended the wait for it",
		a.refusesEverybody(of, t).Err)}
}

// outlasted is the error of a target that refused everybody until the deadline.
type outlasted struct{ error }

// Unwrap returns what happened, and that the deadline is the reason.
func (o outlasted) Unwrap() []error { return []error{o.error, client.ErrDeadline} }

func (a *Asker) refusesEverybody(of service, t Timeline) *Refusal {
	err := a.Client.RefusesEverybody(t.Last, t.Asked, a.services[of].at)
	return &Refusal{t.Last, fmt.Errorf("%w; then %s", err, a.Again)}
}

// Believe finds out whether the refusal of a user is the answer to that user: whether the controls of its operation and
// version are served now. It is open if these served nobody yet, so that nothing is known.
func (a *Asker) Believe(ctx context.Context, ex *exchange.Exchange) (End, error) {
	of := serviceOf(ex.Probe)
	if _, ok := a.control(of, 0); !ok {
		return Open, nil
	}
	return a.settle(ctx, of, Timeline{}, nil, nil)
}
