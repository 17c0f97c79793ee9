package evidence

import (
	"context"
	"errors"
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
)

// Answers are those of one version, kept to be compared with those of another later.
type Answers struct{ byCall map[call]*Entry }

// call is one of the identical requests for a user, whatever the users file said of the user.
type call struct {
	operation schemas.Operation
	user      string
	round     int
}

func callOf(p exchange.Probe) call { return call{p.Operation, p.User.Key(), p.Round} }

// AnswersOf returns the answers of a version to its well-formed requests, and what is known of their run.
func (e *Evidence) AnswersOf(v schemas.Version, contract *schemas.Contract) (*Answers, exchange.Recorded, error) {
	facts := exchange.Recorded{Digest: e.digest, Target: e.Record.Settings.Target[v], Contract: e.Record.Contract,
		Users: int64(len(e.Settings.Users)), Started: e.Record.Started, Finished: e.Record.Finished}
	subject := e.Settings.Subject
	facts.Subject = (&report.Subject{Product: subject.Product, Version: subject.Version, Build: subject.Build,
		Owner: subject.Owner}).String()
	a := &Answers{map[call]*Entry{}}
	for p, i := range e.last {
		switch {
		case p.Version != v || !p.WellFormed() || p.Control:
		case judgeable(e.all[i]):
			a.byCall[callOf(p)] = e.all[i]
		default:
			facts.Withheld++
		}
	}
	switch {
	case len(a.byCall) == 0:
		return nil, facts, fmt.Errorf("the evidence has no answer of %s: name the report folder of a run that asked "+
			"it", v)
	case e.Settings.Recorded[v] != nil:
		return nil, facts, fmt.Errorf("%s was read from a record there, too: name that (%s)", v,
			e.Settings.Recorded[v].From)
	case e.Record.Error != nil:
		return nil, facts, errors.New("its run was not carried out to its end, so not every answer is there: name " +
			"the report folder of a run that was")
	case !contract.Is(e.Record.Contract):
		return nil, facts, fmt.Errorf("was recorded by another contract (%s) than that of this suite: compare with "+
			"the release of the suite that recorded it", e.Record.Contract)
	}
	return a, facts, nil
}

// Do returns the recorded answer to a probe. The error wraps exchange.ErrNotRecorded if there is none whose body was
// kept, to be compared.
func (a *Answers) Do(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	k := a.byCall[callOf(p)]
	if k == nil {
		return nil, fmt.Errorf("%s: %w", p.ID, exchange.ErrNotRecorded)
	}
	ex := k.Exchange
	ex.Probe = p
	return &ex, nil
}
