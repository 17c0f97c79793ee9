package ledger

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/wording"
)

// Observation is what the target did at one open point, for one operation.
type Observation struct {
	Requirement schemas.Requirement
	Operation   schemas.Operation
	Summary     map[schemas.Version]string // by version under test
	Agree       *bool                      // nil if the versions can't be compared, or are not compared here
}

type position struct {
	id string
	operationVersion
}

// observedFacts are the observations at one open point and operation, with their counts.
type observedFacts struct {
	count map[string]int
	asked bool // at least one exchange could have shown it
}

// NotAsked is shown if the run sent no request that could show the point.
const NotAsked = "not asked"

// Limits on what one open point stores and shows.
const (
	maxDistinct = 1000
	maxShown    = 12
)

// observe adds observations at an open point.
func (l *Ledger) observe(id string, s operationVersion, text string, times int) {
	f := l.factsAt(id, s)
	f.asked = true
	if _, known := f.count[text]; known || len(f.count) < maxDistinct {
		f.count[text] += times
	}
}

func (l *Ledger) factsAt(id string, s operationVersion) *observedFacts {
	p := position{id, s}
	if l.facts[p] == nil {
		l.facts[p] = &observedFacts{count: map[string]int{}}
	}
	return l.facts[p]
}

// observeAnswers records what all answers for one user and operation show together. It also compares the user's
// records with the user's identifier list.
func (l *Ledger) observeAnswers(user settings.User, op schemas.Operation, answers []*check.Answer) {
	for _, r := range l.suite.Requirements() {
		for v, text := range r.Order(op, answers) {
			l.observe(r.ID, operationVersion{op, v}, text, 1)
		}
		for _, a := range answers {
			p := a.Exchange.Probe
			if r.ObservesOrder(op) {
				l.factsAt(r.ID, operationVersion{op, p.Version}).asked = true
			}
			if op == spec.FindByUserIds && p.Round == 1 && l.records[p.Version].user == user {
				for _, text := range r.Overlap(l.records[p.Version].ids, a) {
					l.observe(r.ID, operationVersion{spec.GetUserAuth, p.Version}, text, 1)
				}
			}
		}
	}
	if op == spec.GetUserAuth {
		for _, a := range answers {
			l.records[a.Exchange.Probe.Version] = recordIDs{user, a.RecordIDs()}
		}
	}
}

// Observations lists each open point for each of its operations, in the catalogue's order. It is empty until the ledger
// is closed.
func (l *Ledger) Observations() []Observation { return l.observations }

func (l *Ledger) summarizeObservations() []Observation {
	var list []Observation
	for _, r := range l.suite.Requirements() {
		if r.Kind != schemas.Open {
			continue
		}
		for _, op := range r.Operations {
			o := Observation{Requirement: r.Requirement, Operation: op, Summary: map[schemas.Version]string{}}
			known, full := !l.missingPoints[point{r.ID, op}], map[schemas.Version]string{}
			for _, v := range l.options.Versions {
				f := l.facts[position{r.ID, operationVersion{op, v}}]
				o.Summary[v] = l.shown(r, f)
				full[v] = summarize(r, f, maxDistinct)
				known = known && f != nil && f.asked
			}
			if known && r.Compare && len(l.options.Versions) > 1 && !l.volatileAt(r) {
				equal := full[schemas.V5] == full[schemas.V6] // all of it, not only the part shown
				o.Agree = &equal
			}
			list = append(list, o)
		}
	}
	return list
}

// volatileAt reports whether an open point lists values that change between identical calls. Those can't be compared.
func (l *Ledger) volatileAt(r *spec.Requirement) bool {
	return r.Member() != "" && slices.ContainsFunc(l.Volatile,
		func(v Volatile) bool { return strings.HasSuffix(v.Pointer, "/"+r.Member()) })
}

// judgeDivergence judges the rows of divergence, if the run has them, by every open point that was compared (J16).
func (l *Ledger) judgeDivergence() {
	for _, o := range l.observations {
		for _, row := range l.rows {
			if o.Agree != nil && slices.Contains(row.Requirement.Operations, o.Operation) {
				row.Merge(row.Requirement.JudgeOpenPoint(o.Requirement.ID, o.Summary, *o.Agree))
			}
		}
	}
}

// shown returns what reports have about the observations at an open point. If values are hidden, that is how many
// different ones there are, with a digest.
func (l *Ledger) shown(r *spec.Requirement, f *observedFacts) string {
	if l.Values == nil || f == nil || len(f.count) == 0 || r.Member() == "" && r.Section != statesSection {
		return summarize(r, f, maxShown)
	}
	return wording.Count(len(f.count), "different value") + ", " + l.Values.Digest(summarize(r, f, maxDistinct))
}

// statesSection is the section of the contract about the flags of a record and its device.
const statesSection = "3"

// summarize returns one line about the observations at an open point, with at most `limit` different ones.
func summarize(r *spec.Requirement, f *observedFacts, limit int) string {
	if f == nil || !f.asked {
		return NotAsked
	}
	return r.Summarize(f.count, limit)
}
