package asker

import (
	"context"
	"errors"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Series are probes that should be refused, of one operation and version, with the controls between which they go:
// control, step, control, step, …, control (J23).
type Series struct {
	Steps    []Step
	Controls []exchange.Probe // one before each step, and one after the last
}

// Step is what is sent between two controls: a probe that is judged, twice in a row; or those with a bad token, or that
// are only observed, once each.
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

// Answers are what a step of a series was answered.
type Answers struct {
	// Refusals have one exchange for each probe, with what the controls around it showed. A probe that was not sent, as
	// the target refuses everybody, has one without an answer.
	Refusals []*exchange.Exchange
	Controls []*exchange.Control // in the order sent
}

// Last returns the last control.
func (s *Answers) Last() *exchange.Control { return s.Controls[len(s.Controls)-1] }

// ControlOf returns what the answer to a control shows. earlier is a control of the same user, or nil: an answer that
// equals its answer is not decoded again.
func ControlOf(suite *spec.Suite, ex *exchange.Exchange, earlier *exchange.Control) *exchange.Control {
	if earlier != nil && earlier.Answer.SameAnswer(ex) {
		return &exchange.Control{Served: earlier.Served, Answer: ex}
	}
	return &exchange.Control{Served: suite.Serves(ex), Answer: ex}
}

// AskStep sends a step between two controls, of which before is the answer to the first one; nil: it was not asked yet,
// and there is no step (J23 a). If the control after it is refused, and served again, the step is sent once more. If it
// stays refused after a bad token, that may be a lockout: nothing else is sent. After any other probe it is an error. A
// step with a finding is not sent again. own are the GUIDs that only the probes' user was served (J13). The last
// control is the one before the next step.
func (a *Asker) AskStep(ctx context.Context, before *exchange.Control, step Step, control exchange.Probe,
	own map[string]bool) (answers Answers, err error) {
	if before != nil && refuses(a.Suite, before.Answer) {
		for _, p := range step {
			answers.Refusals = append(answers.Refusals, &exchange.Exchange{Probe: p, Control: before})
		}
		answers.Controls = append(answers.Controls, before)
		return answers, nil
	}
	for sent := 1; ; sent++ {
		list, err := a.sendStep(ctx, step, own)
		if err != nil {
			return answers, err
		}
		after, end, err := a.askAround(ctx, control, before, &answers)
		if _, gone := errors.AsType[*Refusal](err); gone && step.mayLockOut() {
			a.lockedOut, err = true, nil
		}
		if err != nil {
			return answers, err
		}
		if len(step) == 0 || end == Open || end == Gone || sent == maxSent || slices.ContainsFunc(list, a.isFinding) {
			for _, ex := range list {
				ex.Control = Between(before, after)
			}
			answers.Refusals = list
			return answers, nil
		}
		before = answers.Last()
		a.gate.change(Pace.Repeating)
	}
}

// maxSent is how often a step is sent whose control is refused.
const maxSent = 2

// askAround asks a control. If it is refused, it is asked again until it is served: end says what that showed. Else end
// is Open. first is its first answer; earlier is the control before it.
func (a *Asker) askAround(ctx context.Context, p exchange.Probe, earlier *exchange.Control, answers *Answers) (
	first *exchange.Control, end End, err error) {
	ex, err := a.askControl(ctx, p)
	if err != nil {
		return nil, Open, err
	}
	first = ControlOf(a.Suite, ex, earlier)
	answers.Controls = append(answers.Controls, first)
	if !refuses(a.Suite, ex) || a.lockedOut {
		return first, Open, nil
	}
	again := Of(p)
	end, err = a.settle(ctx, serviceOf(p), Timeline{}.With(ex, false), &again,
		func(ex *exchange.Exchange) {
			answers.Controls = append(answers.Controls, ControlOf(a.Suite, ex, earlier))
		})
	return first, end, err
}

// isFinding reports whether a judged probe was served. What is only observed may be served.
func (a *Asker) isFinding(ex *exchange.Exchange) bool {
	return a.Suite.Judges(ex.Probe) && a.Suite.Discloses(ex)
}

// sendStep sends the probes of a step. The second one goes over the other one of two connections, so that of two nodes
// which get connections in turn both get one (J13). The first one goes over that of the control: who checks a token
// only once for each connection serves it there.
func (a *Asker) sendStep(ctx context.Context, step Step, own map[string]bool) (list []*exchange.Exchange, err error) {
	for i, p := range step {
		if i == 1 && a.Suite.Judges(p) {
			a.Client.Alternate()
		}
		ex, err := a.ask(ctx, p, own)
		if err != nil {
			return nil, err
		}
		list = append(list, ex)
	}
	return list, nil
}

// Between returns what the controls before and after a probe showed; nil if there was none.
func Between(before, after *exchange.Control) *exchange.Control {
	if before == nil || after == nil {
		return nil
	}
	if before.Served && !after.Served {
		return after
	}
	return before
}
