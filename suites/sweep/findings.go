package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// exchangeID names a request of a sweep: the user's index in the population, the number of the request for that user
// and, if their block is asked again, which attempt it is.
func exchangeID(user int64, n, attempt int) string {
	id := "u" + strconv.FormatInt(user, 10) + "." + strconv.Itoa(n)
	if attempt > 1 {
		id += "-" + strconv.Itoa(attempt)
	}
	return id
}

// findings returns the breaches of the contract in the answers, one finding for each cause. A missing answer is no
// breach, nor one that throttles: its user counts as not comparable. Of a recorded version nothing is judged again.
func (c *comparison) findings() (list []stats.Finding) {
	for _, j := range c.lookup.Calls {
		if ex := j.Answer.Exchange; !ex.Answered() || ex.Throttled() || c.isRecorded(ex.Probe.Version) {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
			roots := j.Rows[id].Roots()
			for i, cause := range j.Rows[id].Causes {
				f := stats.Finding{
					Requirement: id, Version: j.Answer.Exchange.Probe.Version, Kind: cause.Kind, Off: cause.Off,
					Count:    cause.Count,
					Pointer:  cause.Example.Pointer,
					Expected: report.Expected(c.out, cause.Example), Actual: report.Actual(c.out,
						cause.Example), Brief: report.AnswerBrief(c.out, cause.Example),
				}
				value := f.Actual
				if found, ok := strictjson.Lookup(j.Answer.Value, f.Pointer); ok && found != nil {
					value = c.valueText(found)
				}
				f.SetValue(f.Version, value)
				c.setRoot(&f, roots[i])
				f.Pointer = c.out.Pointer(f.Pointer)
				list = append(list, c.finding(j, f))
			}
		}
	}
	return list
}

// setRoot sets the root cause of a finding.
func (c *comparison) setRoot(f *stats.Finding, root check.Root) {
	f.Root = root.Text
	for _, member := range root.Members {
		f.Members = append(f.Members, report.RootMember(c.out, member))
	}
}

// incomparable sets the outcome not-comparable and adds a finding. The finding names the user, so that whoever sweeps
// again can find them.
func (c *comparison) incomparable(found *stats.Result, reason string) *stats.Result {
	found.Outcome, found.Why = stats.NotComparable, reason
	found.Findings = append(found.Findings, stats.Finding{
		User: c.findingUser(), Operation: c.op, Version: c.versionOfPair(), Kind: string(stats.NotComparable), Count: 1,
		Expected: "two answers that can be compared", Actual: reason,
		Exchange: exchangeID(c.user.Index, len(c.calls), c.attempt),
	})
	return found
}

// maxShown is the maximum length of a text in a finding, in characters.
const maxShown = 200

// finding fills in the user, operation, version and exchange of a finding.
func (c *comparison) finding(j *spec.Judgement, f stats.Finding) stats.Finding {
	f.Operation, f.Exchange, f.User = c.op, j.Answer.Exchange.Probe.ID, c.findingUser()
	f.Pointer = report.Printable(f.Pointer, maxShown)
	f.Repeat = c.out.Curl(c.Client.Requests, j.Answer.Exchange.Probe)
	if f.Version.IsPair() && f.Repeat != "" {
		f.Repeat = c.out.Curl(c.Client.Requests, c.lastOf(c.pair.From).Answer.Exchange.Probe) + "\n" + f.Repeat
	}
	f.Waived = slices.ContainsFunc(c.waived, func(w ledger.Waiver) bool {
		return w.Verdict == ledger.Fail && w.Requirement == f.Requirement &&
			(w.Version == "" || w.Version == f.Version)
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
func (c *comparison) valueText(value any) string {
	text := c.out.JSON(value, max(maxShown, min(maxValue, maxValues-c.stored)))
	c.stored += len(text)
	return text
}

// valueOrStatus returns what a version has at the place of a difference: JSON, or how it refused the request. It is ""
// if the version has nothing there.
func (c *comparison) valueOrStatus(value any, j *spec.Judgement) string {
	switch value.(type) {
	case parity.Absent, check.Unserved:
	default:
		return c.valueText(value)
	}
	if ex := j.Answer.Exchange; !j.Answer.Served() && !ex.Success() {
		return fmt.Sprintf("status %d", ex.Status)
	}
	return ""
}

// findingUser returns the user as findings name them.
func (c *comparison) findingUser() stats.User {
	u := c.out.StoredUser(probeOf(c.user, c.op, ""))
	return stats.User{Index: c.user.Index, ID: c.out.Text(u.ID, maxShown),
		UserID: c.out.Text(breaks.Replace(u.UserID), maxShown)}
}

// breaks escapes line breaks and tabs as no name is written: DOMAIN\nina is one.
var breaks = strings.NewReplacer("\n", `\u000a`, "\r", `\u000d`, "\t", `\u0009`)

// rules names the settings under which these differences don't count.
func (c *comparison) rules(differences []parity.Difference) string {
	var names []string
	for _, d := range differences {
		name := "parity: shape"
		for _, pattern := range c.reader.Rule.Ignored {
			if parity.Matches(pattern, d.Pointer) {
				name = "parity.ignore " + c.out.Text(pattern, maxShown)
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
