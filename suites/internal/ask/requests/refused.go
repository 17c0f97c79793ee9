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

// Refusals are the answers of versions that refused the first users: all are refusals by their look (J19).
type Refusals struct {
	Versions []schemas.Version
	First    *exchange.Exchange
	statuses map[int]int // how often each status came
}

// Add adds an answer.
func (f *Refusals) Add(ex *exchange.Exchange) {
	if f.First == nil {
		f.First, f.statuses = ex, map[int]int{}
	}
	if v := ex.Probe.Version; !slices.Contains(f.Versions, v) {
		f.Versions = append(f.Versions, v)
	}
	f.statuses[ex.Status]++
}

// Join adds the answers of other versions.
func (f *Refusals) Join(other *Refusals) {
	if f.First == nil {
		*f = Refusals{First: other.First, statuses: map[int]int{}}
	}
	f.Versions = append(f.Versions, other.Versions...)
	for status, n := range other.statuses {
		f.statuses[status] += n
	}
}

// list returns how many answers came, and how often each status: 40, "401 (40 times)".
func (f *Refusals) list() (answers int, list string) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		answers += f.statuses[status]
		parts = append(parts, fmt.Sprintf("%03d (%s)", status, wording.Count(f.statuses[status], "time")))
	}
	return answers, strings.Join(parts, ", ")
}

// Refused returns the error of a target, or of some of its versions, that refused the first users. users names these,
// such as "5 enrolled users". of is how many versions were asked, and serving are those that served one of them.
func (r *Requests) Refused(f *Refusals, users string, of int, serving []schemas.Version) error {
	who, check := "the target", "check, in this order: "
	seen := advice.Of(advice.Everybody, f.First, r.settings, r.contract)
	seen.OthersServe = len(serving) > 0
	if len(f.Versions) < of {
		who = schemas.Named(f.Versions)
	}
	if len(serving) > 0 && !f.First.Throttled() {
		if len(f.Versions) == 1 {
			seen.Version = f.Versions[0]
		}
		check = fmt.Sprintf("%s serves the same users, so check the settings of %s, in this order: ",
			schemas.Named(serving), who)
	}
	answers, list := f.list()
	return fmt.Errorf("%s refuses everything: none of %s of %s for %s was served, but answered with %s, so nothing "+
		"else was sent; %s got %w; %s%s", who, wording.Count(answers, "well-formed request"), f.First.Probe.Operation,
		users, list, r.Asked(f.First), exchange.Summary(f.First), check, advice.ToCheck(seen, r.settings))
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
