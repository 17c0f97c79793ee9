package sweep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
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
	var refused Refused
	var later *control.Refusal
	return errors.As(err, &refused) || errors.As(err, &later) && (later.Last.Status == http.StatusUnauthorized ||
		later.Last.Status == http.StatusForbidden)
}

// askFirst asks each version, before anything else is sent, for the first users of the population, until one is not
// refused. If a version refuses all of them by the look of its answers, settings are more likely wrong than the service
// (J19, J22). Every shard asks for the same users.
func (s *Sweep) askFirst(ctx context.Context) error {
	if s.asked != nil {
		return nil
	}
	s.asked = map[exchange.Probe]*exchange.Exchange{}
	refused, serving := map[schemas.Version][]*exchange.Exchange{}, []schemas.Version{}
	for _, v := range s.check.asked() {
		answers, err := s.askVersion(ctx, v)
		if err != nil {
			return err
		}
		if answers == nil {
			serving = append(serving, v)
			continue
		}
		refused[v] = answers
	}
	for _, v := range s.check.asked() {
		if len(refused[v]) > 0 {
			return Refused{s.refused(v, refused[v], serving)}
		}
	}
	return nil
}

// askVersion returns the answers of a version to the first users, or nil if one of them is no refusal.
func (s *Sweep) askVersion(ctx context.Context, v schemas.Version) ([]*exchange.Exchange, error) {
	var answers []*exchange.Exchange
	for i := range firstUsers {
		u, ok := s.source.first(i)
		if !ok {
			break
		}
		p := exchange.Probe{Operation: schemas.GetUserAuth, Version: v, Segment: string(v), User: u.User, Line: int(u.Index) + 1,
			Round: 1}
		order := slices.DeleteFunc(orderFor(s.check.pair, u.Index), s.check.isRecorded)
		p.ID = exchangeID(u.Index, slices.Index(order, v)+1)
		ex, err := s.send(ctx, p)
		if err != nil {
			return nil, err
		}
		s.asked[p] = ex
		if !ex.Answered() || !s.check.suite.LooksRefused(ex) || s.mayBeRefused(ex) {
			return nil, nil
		}
		answers = append(answers, ex)
	}
	return answers, nil
}

// mayBeRefused reports whether an answer may be a finding of before, in a sweep of those for whom something was found:
// any but one that turns the caller away.
func (s *Sweep) mayBeRefused(ex *exchange.Exchange) bool {
	return s.lastFailed != nil && ex.Status != http.StatusUnauthorized && ex.Status != http.StatusForbidden
}

// takeAsked returns the answer to a request that was sent before the sweep began, or nil.
func (s *Sweep) takeAsked(p exchange.Probe) *exchange.Exchange {
	s.askedMu.Lock()
	defer s.askedMu.Unlock()
	ex := s.asked[p]
	delete(s.asked, p)
	return ex
}

// refused returns the error of a version that refused the first users.
func (s *Sweep) refused(v schemas.Version, answers []*exchange.Exchange, serving []schemas.Version) error {
	var statuses []string
	nothing := false
	for _, ex := range answers {
		statuses = append(statuses, fmt.Sprintf("%03d", ex.Status))
		nothing = nothing || isEmptyAnswer(ex)
	}
	first := answers[0]
	check := s.Client.ToCheck("", first.Status)
	if len(serving) > 0 {
		check = fmt.Sprintf("%s serves them, so the settings of %s: %s", schemas.Named(serving), v,
			s.Client.ToCheck(v, first.Status))
	}
	if nothing {
		check += "; if these users have no authenticators, mark them enrolled: false in the users file, or list " +
			"others first"
	}
	return fmt.Errorf("%s refuses everybody: none of the first %s was served by getUserAuth (%s), so nothing else was "+
		"sent; %s to %s got %w; check, in this order: %s", v, wording.Count(int64(len(answers)), "user"),
		strings.Join(statuses, ", "), first.Probe.ID, s.Client.DisplayBase(v)+first.Probe.Path(),
		exchange.Summary(first), check)
}
