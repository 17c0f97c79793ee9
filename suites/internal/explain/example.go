package explain

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
)

// judged is an answer with a requirement's judgement of it. If the requirement compares v5 and v6, it is a pair of
// answers.
type judged struct {
	outcome check.Outcome
	answers []answer // one answer, or one of each version of a pair
}

// examples returns an answer that a requirement accepts and one that it rejects. Either is nil if there is none.
func (e *Explainer) examples(r *spec.Requirement) (accepted, refused *judged) {
	op := r.Operations[0]
	p := e.probes(r, op)[0]
	plain := e.answers[op][0]
	for _, a := range e.answers[op] {
		j := &judged{answers: []answer{a}}
		if r.Parity {
			j.answers = []answer{plain, a}
			j.outcome = e.compare(r, p, plain, a)
		} else if row := e.suite.Judge(exchanged(p, a)).Rows[r.ID]; row != nil {
			j.outcome = *row
		}
		switch {
		case j.outcome.Count > 0:
			if refused == nil || j.simpler(refused) {
				refused = j
			}
		case j.outcome.Witnesses > 0 && accepted == nil:
			accepted = j
		}
	}
	return accepted, refused
}

// simpler reports whether less is wrong, or just as much but at a specific place.
func (j *judged) simpler(other *judged) bool {
	if j.outcome.Count != other.outcome.Count {
		return j.outcome.Count < other.outcome.Count
	}
	return j.outcome.Findings[0].Pointer != "" && other.outcome.Findings[0].Pointer == ""
}

func exchanged(p exchange.Probe, a answer) *exchange.Exchange {
	return &exchange.Exchange{Probe: p, Status: a.status, Body: a.body}
}

// compare judges two possible answers of the first pair of versions to the same request.
func (e *Explainer) compare(r *spec.Requirement, p exchange.Probe, from, to answer) check.Outcome {
	pair, _ := e.suite.Contract.PairOf(e.suite.Contract.Versions)
	q := p
	q.Version, q.Segment = pair.To, string(pair.To)
	left, right := e.suite.Judge(exchanged(p, from)), e.suite.Judge(exchanged(q, to))
	calls := parity.Calls{Operation: p.Operation, From: []parity.Call{called(left)}, To: []parity.Call{called(right)}}
	out := r.JudgeComparison(&check.Comparison{
		Pair: pair, Conclusion: parity.Rule{}.Conclude(calls, parity.Calls{}),
		Last: map[schemas.Version]exchange.Probe{pair.From: p, pair.To: q},
	})
	for _, point := range e.suite.Requirements() {
		behavior := map[schemas.Version]*check.Observed{pair.From: observed(left, point),
			pair.To: observed(right, point)}
		one, other := text(behavior[pair.From]), text(behavior[pair.To])
		if point.Compare && one != "" && other != "" {
			out.Merge(r.JudgeOpenPoint(point.ID, pair, behavior, one == other))
		}
	}
	return out
}

func called(j *spec.Judgement) parity.Call {
	if !j.Answer.Served() {
		return parity.Call{}
	}
	return parity.Call{Served: true, Value: j.Answer.Value}
}

// observed returns what an answer shows at an open point.
func observed(j *spec.Judgement, point *spec.Requirement) *check.Observed {
	count := map[any]int{}
	for fact, times := range j.Facts {
		if fact.ID == point.ID {
			count[fact.Seen] += times
		}
	}
	return point.Observed(count)
}

// text returns what was observed in one line, or "" if it is nothing.
func text(seen *check.Observed) string {
	if len(seen.Count) == 0 {
		return ""
	}
	return strings.Join(seen.Parts(check.AsSent{}, 1), "; ")
}

// rule describes what is accepted, independent of the answer.
func (e *Explainer) rule(f check.Finding) string {
	versions := schemas.Named(e.suite.Contract.Versions)
	switch f.Expected.(type) {
	case check.Shown:
		if parity.Kind(f.Kind).Shape() {
			return versions + " answer with the same members, and these have the same JSON types: null and " +
				"absent differ, the order of members does not count"
		}
		return versions + " answer with the same values: numbers are compared by value, texts by character; the " +
			"order of a list does not count, nor what changes in both versions from call to call; not judged if " +
			"parity is set to shape"
	case check.SameInBoth:
		return versions + " do the same at each open point that is compared; judged only if divergence is set to fail"
	}
	return report.Expected(nil, f)
}

// shown formats both examples, at the place where the rejected one is wrong.
func (e *Explainer) shown(accepted, refused *judged) (acceptedExample, refusedExample Example) {
	f := refused.outcome.Findings[0]
	if point, ok := f.Expected.(check.SameInBoth); ok {
		acceptedExample.Location, refusedExample.Location = point.ID, point.ID
		acceptedExample.Text, refusedExample.Text = e.both(text(point.From.Observed), text(point.From.Observed)),
			e.both(text(point.From.Observed), text(f.Actual.(check.Behavior).Observed))
		return acceptedExample, refusedExample
	}
	return Example{f.Pointer, e.valueAt(accepted, f.Pointer)}, Example{f.Pointer, e.valueAt(refused, f.Pointer)}
}

// valueAt returns the value at a place of the answers. The pointer "" is the whole answer.
func (e *Explainer) valueAt(j *judged, pointer string) string {
	var texts []string
	for _, a := range j.answers {
		text := fmt.Sprintf("status %d and %s", a.status, asJSON(a.value))
		if pointer != "" {
			text = "nothing"
			if value, ok := strictjson.Lookup(a.value, pointer); ok {
				text = asJSON(value)
			}
		}
		texts = append(texts, text)
	}
	if len(texts) > 1 {
		return e.both(texts[0], texts[1])
	}
	return texts[0]
}

func asJSON(value any) string { return report.Actual(nil, check.Finding{Actual: value}) }

// both formats what the versions of the first pair have.
func (e *Explainer) both(from, to string) string {
	pair := e.suite.Contract.Pairs[0]
	return string(pair.From) + ": " + from + ", " + string(pair.To) + ": " + to
}
