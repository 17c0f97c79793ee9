package sweep

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Refused is the error of a sweep whose target refuses its settings. To start it again changes nothing.
type Refused struct{ error }

// Unwrap returns the error in words.
func (r Refused) Unwrap() error { return r.error }

// IsRefused reports whether a sweep ended because the target refuses its settings or, from some time on, turns its
// caller away (401, 403).
func IsRefused(err error) bool {
	_, refused := errors.AsType[Refused](err)
	later, ok := errors.AsType[*asker.Refusal](err)
	return refused || ok && (later.Last.Status == http.StatusUnauthorized || later.Last.Status == http.StatusForbidden)
}

// askFirst asks each version, before anything else is sent, for the first users, wherever these come from (J19, J22).
// Every shard asks for the same users.
func (s *Sweep) askFirst(ctx context.Context) (err error) {
	s.given, err = s.asker.AskFirst(ctx, func(n int) (asker.First, bool) {
		u, ok := s.source.first(n)
		first := asker.First{Probes: map[schemas.Version]exchange.Probe{}, Enrolled: u.EnrolledGiven}
		order := slices.DeleteFunc(orderFor(s.pair, u.Index), s.isRecorded)
		before := len(order) * slices.Index(operationsFor(u.Index), schemas.GetUserAuth)
		for i, v := range order {
			first.Probes[v] = exchange.Probe{ID: exchangeID(u.Index, before+i+1, 1), Operation: schemas.GetUserAuth,
				Version: v, Segment: string(v), User: u.User, Position: int(u.Index) + 1, Round: 1}
		}
		return first, ok
	}, s.Settings.Asked(), "user")
	given, refused := errors.AsType[*asker.Refused](err)
	if !refused || given.First.Status/100 == 5 || given.First.Status == http.StatusTooManyRequests {
		return err // it may serve when the sweep is started again
	}
	return Refused{given.Err}
}
