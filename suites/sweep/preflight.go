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

// IsRefused reports whether a sweep ended because the target refuses its settings or, from some time on, turns its
// caller away (401, 403): to start it again changes nothing. With 5xx or 429 it may serve then.
func IsRefused(err error) bool {
	if refused, ok := errors.AsType[*asker.Refused](err); ok {
		return refused.First.Status/100 != 5 && refused.First.Status != http.StatusTooManyRequests
	}
	later, ok := errors.AsType[*asker.Refusal](err)
	return ok && (later.Last.Status == http.StatusUnauthorized || later.Last.Status == http.StatusForbidden)
}

// askFirst asks each version, before anything else is sent, for the first users, wherever these come from (J19, J22).
// Every shard asks for the same users.
func (s *Sweep) askFirst(ctx context.Context) (err error) {
	s.given, err = s.asker.AskFirst(ctx, func(n int, v schemas.Version) (p exchange.Probe, enrolled, ok bool) {
		u, ok := s.source.first(n)
		order := slices.DeleteFunc(orderFor(s.pair, u.Index), s.isRecorded)
		before := len(order)*slices.Index(operationsFor(u.Index), schemas.GetUserAuth) + slices.Index(order, v)
		p = probeOf(u, schemas.GetUserAuth, v)
		p.ID, p.Round = exchangeID(u.Index, before+1, 1), 1
		return p, u.EnrolledGiven, ok
	}, s.Settings.Asked(), "user")
	return err
}
