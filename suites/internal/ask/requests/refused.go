package requests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/advice"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// Refused returns the error of a target, or of some of its versions, that refused the first users: all answers are
// refusals by their look (J19). users names these, such as "5 enrolled users". of is how many versions were asked, and
// serving are those that served one of them.
func (r *Requests) Refused(answers []*exchange.Exchange, users string, of int, serving []schemas.Version) error {
	var versions []schemas.Version
	statuses := map[int]int{}
	for _, ex := range answers {
		if statuses[ex.Status]++; !slices.Contains(versions, ex.Probe.Version) {
			versions = append(versions, ex.Probe.Version)
		}
	}
	var list []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		list = append(list, fmt.Sprintf("%03d (%s)", status, wording.Count(statuses[status], "time")))
	}
	who, check, first := "the target", "check, in this order: ", answers[0]
	seen := advice.Of(advice.Everybody, first, r.settings, r.contract)
	seen.OthersServe = len(serving) > 0
	if len(versions) < of {
		who = schemas.Named(versions)
	}
	if len(serving) > 0 && !first.Throttled() {
		if len(versions) == 1 {
			seen.Version = versions[0]
		}
		check = fmt.Sprintf("%s serves one of these users, so check the settings of %s, in this order: ",
			schemas.Named(serving), who)
	}
	return fmt.Errorf("%s refuses everything: none of %s of %s for %s was served, but answered with %s, so nothing "+
		"else was sent; %s got %w; %s%s", who, wording.Count(len(answers), "well-formed request"),
		first.Probe.Operation, users, strings.Join(list, ", "), r.Asked(first), exchange.Summary(first), check,
		advice.ToCheck(seen, r.settings))
}

// ToCheckLater lists what may be wrong if a version that served before refuses everybody, with the last answer. What is
// likely is first. token is the one that was sent last.
func (r *Requests) ToCheckLater(last *exchange.Exchange, token string) string {
	seen := advice.Of(advice.EverybodySince, last, r.settings, r.contract)
	if r.settings.Targets[last.Probe.Version].HasOwnToken {
		seen.Version = last.Probe.Version
	}
	if end, known := settings.TokenEnd(token); known && !end.After(time.Now()) {
		seen.TokenEnd = end
	}
	return advice.ToCheck(seen, r.settings)
}

// Unreachable returns the error of a target, or of one of its versions, that has not answered one request. first is the
// first of these.
func (r *Requests) Unreachable(who string, first *exchange.Exchange) error {
	what := "can't be reached: no request was answered; %s ended with: %w"
	switch {
	case first.Status != 0:
		what = fmt.Sprintf("gave no whole answer: %%s got status %03d, and then: %%w", first.Status)
	case first.Fault.Kind == exchange.Timeout && !first.Fault.Advised:
		what = "can't be reached: no request was answered in time; %s ended with: %w"
	}
	seen := advice.Of(advice.Nobody, first, r.settings, r.contract)
	if r.settings.Targets[first.Probe.Version].HasOwnURL {
		seen.Version = first.Probe.Version
	}
	if check := advice.ToCheck(seen, r.settings); check != "" {
		return fmt.Errorf("%s "+what+"; %s", who, r.Asked(first), first.Fault, check)
	}
	return fmt.Errorf("%s "+what, who, r.Asked(first), first.Fault)
}
