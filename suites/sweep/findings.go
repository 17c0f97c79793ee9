package sweep

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
)

// exchangeID names a request of a sweep: the user's place in the population, and which of its requests it was.
func exchangeID(user int64, n int) string {
	return "u" + strconv.FormatInt(user, 10) + "." + strconv.Itoa(n)
}

// breaches are what answers break of the contract, a finding for each cause. An answer that did not come breaks nothing: the
// user is not comparable, and counted as that.
func (p *pair) breaches(judgements ...*judge.Judgement) []tally.Finding {
	var list []tally.Finding
	for _, j := range judgements {
		if !j.Answer.Exchange.Answered() {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
			for _, c := range j.Rows[id].Causes {
				list = append(list, p.finding(j, tally.Finding{
					Requirement: id, Version: j.Answer.Exchange.Probe.Version, Kind: c.Kind, Pointer: c.Example.Pointer, Count: c.Count,
					Expected: c.Example.Expected, Actual: c.Example.Actual,
				}))
			}
		}
	}
	return list
}

// incomparable makes a look of a user who could not be compared, with a line of its own in the findings: whoever sweeps
// again wants to know who that was.
func (p *pair) incomparable(found tally.Look, why string) tally.Look {
	found.Outcome, found.Why = tally.NotComparable, why
	f := tally.Finding{Version: schemas.Parity, Kind: string(tally.NotComparable), Count: 1, Expected: "two answers that can be held against each other", Actual: why}
	f.Operation, f.User, f.Exchange = p.op, p.person(), exchangeID(p.user.Index, len(p.seen.lasted))
	found.Findings = append(found.Findings, f)
	return found
}

// finding completes a finding with where it comes from.
func (p *pair) finding(j *judge.Judgement, f tally.Finding) tally.Finding {
	f.Operation, f.Exchange, f.User = p.op, j.Answer.Exchange.Probe.ID, p.person()
	f.Pointer = p.show.text(f.Pointer, shown)
	f.Waived = slices.ContainsFunc(p.waived, func(w settings.Waiver) bool {
		return w.Requirement == f.Requirement && (w.Version == "" || w.Version == f.Version)
	})
	return f
}

func (p *pair) person() tally.User {
	return tally.User{Index: p.user.Index, ID: p.show.text(p.user.ID, shown), UserID: p.show.text(p.user.UserID, shown)}
}

// callsOf are answers as parity sees them.
func callsOf(v5, v6 []*judge.Judgement, op schemas.Operation) parity.Calls {
	calls := parity.Calls{Operation: op}
	for _, j := range v5 {
		calls.V5 = append(calls.V5, callOf(j))
	}
	for _, j := range v6 {
		calls.V6 = append(calls.V6, callOf(j))
	}
	return calls
}

func callOf(j *judge.Judgement) parity.Call {
	if !j.Answer.Served() {
		return parity.Call{}
	}
	return parity.Call{Served: true, Value: j.Answer.Value, Body: j.Answer.Exchange.Body}
}

// rules names the rules under which differences do not count.
func (p *pair) rules(differences []parity.Difference) string {
	var names []string
	for _, d := range differences {
		name := "parity: shape"
		for _, i := range p.rule.Ignored {
			if parity.Matches(i.Pattern, d.Pointer) {
				name = "parity.ignore " + p.show.text(i.Pattern, shown)
				break
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// waiversThatHold are those that set failures aside at a moment.
func waiversThatHold(all []settings.Waiver, now time.Time) []settings.Waiver {
	return slices.DeleteFunc(slices.Clone(all), func(w settings.Waiver) bool { return !w.Holds(now) || w.Verdict != settings.WaiveFail })
}
