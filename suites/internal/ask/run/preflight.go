package run

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
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
	versions map[schemas.Version]*refusals
	users    map[exchange.User]bool
}

// refusals are the answers of a version to the first enrolled users.
type refusals struct {
	faulted  bool // to one request no answer came, so nothing is known
	requests int
	first    *exchange.Exchange // the first refusal
	statuses map[int]int        // how often each status came
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
		versions: map[schemas.Version]*refusals{}, users: map[exchange.User]bool{}}
	for _, v := range r.sends[r.preflightOperation()].versions {
		if r.Settings.Recorded[v] != nil {
			continue // it is not asked
		}
		r.preflight.open[v] = true
		r.preflight.versions[v] = &refusals{statuses: map[int]int{}}
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
		seen := p.versions[ex.Probe.Version]
		if seen == nil || !p.isOpen(ex.Probe.Version) {
			continue
		}
		seen.requests++
		if !ex.Answered() && !r.Suite.LooksRefused(ex) {
			seen.faulted = true
			continue
		}
		seen.statuses[ex.Status]++
		if seen.first == nil {
			seen.first = ex
		}
	}
}

// refused is the error of a run that was refused for all of its first enrolled users, in one of the versions or in all.
func (r *Run) refused() error {
	p := &r.preflight
	if !r.live {
		return nil
	}
	var refusing, serving []schemas.Version
	all := &refusals{statuses: map[int]int{}}
	for _, v := range r.sends[r.preflightOperation()].versions {
		seen := p.versions[v]
		if seen == nil {
			continue
		}
		if !p.isOpen(v) {
			serving = append(serving, v)
			continue
		}
		if seen.faulted || seen.first == nil {
			continue
		}
		refusing = append(refusing, v)
		all.requests += seen.requests
		for status, n := range seen.statuses {
			all.statuses[status] += n
		}
		if all.first == nil {
			all.first = seen.first
		}
	}
	if len(refusing) == 0 {
		return nil
	}
	if err := r.unanswered(refusing[0]); err != nil {
		return err
	}
	who, check := "the target", "check, in this order: "
	if len(refusing) < len(p.versions) {
		who = schemas.Named(refusing)
	}
	concerned := schemas.Version("")
	if len(serving) > 0 {
		if len(refusing) == 1 {
			concerned = refusing[0]
		}
		check = fmt.Sprintf("%s serves the same users, so check the settings of %s, in this order: ",
			schemas.Named(serving), who)
	}
	first := all.first.Probe
	return fmt.Errorf("%s refuses everything: none of %s of %s for %s was served, but answered with %s, so "+
		"nothing else was sent; %s to %s got %w; %s%s%s",
		who, wording.Count(all.requests, "well-formed request"), first.Operation,
		wording.Count(len(p.users), "enrolled user"), all.list(), first.ID,
		r.DisplayBase(first.Version)+first.Path(), exchange.Summary(all.first), r.urlHint(all.first), check,
		r.ToCheck(concerned, all.first.Status))
}

// urlHint says what is wrong with the base URL, if that can be seen: it ends with what the suite appends to it, or the
// server wants TLS. It ends with "; " unless it is "".
func (r *Run) urlHint(ex *exchange.Exchange) string {
	p := ex.Probe
	base := r.Settings.Targets[p.Version].URL
	for _, v := range r.Suite.Contract.Versions {
		for _, op := range schemas.Operations() {
			appended := schemas.Path(v, op)
			for end := len(appended); end > len("/api"); end = strings.LastIndex(appended[:end], "/") {
				if strings.HasSuffix(base.Path, appended[:end]) {
					return fmt.Sprintf("leave %s out of the base URL, as the suite appends %s; ", appended[:end],
						p.Path())
				}
			}
		}
	}
	if base.Scheme == "http" && ex.Status == http.StatusBadRequest && bytes.Contains(ex.Body, []byte("HTTPS")) {
		return "the server there speaks TLS, so begin the base URL with https://; "
	}
	return ""
}

// list returns how often each status came, such as "401 (40 times)".
func (p *refusals) list() string {
	var list []string
	for _, status := range slices.Sorted(maps.Keys(p.statuses)) {
		list = append(list, fmt.Sprintf("%03d (%s)", status, wording.Count(p.statuses[status], "time")))
	}
	return strings.Join(list, ", ")
}
