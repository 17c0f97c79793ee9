package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/hide"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// exchangeID names a request of a sweep: the user's index in the population and the number of the request for that
// user.
func exchangeID(user int64, n int) string {
	return "u" + strconv.FormatInt(user, 10) + "." + strconv.Itoa(n)
}

// findings returns the breaches of the contract in the answers, one finding for each cause. A missing answer is no
// breach: its user counts as not comparable.
func (p *comparison) findings(judgements ...*spec.Judgement) []stats.Finding {
	var list []stats.Finding
	for _, j := range judgements {
		if !j.Answer.Exchange.Answered() {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
			for _, c := range j.Rows[id].Causes {
				f := stats.Finding{
					Requirement: id, Version: j.Answer.Exchange.Probe.Version, Kind: c.Kind, Count: c.Count,
					Pointer:  c.Example.Pointer,
					Expected: report.Expected(p.values, c.Example), Actual: report.Actual(p.values, c.Example),
				}
				value := f.Actual
				if found, ok := strictjson.Lookup(j.Answer.Value, f.Pointer); ok && found != nil {
					value = p.valueText(f.Pointer, found)
				}
				f.SetValue(f.Version, value)
				f.Pointer = report.PointerOf(p.values, c.Example, f.Pointer)
				list = append(list, p.finding(j, f))
			}
		}
	}
	return list
}

// incomparable sets the outcome not-comparable and adds a finding. The finding names the user, so that whoever sweeps
// again can find them.
func (p *comparison) incomparable(found stats.Result, reason string) stats.Result {
	found.Outcome, found.Why = stats.NotComparable, reason
	found.Findings = append(found.Findings, stats.Finding{
		User: p.findingUser(), Operation: p.op, Version: schemas.Parity, Kind: string(stats.NotComparable), Count: 1,
		Expected: "two answers that can be compared", Actual: reason,
		Exchange: exchangeID(p.user.Index, len(p.result.durations)),
	})
	return found
}

// maxShown is the maximum length of a text in a finding, in characters.
const maxShown = 200

// finding fills in the user, operation, version and exchange of a finding.
func (p *comparison) finding(j *spec.Judgement, f stats.Finding) stats.Finding {
	f.Operation, f.Exchange, f.User = p.op, j.Answer.Exchange.Probe.ID, p.findingUser()
	f.Pointer = redact.Printable(f.Pointer, maxShown)
	f.Waived = slices.ContainsFunc(p.waived, func(w settings.Waiver) bool {
		return w.Requirement == f.Requirement && (w.Version == "" || w.Version == f.Version)
	})
	return f
}

// Bounds on the stored values of both versions, in characters: for one value, and for one user and operation. A longer
// value is cut and marked as cut.
const (
	maxValue  = 64 << 10
	maxValues = 256 << 10
)

// valueText returns the value at a pointer as JSON, cut to the bounds above, or what can be shown of a hidden one.
func (p *comparison) valueText(pointer string, value any) string {
	if p.values != nil {
		return p.values.Text(hide.FactOf(value), hide.Scope(p.user.ID, p.user.UserID, pointer))
	}
	text := redact.JSON(value, max(maxShown, min(maxValue, maxValues-p.stored)))
	p.stored += len(text)
	return text
}

// valueOrStatus returns what a version has at the place of a difference: JSON, or how it refused the request. It is ""
// if the version has nothing there.
func (p *comparison) valueOrStatus(pointer string, value any, j *spec.Judgement) string {
	if _, absent := value.(parity.Absent); !absent {
		return p.valueText(pointer, value)
	}
	if ex := j.Answer.Exchange; !j.Answer.Served() && !ex.Success() {
		return fmt.Sprintf("status %d", ex.Status)
	}
	return ""
}

// findingUser returns the user as findings name them.
func (p *comparison) findingUser() stats.User {
	if values := p.values; values != nil {
		place := fmt.Sprintf("line %d", p.user.Line)
		if p.user.Line == 0 { // a user of the embedded reference
			place = strconv.FormatInt(p.user.Index+1, 10)
		}
		id, userID := values.User(place, p.user.ID, p.user.UserID)
		return stats.User{Index: p.user.Index, ID: id, UserID: userID}
	}
	return stats.User{Index: p.user.Index, ID: p.show(p.user.ID, maxShown), UserID: p.show(p.user.UserID, maxShown)}
}

// rules names the settings under which these differences don't count.
func (p *comparison) rules(differences []parity.Difference) string {
	var names []string
	for _, d := range differences {
		name := "parity: shape"
		for _, i := range p.engine.Rule.Ignored {
			if parity.Matches(i.Pattern, d.Pointer) {
				name = "parity.ignore " + p.show(i.Pattern, maxShown)
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

// activeWaivers returns the waivers that are in force at a moment.
func activeWaivers(all []settings.Waiver, now time.Time) []settings.Waiver {
	return slices.DeleteFunc(slices.Clone(all), func(w settings.Waiver) bool {
		return !w.Active(now) || w.Verdict != settings.WaiveFail
	})
}
