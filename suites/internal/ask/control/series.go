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

// Step is what is sent between two controls: one probe that is judged, after some that are only observed, or only such;
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
	Add func(*exchange.Exchange) error
	// AddControl gets the answer to each control.
	AddControl func(*exchange.Exchange) error
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
			err = a.AddControl(control.ex)
		}
		return control, err
	}
	before, err := ask(t.Controls[0])
	if err == nil && c.refuses(before.ex) && c.lockedOut.Load() == nil {
		before, err = c.recover(ctx, t.Controls[0], before.ex, before.ex.Started)
	}
	for i, step := range t.Steps {
		if err != nil {
			return err
		}
		after, next := before, before
		exchanges := make([]*exchange.Exchange, len(step))
		if !c.refuses(before.ex) {
			exchanges, before, after, next, err = c.askStep(ctx, step, a.Send, func() (answer, error) {
				return ask(t.Controls[i+1])
			}, before)
			if refusal := (*Refusal)(nil); errors.As(err, &refusal) && step.mayLockOut() {
				c.lockedOut.Store(refusal.Last)
				next, err = answer{ex: refusal.Last}, nil
			}
			if err != nil {
				return err
			}
		}
		for j, ex := range exchanges {
			if ex == nil {
				ex = &exchange.Exchange{Probe: step[j]}
			}
			ex.Control = between(before, after)
			if err := a.Add(ex); err != nil {
				return err
			}
		}
		before = next
	}
	return err
}

// askStep sends a step and the control after it. It returns the exchanges, the answers to the controls around them, and
// that after which the next step is sent. Several probes take so long that an interruption can begin and end among
// them: they are sent once more if one was seen meanwhile, or one of them had no answer, but bad tokens are not. Once a
// control was refused, the judged probe, the last one, is sent twice in a row: of nodes that answer in turn, of which
// one is lost, another one gets it, too.
func (c *Controls) askStep(ctx context.Context, step Step,
	send func(context.Context, exchange.Probe) (*exchange.Exchange, error), ask func() (answer, error),
	before answer) (list []*exchange.Exchange, first, after, next answer, err error) {
	for attempt := 1; ; attempt++ {
		begun := time.Now()
		list = make([]*exchange.Exchange, len(step))
		for i, p := range step {
			if list[i], err = send(ctx, p); err != nil {
				return nil, before, after, after, err
			}
		}
		if last := len(step) - 1; last >= 0 && c.shaken.Load() && !c.Discloses(list[last]) {
			if list[last], err = send(ctx, step[last]); err != nil {
				return nil, before, after, after, err
			}
		}
		after, err = ask()
		if err == nil && !c.refuses(after.ex) && len(step) > 1 && !step.mayLockOut() {
			interrupted := c.interruptedSince(begun)
			if interrupted && attempt < throttledAttempts {
				err = sleep(ctx, c.Waits[0])
			}
			if err == nil && (interrupted && attempt < throttledAttempts ||
				attempt < attempts && slices.ContainsFunc(list, hadNoAnswer)) {
				before = after
				continue
			}
		}
		if err != nil || !c.refuses(after.ex) {
			return list, before, after, after, err
		}
		next, err = c.recover(ctx, Of(after.ex.Probe), after.ex, begun)
		most := attempts
		if after.ex.Throttled() {
			most = throttledAttempts
		}
		if err != nil || attempt == most || slices.ContainsFunc(list, c.Discloses) {
			return list, before, after, next, err
		}
		// Each time one more control, so that a target that throttles every third request throttles another one now.
		before = next
		for range attempt {
			if before, err = c.ask(ctx, Of(after.ex.Probe)); err == nil && c.refuses(before.ex) {
				before, err = c.recover(ctx, Of(before.ex.Probe), before.ex, before.ex.Started)
			}
			if err != nil {
				return list, before, after, next, err
			}
		}
	}
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
