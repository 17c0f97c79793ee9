package run

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/wording"
)

// preflightUsers is for how many enrolled users requests are sent first. If none of them is served, wrong settings are
// more likely than a wrong service. The run then ends (J19).
const preflightUsers = 5

// preflight collects the answers to the well-formed requests for the first enrolled users.
type preflight struct {
	served   chan struct{} // closed at the first answer to an enrolled user with a status of 2xx
	close    sync.Once
	users    map[settings.User]bool
	answered bool // one answer was 2xx, or disclosed data
	requests int
	first    *exchange.Exchange // the first that was refused
	ends     map[string]int     // how often each status came, or no answer
}

// add adds the answers to the requests for one user.
func (p *preflight) add(s *spec.Suite, user settings.User, judgements []*spec.Judgement) {
	if p.answered || !user.Enrolled {
		return
	}
	p.users[user] = true
	for _, judgement := range judgements {
		p.requests++
		ex := judgement.Answer.Exchange
		if ex.Success() || s.DisclosesData(ex) {
			p.answered = true
			return
		}
		p.ends[statusOf(ex)]++
		if p.first == nil {
			p.first = ex
		}
	}
}

// refused is the error of a run that was refused for all of its first enrolled users.
func (r *Run) refused() error {
	p := &r.preflight
	if !r.live || p.answered || p.first == nil {
		return nil
	}
	if err := r.unanswered(); err != nil {
		return err
	}
	return fmt.Errorf("the target refuses everything: none of %s for %s was answered with a status of 2xx, but with "+
		"%s, so nothing else was sent; %s to %s of %s brought %s; check, in this order: %s",
		wording.Count(p.requests, "well-formed request"), wording.Count(len(p.users), "enrolled user"), p.list(),
		p.first.Probe.ID, p.first.Probe.Operation, p.first.Probe.Version, r.summarizeAnswer(p.first),
		settings.ToCheck(p.first.Status))
}

// summarizeAnswer describes the answer to a refused request: the status and the first line of the body.
func (r *Run) summarizeAnswer(ex *exchange.Exchange) string {
	if ex.Status == 0 && ex.Fault != nil {
		return redact.Printable(ex.Fault.Detail, maxLine)
	}
	text := strings.TrimSpace(statusOf(ex) + " " + http.StatusText(ex.Status))
	if location := ex.Header.Get("Location"); location != "" {
		text += ", a redirect to " + redact.Printable(location, maxLine) + " (redirects are not followed)"
	}
	if line := ex.FirstLine(r.Values(), maxLine); line != "" {
		text += ": " + line
	}
	return text
}

// maxLine is how many characters of an answer's first line are shown.
const maxLine = 200

// statusOf returns the status of an answer as text.
func statusOf(ex *exchange.Exchange) string {
	if ex.Status == 0 && ex.Fault != nil {
		return "no answer"
	}
	return fmt.Sprintf("%03d", ex.Status)
}

// list returns how often each status came, such as "401 (40 times)".
func (p *preflight) list() string {
	var list []string
	for _, end := range slices.Sorted(maps.Keys(p.ends)) {
		list = append(list, fmt.Sprintf("%s (%s)", end, wording.Count(p.ends[end], "time")))
	}
	return strings.Join(list, ", ")
}
