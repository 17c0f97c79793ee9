package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
)

// sendAll sends probes that should be refused, in turn with controls (J23), and judges the answers.
func (r *Run) sendAll(ctx context.Context, list []*asker.Series) error {
	var sent []string
	for _, t := range r.Settings.Targets {
		sent = append(sent, t.ApplicationID, t.AccessToken)
	}
	for _, t := range list {
		own := r.reader.Owners.Own(t.Controls[0].User, sent...)
		var err error
		if r.live != nil {
			err = r.sendSeries(ctx, t, own)
		} else {
			err = r.judgeSeries(ctx, t, own)
		}
		if errors.Is(err, client.ErrDeadline) {
			return fmt.Errorf("%w; what should be refused can be left out: label filter !%s, or !%s", err,
				schemas.Negative, schemas.AuthFailure)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sendSeries sends the probes of one operation and version, and judges what they and their controls show.
func (r *Run) sendSeries(ctx context.Context, t *asker.Series, own map[string]bool) error {
	r.reconnect()
	before, err := r.live.AskStep(ctx, nil, nil, t.Controls[0], own)
	r.progress(1)
	for i, step := range t.Steps {
		if err != nil {
			return err
		}
		var answers asker.Answers
		if answers, err = r.live.AskStep(ctx, before.Last(), step, t.Controls[i+1], own); err != nil {
			return err
		}
		r.progress(len(step) + 1)
		var judgements []*spec.Judgement
		for _, c := range slices.Concat(before.Controls, answers.Controls) {
			judgements = r.judgeControl(judgements, c)
		}
		for _, ex := range answers.Refusals {
			judgements = append(judgements, r.judgeRefusal(ex, own))
		}
		if err = r.addSeries(judgements); err != nil {
			return err
		}
		before = answers
	}
	return err
}

// judgeSeries judges again what a past run was answered to the probes that should be refused, between the controls that
// its evidence has.
func (r *Run) judgeSeries(ctx context.Context, t *asker.Series, own map[string]bool) error {
	lacksReads := slices.ContainsFunc(r.Ledger.Missing, exchange.Probe.WellFormed)
	for _, p := range t.Probes() {
		if p.Control {
			continue
		}
		ex, err := r.source.once(ctx, p)
		switch {
		case err != nil:
			return err
		case ex == nil:
			r.Ledger.NoteMissing(p)
			continue
		}
		var controls [2]*exchange.Control
		before, after := r.earlier.Evidence.Around(p)
		for i, answer := range []*exchange.Exchange{before, after} {
			if answer != nil && !answer.Partial() {
				controls[i] = asker.ControlOf(r.Suite, answer, controls[0])
			}
		}
		if before != nil && controls[0] == nil || after != nil && controls[1] == nil {
			r.Ledger.NoteMissing(p) // whether the control was served is not known
			continue
		}
		ex.Control = asker.Between(controls[0], controls[1])
		var judgements []*spec.Judgement
		for _, c := range controls {
			if c != nil && isPlanned(c.Answer) {
				judgements = r.judgeControl(judgements, c)
			}
		}
		if refusal := r.judgeRefusal(ex, own); lacksReads && refusal.Answer.DisclosesOnlyOwn() {
			r.Ledger.NoteMissing(p) // another user may have been served the same
		} else {
			judgements = append(judgements, refusal)
		}
		if err := r.addSeries(judgements); err != nil {
			return err
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
func isPlanned(ex *exchange.Exchange) bool { return strings.HasPrefix(ex.Probe.ID, "e") }

// judgeRefusal judges the answer to a probe that should be refused, and frees it and those to its controls.
func (r *Run) judgeRefusal(ex *exchange.Exchange, own map[string]bool) *spec.Judgement {
	ex.Own = own
	j := r.Suite.Judge(ex)
	j.Answer.Drop()
	ex.Body, ex.Control = nil, nil
	return j
}

// judgeControl appends what a control shows to a list, if it has findings. What was served has been judged before, so
// that only other answers count. What does not serve is no finding, as it says nothing about who answered.
func (r *Run) judgeControl(list []*spec.Judgement, c *exchange.Control) []*spec.Judgement {
	if !c.Served || !r.isNew(c.Answer) {
		return list
	}
	j := r.Suite.Judge(c.Answer)
	j.Answer.Drop()
	if j.HasFindings() {
		list = append(list, j)
	}
	return list
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
	key := judged{ex.Probe.User, ex.Probe.Operation, ex.Probe.Version, ex.AnswerDigest()}
	known := r.judged[key]
	r.judged[key] = true
	return !known
}
