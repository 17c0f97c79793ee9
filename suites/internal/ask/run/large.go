package run

import (
	"bytes"
	"context"

	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// A hostile target may answer every request with as much as the suite reads. A decoded body can take sixty times the
// memory of its text. So large answers go one user after the other: those of one user are judged, compared and, if they
// differ, asked for again, and their bodies are freed, before those of the next are judged (J20). The values of any but
// short answers are freed as soon as these are judged; they are decoded again to be compared.
const (
	large     = engine.Large
	short     = 16 << 10
	maxAtRest = 64 << 20 // of bodies that wait for repeated requests, which are not large
)

// turn sends and judges the requests of one sequence, or a single one.
type turn struct {
	run   *Run
	slot  bool // it holds a slot of the concurrency
	large bool // a large answer came, and it is this turn's time to judge
}

// send sends one probe as soon as the concurrency allows. The exchange is nil if a run is judged again and its evidence
// does not keep it. From the first large answer on the slot is held, so that no more large bodies wait to be judged
// than requests may be in flight.
func (t *turn) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if !t.slot {
		if err := t.run.slots.Acquire(ctx, 1); err != nil {
			return nil, context.Cause(ctx)
		}
		t.slot = true
	}
	ex, err := t.run.receive(ctx, p)
	if ex != nil && p.WellFormed() {
		t.run.isNew(ex)
	}
	switch {
	case t.large:
	case ex != nil && len(ex.Body) > large:
		if err := t.run.turns.Acquire(ctx, 1); err != nil {
			return nil, context.Cause(ctx)
		}
		t.large = true
	default:
		t.run.slots.Release(1)
		t.slot = false
	}
	return ex, err
}

// judge judges an answer.
func (t *turn) judge(ex *exchange.Exchange) *spec.Judgement {
	j := t.run.Suite.Judge(ex)
	if len(ex.Body) > short {
		j.Answer.Drop()
	}
	return j
}

// engine returns the run's engine, which sends and judges in this turn.
func (t *turn) engine() *engine.Engine {
	e := *t.run.engine
	e.Send, e.Judge = t.send, t.judge
	return &e
}

// end lets others go on. It frees what was decoded and, unless it waits to be compared with more, what came, except for
// the beginning: that may be needed for a message.
func (t *turn) end(read *reading) {
	for _, j := range read.Judgements {
		j.Answer.Drop()
		if ex := j.Answer.Exchange; len(ex.Body) > short && !read.waits {
			ex.Size, ex.Withheld = ex.Length(), ex.Unkept()
			ex.Body = bytes.ToValidUTF8(ex.Body[:short], nil)
		}
	}
	if t.large {
		t.run.turns.Release(1)
	}
	if t.slot {
		t.run.slots.Release(1)
	}
}
