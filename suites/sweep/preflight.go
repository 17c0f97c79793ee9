package sweep

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
)

// firstUsers is for how many users of the population, not marked enrolled: false, getUserAuth is asked first.
const firstUsers = 5

// Refused is the error of a sweep whose target refuses its settings. To start it again changes nothing.
type Refused struct{ error }

// Unwrap returns the error in words.
func (r Refused) Unwrap() error { return r.error }

// IsRefused reports whether a sweep ended because the target refuses its settings or, from some time on, turns its
// caller away (401, 403).
func IsRefused(err error) bool {
	_, refused := errors.AsType[Refused](err)
	later, ok := errors.AsType[*control.Refusal](err)
	return refused || ok && (later.Last.Status == http.StatusUnauthorized || later.Last.Status == http.StatusForbidden)
}

// askFirst asks each version, before anything else is sent, for the first users of the population, until one is not
// refused. If a version refuses all of them by the look of its answers, settings are more likely wrong than the service
// (J19, J22). Every shard asks for the same users.
func (s *Sweep) askFirst(ctx context.Context) error {
	if s.asked != nil {
		return nil
	}
	s.asked = map[int64][]*exchange.Exchange{}
	var serving []schemas.Version
	refusals, versions := &requests.Refusals{}, s.Settings.Asked()
	for _, v := range versions {
		refused, served, err := s.askVersion(ctx, v)
		if err != nil {
			return err
		}
		if served {
			serving = append(serving, v)
		}
		for _, ex := range refused {
			refusals.Add(ex)
		}
	}
	if refusals.First == nil {
		return nil
	}
	users := wording.Count(len(s.source.firstUsers), "user")
	err := s.Client.Refused(refusals, users, len(versions), serving)
	if status := refusals.First.Status; status/100 == 5 || status == http.StatusTooManyRequests {
		return err // it may serve when the sweep is started again
	}
	return Refused{err}
}

// askVersion asks a version for the first users, until an answer is no refusal, and reports whether it was served.
// There are no refusals if there was such an answer.
func (s *Sweep) askVersion(ctx context.Context, v schemas.Version) (refused []*exchange.Exchange, served bool,
	err error) {
	for i := range firstUsers {
		u, ok := s.source.first(i)
		if !ok {
			break
		}
		p := exchange.Probe{Operation: schemas.GetUserAuth, Version: v, Segment: string(v), User: u.User,
			Position: int(u.Index) + 1, Round: 1}
		order := slices.DeleteFunc(orderFor(s.pair, u.Index), s.isRecorded)
		before := len(order) * slices.Index(operationsFor(u.Index), p.Operation)
		p.ID = exchangeID(u.Index, before+slices.Index(order, v)+1)
		ex, err := s.send(ctx, p)
		if err != nil {
			return nil, false, err
		}
		s.asked[u.Index] = append(s.asked[u.Index], ex)
		if !ex.Answered() || !s.suite.LooksRefused(ex) || s.mayBeRefused(ex) {
			return nil, s.controls.Served(ex), nil
		}
		refused = append(refused, ex)
	}
	return refused, false, nil
}

// mayBeRefused reports whether an answer may be a finding of before, in a sweep of those for whom something was found:
// any but one that turns the caller away.
func (s *Sweep) mayBeRefused(ex *exchange.Exchange) bool {
	return s.lastFailed != nil && ex.Status != http.StatusUnauthorized && ex.Status != http.StatusForbidden
}
