package run

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/wording"
)

// preflightUsers is for how many enrolled users requests are sent first. If the answers for all of them are refusals by
// their look, wrong settings are more likely than a wrong service. The run then ends (J19).
const preflightUsers = 5

// preflight collects the answers to the well-formed requests for the first enrolled users.
type preflight struct {
	passed   chan struct{} // closed at the first answer that is no refusal
	close    sync.Once
	users    map[settings.User]bool
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

// pass lets the requests for further users begin, if an answer shows that the settings are right.
func (r *Run) pass(ex *exchange.Exchange) {
	p := ex.Probe
	if !r.preflight.hasPassed() && p.User.Enrolled && p.Operation == r.preflightOperation() && ex.Answered() &&
		!r.Suite.LooksRefused(ex) {
		r.preflight.close.Do(func() { close(r.preflight.passed) })
	}
}

func (p *preflight) hasPassed() bool {
	select {
	case <-p.passed:
		return true
	default:
		return false
	}
}

// addPreflight adds the answers to the requests for one user. Those that came are refusals by their look, or the
// preflight has passed.
func (r *Run) addPreflight(user settings.User, op schemas.Operation, judgements []*spec.Judgement) {
	p := &r.preflight
	if p.faulted || p.hasPassed() || !user.Enrolled || op != r.preflightOperation() {
		return
	}
	p.users[user] = true
	for _, judgement := range judgements {
		p.requests++
		ex := judgement.Answer.Exchange
		if !ex.Answered() && !r.Suite.LooksRefused(ex) {
			p.faulted = true
			return
		}
		p.statuses[ex.Status]++
		if p.first == nil {
			p.first = ex
		}
	}
}

// refused is the error of a run that was refused for all of its first enrolled users.
func (r *Run) refused() error {
	p := &r.preflight
	if !r.live || p.faulted || p.hasPassed() || p.first == nil {
		return nil
	}
	if err := r.unanswered(); err != nil {
		return err
	}
	first := p.first.Probe
	return fmt.Errorf("the target refuses everything: none of %s of %s for %s was served, but answered with %s, so "+
		"nothing else was sent; %s to %s got %w; %scheck, in this order: %s",
		wording.Count(p.requests, "well-formed request"), first.Operation, wording.Count(len(p.users), "enrolled user"),
		p.list(), first.ID, r.DisplayBase(first.Version)+first.Path(), summarizeAnswer(p.first), r.urlHint(p.first),
		r.Settings.ToCheck(p.first.Status))
}

// urlHint says what is wrong with the base URL, if that can be seen: it ends with what the suite appends to it, or the
// server wants TLS. It ends with "; " unless it is "".
func (r *Run) urlHint(ex *exchange.Exchange) string {
	p := ex.Probe
	base := r.Settings.URLs[p.Version]
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

// summarizeAnswer describes the answer to a refused request: the status and the first line of the body.
func summarizeAnswer(ex *exchange.Exchange) error {
	err := errors.New(strings.TrimSpace(fmt.Sprintf("%03d %s", ex.Status, http.StatusText(ex.Status))))
	if location := ex.Header.Get("Location"); location != "" {
		err = fmt.Errorf("%w, a redirect to %w (redirects are not followed)", err, exchange.Sent(location))
	}
	if line := ex.FirstLine(); line != "" {
		err = fmt.Errorf("%w: %w", err, line)
	}
	return err
}

// list returns how often each status came, such as "401 (40 times)".
func (p *preflight) list() string {
	var list []string
	for _, status := range slices.Sorted(maps.Keys(p.statuses)) {
		list = append(list, fmt.Sprintf("%03d (%s)", status, wording.Count(p.statuses[status], "time")))
	}
	return strings.Join(list, ", ")
}
