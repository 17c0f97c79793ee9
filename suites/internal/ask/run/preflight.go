package run

import (
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/wording"
)

// preflightUsers is for how many enrolled users requests are sent first. If the answers for all of them are refusals by
// their look, wrong settings are more likely than a wrong service. The run then ends (J19).
const preflightUsers = 5

// preflight collects, for each version, the answers to the well-formed requests for the first enrolled users.
type preflight struct {
	passed   chan struct{} // closed when each version gave an answer that is no refusal
	mu       sync.Mutex
	open     map[schemas.Version]bool // versions without such an answer
	versions map[schemas.Version]*firstAnswers
	users    map[exchange.User]bool
}

// firstAnswers are the answers of a version to the first enrolled users.
type firstAnswers struct {
	requests.Refusals
	faulted bool // to one request no answer came, so nothing is known
	served  bool
}

// preflightOperation is the operation whose answers are looked at: getUserAuth, or what a filter leaves.
func (r *Run) preflightOperation() schemas.Operation {
	if len(r.sends[schemas.GetUserAuth].versions) > 0 {
		return schemas.GetUserAuth
	}
	return schemas.FindByUserIDs
}

// preparePreflight notes which versions must show that they serve requests.
func (r *Run) preparePreflight() {
	r.preflight = preflight{passed: make(chan struct{}), open: map[schemas.Version]bool{},
		versions: map[schemas.Version]*firstAnswers{}, users: map[exchange.User]bool{}}
	for _, v := range r.sends[r.preflightOperation()].versions {
		if r.Settings.Recorded[v] != nil {
			continue // it is not asked
		}
		r.preflight.open[v] = true
		r.preflight.versions[v] = &firstAnswers{}
	}
}

// pass lets the requests for further users begin, once each version has given an answer that shows that the settings
// are right.
func (r *Run) pass(ex *exchange.Exchange) {
	p := ex.Probe
	if !p.User.Enrolled || p.Operation != r.preflightOperation() || !r.preflight.isOpen(p.Version) ||
		!ex.Answered() || r.Suite.LooksRefused(ex) {
		return
	}
	r.preflight.mu.Lock()
	defer r.preflight.mu.Unlock()
	if !r.preflight.open[p.Version] {
		return // another answer came meanwhile
	}
	if delete(r.preflight.open, p.Version); len(r.preflight.open) == 0 {
		close(r.preflight.passed)
	}
}

// isOpen reports whether a version gave only refusals so far.
func (p *preflight) isOpen(v schemas.Version) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[v]
}

// addPreflight adds the answers to the requests for one user. Those of a version that came are refusals by their look,
// or the version has passed.
func (r *Run) addPreflight(user exchange.User, op schemas.Operation, judgements []*spec.Judgement) {
	p := &r.preflight
	if !user.Enrolled || op != r.preflightOperation() {
		return
	}
	p.users[user] = true
	for _, judgement := range judgements {
		ex := judgement.Answer.Exchange
		switch seen := p.versions[ex.Probe.Version]; {
		case seen == nil:
		case !p.isOpen(ex.Probe.Version):
			seen.served = seen.served || judgement.Answer.DisclosesData()
		case !ex.Answered() && !r.Suite.LooksRefused(ex):
			seen.faulted = true
		default:
			seen.Add(ex)
		}
	}
}

// refused is the error of a run that was refused for all of its first enrolled users, in one of the versions or in all.
func (r *Run) refused() error {
	p := &r.preflight
	if !r.live {
		return nil
	}
	var serving []schemas.Version
	refusals := &requests.Refusals{}
	for _, v := range r.sends[r.preflightOperation()].versions {
		switch seen := p.versions[v]; {
		case seen == nil:
		case seen.served:
			serving = append(serving, v)
		case p.isOpen(v) && !seen.faulted && seen.First != nil:
			refusals.Join(&seen.Refusals)
		}
	}
	if refusals.First == nil {
		return nil
	}
	if err := r.unanswered(refusals.Versions[0]); err != nil {
		return err
	}
	return r.Refused(refusals, wording.Count(len(p.users), "enrolled user"), len(p.versions), serving)
}
