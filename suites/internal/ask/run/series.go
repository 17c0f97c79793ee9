package run

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
)

// newControls returns the controls of a run (J23).
func (r *Run) newControls() *control.Controls {
	return control.New(r.Settings.Versions, control.Options{
		Send:        r.sender.Do,
		Refused:     r.reading.Guard(r.Suite.MayBeRefused),
		Served:      r.reading.Guard(r.Suite.Serves),
		Judges:      r.Suite.Judges,
		Discloses:   r.reading.Guard(r.Suite.Discloses),
		Renew:       r.Client.Renew,
		Waits:       r.Waits,
		Concurrency: r.Settings.Concurrency,
		Alone:       control.DefaultAlone,
		Errors:      r.Client,
		Again:       "run again",
	})
}

// slowAnswer is after which time an answer counts as slow.
const slowAnswer = time.Second

// sendAll sends probes that should be refused, in turn with controls (J23), and judges the answers. A series begins
// when the one before it has ended: the two probes of a requirement have a distance in requests. If an answer of that
// one is slow, it begins at once, up to sideBySide series: a target that drops such probes takes a timeout for each.
func (r *Run) sendAll(ctx context.Context, list []*control.Series, sideBySide int) error {
	if !r.live {
		return r.judgeSeries(ctx, list)
	}
	r.Client.KeepNone()
	next, begin := each(list), make(chan struct{}, len(list)+1)
	begin <- struct{}{}
	return engine.Ordered[*control.Series, []*spec.Judgement]{Workers: sideBySide, Backlog: len(list) + 1,
		Next: func(ctx context.Context) (*control.Series, error) {
			select {
			case <-begin:
				return next(ctx)
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		Do: func(ctx context.Context, t *control.Series) ([]*spec.Judgement, error) {
			another := sync.OnceFunc(func() { begin <- struct{}{} })
			defer another()
			return r.sendSeries(ctx, t, func(ex *exchange.Exchange) {
				if ex.Duration > slowAnswer {
					another()
				}
			})
		},
		Collector: func(_ context.Context, _ *control.Series, judgements []*spec.Judgement) error {
			return r.addSeries(judgements)
		}}.Run(ctx)
}

// sendSeries sends the probes of one operation and version, and returns what they and their controls show. answered
// gets each answer.
func (r *Run) sendSeries(ctx context.Context, t *control.Series, answered func(*exchange.Exchange)) (
	list []*spec.Judgement, err error) {
	send := func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
		turn := &turn{run: r}
		defer turn.end(&reading{})
		ex, err := turn.send(ctx, p)
		if err == nil {
			answered(ex)
		}
		return ex, err
	}
	err = r.controls.Ask(ctx, t, control.Asker{Send: send,
		Add: func(ex *exchange.Exchange) { list = append(list, r.judgeRefusal(ex)) },
		AddControl: func(ex *exchange.Exchange) {
			r.progress()
			list = r.judgeControl(list, ex)
		},
	})
	return list, err
}

// judgeSeries judges again what a past run was answered to the probes that should be refused, between the controls that
// its evidence has.
func (r *Run) judgeSeries(ctx context.Context, list []*control.Series) error {
	for _, t := range list {
		for _, p := range t.Probes() {
			if p.Control {
				continue
			}
			ex, err := r.receive(ctx, p)
			switch {
			case err != nil:
				return err
			case ex == nil:
				r.Ledger.NoteMissing(p)
				continue
			}
			before, after := r.around(p)
			if before != nil && before.Partial() || after != nil && after.Partial() {
				r.Ledger.NoteMissing(p) // whether the control was served is not known
				continue
			}
			if before != nil && after != nil {
				ex.Control = control.Between(before, after, r.Suite.Serves)
			}
			var judgements []*spec.Judgement
			for _, c := range []*exchange.Exchange{before, after} {
				if c != nil && r.isPlanned(c) {
					judgements = r.judgeControl(judgements, c)
				}
			}
			if err := r.addSeries(append(judgements, r.judgeRefusal(ex))); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSeries adds what probes and controls show to the ledger. Of a control only findings count that the same requests
// did not have before.
func (r *Run) addSeries(judgements []*spec.Judgement) error {
	for _, j := range judgements {
		if p := j.Answer.Exchange.Probe; p.Control {
			j.KeepFindings(func(id string, c check.Cause) bool {
				return !r.Ledger.HasCause(ledger.Key{ID: id, Version: p.Version}, c)
			})
		}
		if err := r.Ledger.Add(j); err != nil {
			return err
		}
	}
	return nil
}

// isPlanned reports whether a control was one of a series, and not asked because of a refusal.
func (r *Run) isPlanned(ex *exchange.Exchange) bool { return strings.HasPrefix(ex.Probe.ID, "e") }

// judgeRefusal judges the answer to a probe that should be refused, and frees it and those to its controls.
func (r *Run) judgeRefusal(ex *exchange.Exchange) *spec.Judgement {
	j := r.judgeInTurn(ex)
	ex.Body, ex.Control = nil, nil
	return j
}

// judgeControl appends what a control shows to a list, if it has findings. What was served has been judged before, so
// that only other answers count. What does not serve is no finding, as it says nothing about who answered.
func (r *Run) judgeControl(list []*spec.Judgement, ex *exchange.Exchange) []*spec.Judgement {
	if !ex.Answered() || !r.isNew(ex) || !r.reading.Guard(r.Suite.Serves)(ex) {
		return list
	}
	if j := r.judgeInTurn(ex); j.HasFindings() {
		return append(list, j)
	}
	return list
}

// judgeInTurn judges an answer and frees its values, but only one large one at a time (J20).
func (r *Run) judgeInTurn(ex *exchange.Exchange) (j *spec.Judgement) {
	r.reading.Guard(func(ex *exchange.Exchange) bool {
		j = r.Suite.Judge(ex)
		j.Answer.Drop()
		return true
	})(ex)
	return j
}

// judged is an answer to a well-formed request that was judged.
type judged struct {
	user      exchange.User
	operation schemas.Operation
	version   schemas.Version
	answer    [sha256.Size]byte
}

// isNew reports whether no equal answer to the same request was judged before.
func (r *Run) isNew(ex *exchange.Exchange) bool {
	_, known := r.judged.LoadOrStore(judged{ex.Probe.User, ex.Probe.Operation, ex.Probe.Version, ex.AnswerDigest()},
		true)
	return !known
}
