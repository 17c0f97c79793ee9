package asker

import (
	"context"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/wording"
)

// maxInterrupted is how often the calls of a user are interrupted until the user is the cause.
const maxInterrupted = 3

// Read asks the well-formed requests for one user and operation, one after the other, and returns the answers that
// count (J23 b). given are answers that came before, by the probe. If the target refuses everybody meanwhile, and
// serves again, all are asked again.
func (a *Asker) Read(ctx context.Context, probes []exchange.Probe, given map[string]*exchange.Exchange) (
	[]*exchange.Exchange, error) {
	for interrupted := 0; ; interrupted++ {
		calls, again, err := a.readOnce(ctx, probes, given, interrupted == maxInterrupted)
		if !again {
			return calls, err
		}
		given = nil
	}
}

// readOnce asks the requests, until the target refuses everybody. isCause is true for a user who is the cause of that.
// A refusal that was believed of a version is not asked about again.
func (a *Asker) readOnce(ctx context.Context, probes []exchange.Probe, given map[string]*exchange.Exchange,
	isCause bool) (calls []*exchange.Exchange, again bool, err error) {
	believed := map[schemas.Version]*exchange.Exchange{}
	var read *exchange.Exchange // the last answer that was read, which takes as long as to judge it
	serves := false
	for _, p := range probes {
		ex := given[p.ID]
		if ex == nil {
			if ex, err = a.Ask(ctx, p); err != nil {
				return nil, false, err
			}
			if err = a.noteSilence(ex); err != nil {
				return nil, false, err
			}
		}
		if known := believed[p.Version]; !doubts(a.Suite, ex) || known != nil && known.SameAnswer(ex) {
			if read == nil || !a.Suite.ReadsAlike(read, ex) {
				read, serves = ex, a.Suite.Serves(ex)
			}
			if serves {
				a.Served(p, ex.Ended())
			}
			calls = append(calls, ex)
			continue
		}
		switch end, err := a.Believe(ctx, ex); {
		case err != nil:
			return nil, false, err
		case end == Recovered && !isCause:
			return nil, true, nil
		case end == Serves:
			second, err := a.Ask(ctx, Second(p))
			if err != nil {
				return nil, false, err
			}
			believed[p.Version] = second
			calls = append(calls, Counting(a.Suite, ex, second)...)
		default:
			calls = append(calls, ex)
		}
	}
	return calls, false, nil
}

// refuses reports whether the answer to a well-formed request refuses it by its look, or there is none (J23).
func refuses(suite *spec.Suite, ex *exchange.Exchange) bool {
	return !ex.Answered() || ex.Throttled() || suite.MayBeRefused(ex)
}

// doubts reports whether the answer to a well-formed request is asked about (J23). There are many ways to say that a
// user who is marked enrolled: false has nothing (J1).
func doubts(suite *spec.Suite, ex *exchange.Exchange) bool {
	return refuses(suite, ex) && (ex.Probe.User.Enrolled || !suite.SaysNothing(ex))
}

// Second returns the probe that asks again for a user who was refused while others were served.
func Second(p exchange.Probe) exchange.Probe {
	p.ID, p.Again = p.ID+".2", true
	return p
}

// Counting returns which of two answers to the same request count: the second one if it is refused again, else both. An
// empty list is an answer (J10): what came before it counts, too.
func Counting(suite *spec.Suite, first, second *exchange.Exchange) []*exchange.Exchange {
	if doubts(suite, second) && first.IsEmptyList() == second.IsEmptyList() {
		return []*exchange.Exchange{second}
	}
	return []*exchange.Exchange{first, second}
}

// Firsts returns the first request to a version for the n-th of the users who are asked first, from 0, and whether it
// is known that the user is enrolled. ok is false if there is no such user.
type Firsts func(n int, v schemas.Version) (p exchange.Probe, enrolled, ok bool)

// The first five users are asked first, or up to twenty if all answers say that there is nothing, and it is not known
// whether these users are enrolled (J19, J22).
const (
	FirstUsers    = 5
	FirstUnmarked = 20
)

// AskFirst asks each version for the first users, until an answer does not refuse by its look, and returns the answers
// by the id of their probe. If a version refuses all of them, settings are more likely wrong than the service: that is
// a *Refused. called is what one of the users is called.
func (a *Asker) AskFirst(ctx context.Context, users Firsts, versions []schemas.Version, called string) (
	map[string]*exchange.Exchange, error) {
	given, most := map[string]*exchange.Exchange{}, 0
	var serving []schemas.Version
	var refusals []*exchange.Exchange
	for _, v := range versions {
		refused, serves, err := a.askVersion(ctx, users, v, given)
		if err != nil {
			return given, err
		}
		if serves {
			serving = append(serving, v)
		}
		refusals, most = append(refusals, refused...), max(most, len(refused))
	}
	if len(refusals) == 0 {
		return given, nil
	}
	return given, &Refused{refusals[0],
		a.Client.Refused(refusals, wording.Count(most, called), len(versions), serving)}
}

// askVersion asks a version for the first users. There are no refusals if an answer was none.
func (a *Asker) askVersion(ctx context.Context, users Firsts, v schemas.Version,
	given map[string]*exchange.Exchange) (refused []*exchange.Exchange, serves bool, err error) {
	mayBeEmpty, silent := true, false
	for i := 0; i < FirstUsers || mayBeEmpty && i < FirstUnmarked; i++ {
		p, enrolled, ok := users(i, v)
		if !ok {
			break
		}
		ex, err := a.Ask(ctx, p)
		if err == nil {
			err = a.noteSilence(ex)
		}
		if err != nil {
			return nil, false, err
		}
		given[p.ID] = ex
		if !ex.Answered() {
			silent = true // it says nothing about the settings
			continue
		}
		if !a.Suite.LooksRefused(ex) {
			if serves = a.Suite.Serves(ex); serves {
				a.Served(p, ex.Ended())
			}
			return nil, serves, nil
		}
		refused = append(refused, ex)
		mayBeEmpty = mayBeEmpty && !enrolled && a.Suite.SaysNothing(ex)
	}
	if silent {
		refused = nil
	}
	return refused, false, nil
}

// Refused is the error of a target that refuses the first users.
type Refused struct {
	First *exchange.Exchange // the first answer
	Err   error              // what happened, in words
}

func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the error in words.
func (r *Refused) Unwrap() error { return r.Err }
