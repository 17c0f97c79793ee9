package control

import (
	"context"
	"errors"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Series are probes that should be refused, of one operation and version, with the controls between which they go:
// control, probe, control, probe, …, control (J23).
type Series struct {
	Steps    []Step
	Controls []exchange.Probe // one before each step, and one after the last
}

// Step is what is sent between two controls: one probe that is judged, among some that are only observed, or only such;
// nothing, if one more control is wanted.
type Step []exchange.Probe

// Probes lists all requests in the order in which they are sent.
func (s *Series) Probes() []exchange.Probe {
	list := slices.Clone(s.Controls[:1])
	for i, step := range s.Steps {
		list = append(append(list, step...), s.Controls[i+1])
	}
	return list
}

// mayLockOut reports whether a step may count towards a lockout.
func (s Step) mayLockOut() bool {
	return slices.ContainsFunc(s, func(p exchange.Probe) bool { return p.Risk() == schemas.AuthFailure })
}

// Asker sends the probes of series, and gets the answers.
type Asker struct {
	// Send sends a probe that should be refused.
	Send func(context.Context, exchange.Probe) (*exchange.Exchange, error)
	// Add gets the exchange of each probe, with what the controls around it showed. A probe that was not sent, because
	// the target had begun to refuse everybody, has an exchange without an answer.
	Add func(*exchange.Exchange)
	// AddControl gets the answer to each control.
	AddControl func(*exchange.Exchange)
}

// attempts is how often a step is sent during which the target began to refuse everybody, and throttledAttempts how
// often one after which it throttled.
const (
	attempts          = 2
	throttledAttempts = 6
)

// Ask sends probes in turn with their controls. If the target begins to refuse everybody during a step, and serves
// again, the step is sent once more. If it keeps refusing after a bad token, that may be a lockout: no other step is
// sent. After any other probe it is an error.
func (c *Controls) Ask(ctx context.Context, t *Series, a Asker) error {
	ask := func(p exchange.Probe) (answer, error) {
		control, err := c.ask(ctx, p)
		if err == nil {
			a.AddControl(control.ex)
		}
		return control, err
	}
	c.probing.Store(true)
	before, err := ask(t.Controls[0])
	if err == nil && c.refuses(before.ex) && c.lockedOut.Load() == nil {
		before, err = c.recover(ctx, t.Controls[0], before.ex)
	}
	for i, step := range t.Steps {
		if err != nil {
			return err
		}
		r := &asked{list: make([]*exchange.Exchange, len(step)), before: before, after: before, next: before}
		if !c.refuses(before.ex) {
			err := c.askStep(ctx, step, r, a.Send, func() (answer, error) { return ask(t.Controls[i+1]) })
			if given, ok := errors.AsType[*Refusal](err); ok && step.mayLockOut() {
				c.lockedOut.Store(given.Last)
				r.next, err = answer{ex: given.Last}, nil
			}
			if err != nil {
				return err
			}
		}
		for j, ex := range r.list {
			if ex == nil {
				ex = &exchange.Exchange{Probe: step[j]}
			}
			ex.Control = between(r.before, r.after)
			a.Add(ex)
		}
		before = r.next
	}
	return err
}

// asked is what a step and its controls were answered.
type asked struct {
	list          []*exchange.Exchange
	before, after answer // the controls around the step
	next          answer // the control before the next step
}

// askStep sends a step and the control after it, and again if the target began to refuse everybody meanwhile.
func (c *Controls) askStep(ctx context.Context, step Step, r *asked,
	send func(context.Context, exchange.Probe) (*exchange.Exchange, error), ask func() (answer, error)) (err error) {
	for attempt := 1; ; attempt++ {
		begun := time.Now()
		if r.list, err = c.sendStep(ctx, step, send); err != nil {
			return err
		}
		if r.after, err = ask(); err != nil {
			return err
		}
		r.next = r.after
		if !c.refuses(r.after.ex) {
			wait, again := c.mayBeInterrupted(step, r.list, begun, attempt)
			if !again {
				return nil
			}
			if err = sleep(ctx, wait); err != nil {
				return err
			}
			r.before = r.after
			continue
		}
		most := attempts
		if r.after.ex.Throttled() {
			most = throttledAttempts
		}
		r.next, err = c.recover(ctx, Of(r.after.ex.Probe), r.after.ex)
		if err != nil || attempt == most || slices.ContainsFunc(r.list, c.isFinding) {
			return err
		}
		// Each time one more control, so that a target that throttles every third request throttles another one now.
		r.before = r.next
		for range attempt {
			if r.before, err = c.ask(ctx, Of(r.after.ex.Probe)); err == nil && c.refuses(r.before.ex) {
				r.before, err = c.recover(ctx, Of(r.before.ex.Probe), r.before.ex)
			}
			if err != nil {
				return err
			}
		}
	}
}

// sendStep sends the probes of a step. A judged one is sent twice in a row once a control was refused: if one of
// several nodes that answer in turn is lost, another one gets it, too. It is also sent again if the answer may be of
// something in front, which failed only this once.
func (c *Controls) sendStep(ctx context.Context, step Step,
	send func(context.Context, exchange.Probe) (*exchange.Exchange, error)) (list []*exchange.Exchange, err error) {
	list = make([]*exchange.Exchange, len(step))
	for i, p := range step {
		list[i], err = send(ctx, p)
		if err == nil && (c.shaken.Load() || mayBeOfFront(list[i])) && c.Judges(p) && !c.Discloses(list[i]) {
			list[i], err = send(ctx, p)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// mayBeOfFront reports whether a connection was lost, or an answer is 5xx and was not waited for.
func mayBeOfFront(ex *exchange.Exchange) bool {
	lost := ex.Fault != nil && ex.Fault.Kind == exchange.Transport
	return lost || ex.Status/100 == 5 && !ex.Throttled()
}

// isFinding reports whether a judged probe was served: it is not sent again. What is only observed may be served.
func (c *Controls) isFinding(ex *exchange.Exchange) bool {
	return c.Judges(ex.Probe) && c.Discloses(ex)
}

// mayBeInterrupted reports whether a step is sent again, and after which wait, although the control after it was
// served. Several probes take so long that an interruption can begin and end among them: one was seen, or one probe
// had no answer. Bad tokens are not sent again for that.
func (c *Controls) mayBeInterrupted(step Step, list []*exchange.Exchange, begun time.Time, attempt int) (time.Duration,
	bool) {
	switch {
	case len(step) < 2 || step.mayLockOut() || slices.ContainsFunc(list, c.isFinding):
		return 0, false
	case c.interruptedSince(begun):
		return c.Waits[0], attempt < throttledAttempts
	}
	return 0, attempt < attempts && slices.ContainsFunc(list, hadNoAnswer)
}

func hadNoAnswer(ex *exchange.Exchange) bool { return !ex.Answered() || ex.Throttled() }

// between returns what the controls around a probe showed.
func between(before, after answer) *exchange.Control {
	if before.served && !after.served {
		before = after
	}
	return &exchange.Control{Served: before.served, Answer: before.ex}
}

// Between returns what the controls before and after a probe showed, as evidence has them.
func Between(before, after *exchange.Exchange, served func(*exchange.Exchange) bool) *exchange.Control {
	return between(answer{before, served(before)}, answer{after, served(after)})
}
