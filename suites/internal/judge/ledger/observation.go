package ledger

import (
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Observation is what the target did at one open point, for one operation.
type Observation struct {
	Requirement schemas.Requirement
	Operation   schemas.Operation
	Seen        map[schemas.Version]*check.Observed // what each version under test showed; nil if it was not asked
	Agree       *bool                               // nil if the versions can't be compared, or are not compared here
	// Explained is true if the versions differ only because of answers with a finding.
	Explained bool
}

type position struct {
	id string
	operationVersion
}

// observations are how often each observation was made, by open point, operation and version.
type observations map[position]map[any]int

// question is a request as it is sent to every version.
type question struct {
	operation schemas.Operation
	user      exchange.User
	mutation  exchange.Mutation
}

func questionOf(p exchange.Probe) question { return question{p.Operation, p.User, p.Mutation()} }

// NotAsked is shown if the run sent no request that could show the point.
const NotAsked = "not asked"

// maxDistinct limits how many different observations one open point stores.
const maxDistinct = 1000

// observe adds an observation at an open point, made in the answer to a question. With nil only the fact that it could
// have been observed is added.
func (l *Ledger) observe(q question, p position, seen any, times int) {
	l.facts.add(p, seen, times)
	if len(l.options.Versions) < 2 {
		return // nothing is compared
	}
	if l.undecided[q] == nil {
		l.undecided[q] = observations{}
	}
	l.undecided[q].add(p, seen, times)
}

func (o observations) add(p position, seen any, times int) {
	if o[p] == nil {
		o[p] = map[any]int{}
	}
	if _, known := o[p][seen]; seen != nil && (known || len(o[p]) < maxDistinct) {
		o[p][seen] += times
	}
}

// decide adds the observations of a question to the unaffected ones, unless an answer to it has a finding.
func (l *Ledger) decide(q question) {
	if !l.affected[q] {
		for p, count := range l.undecided[q] {
			for _, seen := range slices.SortedFunc(maps.Keys(count), check.Compare) {
				l.unaffected.add(p, seen, count[seen])
			}
		}
	}
	delete(l.undecided, q)
}

// observeAnswers records what all answers for one user and operation show together. It also compares the user's
// records with the user's identifier list.
func (l *Ledger) observeAnswers(user exchange.User, op schemas.Operation, answers []*check.Answer) {
	q := question{operation: op, user: user}
	for _, r := range l.suite.Requirements() {
		if r.Order != nil && slices.Contains(r.Operations, op) {
			for v, text := range r.Order(l.suite.Contract.Pairs, answers) {
				l.observe(q, position{r.ID, operationVersion{op, v}}, text, 1)
			}
			for _, a := range answers {
				l.observe(q, position{r.ID, operationVersion{op, a.Exchange.Probe.Version}}, nil, 0)
			}
		}
		for _, a := range answers {
			p := a.Exchange.Probe
			if r.Overlap != nil && op == spec.FindByUserIds && p.Round == 1 && l.records[p.Version].user == user {
				for _, seen := range r.Overlap(l.records[p.Version].names, a) {
					l.observe(q, position{r.ID, operationVersion{spec.GetUserAuth, p.Version}}, seen, 1)
				}
			}
		}
	}
	if op == spec.GetUserAuth {
		for _, a := range answers {
			l.records[a.Exchange.Probe.Version] = recordNames{user, a.Names()}
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
			o := Observation{Requirement: r.Requirement, Operation: op, Seen: map[schemas.Version]*check.Observed{}}
			known := !l.missingPoints[position{r.ID, operationVersion{operation: op}}] &&
				(len(l.options.Recorded) == 0 || r.OnlyReads())
			for _, v := range l.options.Versions {
				o.Seen[v] = l.facts.seen(r, op, v)
				known = known && o.Seen[v] != nil
			}
			if pairs := l.pairs(); len(pairs) > 0 && known && r.Compare && !l.unsteadyAt(r) {
				equal := l.facts.agree(r, op, pairs)
				o.Agree, o.Explained = &equal, !equal && l.unaffected.agree(r, op, pairs)
			}
			list = append(list, o)
		}
	}
	return list
}

// pairs returns the pairs under test.
func (l *Ledger) pairs() []schemas.Pair { return l.suite.Contract.PairsOf(l.options.Versions) }

// agree reports whether each pair showed the same at an open point: all of it, not only the part that is shown.
func (o observations) agree(r *spec.Requirement, op schemas.Operation, pairs []schemas.Pair) bool {
	return !slices.ContainsFunc(pairs, func(p schemas.Pair) bool {
		return !same(o.seen(r, op, p.From), o.seen(r, op, p.To))
	})
}

// same reports whether two versions showed the same. nil was not asked.
func same(a, b *check.Observed) bool {
	parts := func(seen *check.Observed) []string {
		if seen == nil {
			return nil
		}
		return seen.Parts(check.AsSent{}, maxDistinct)
	}
	return slices.Equal(parts(a), parts(b))
}

// seen returns what a version showed at an open point; nil if it was not asked.
func (o observations) seen(r *spec.Requirement, op schemas.Operation, v schemas.Version) *check.Observed {
	if count := o[position{r.ID, operationVersion{op, v}}]; count != nil {
		return r.Observed(count)
	}
	return nil
}

// unsteadyAt reports whether an open point lists values that change between identical calls. Those can't be compared.
func (l *Ledger) unsteadyAt(r *spec.Requirement) bool {
	return r.Member != "" && slices.ContainsFunc(l.Unsteady,
		func(u Unsteady) bool { return strings.HasSuffix(u.Place, "/"+r.Member) })
}

// judgeDivergence judges the rows of divergence, if the run has them, by every open point that was compared (J16).
func (l *Ledger) judgeDivergence(disturbed bool) {
	for _, o := range l.observations {
		if o.Agree == nil {
			continue
		}
		for _, pair := range l.pairs() {
			agree := same(o.Seen[pair.From], o.Seen[pair.To])
			for _, row := range l.rows {
				r := row.Requirement
				if r.OpenPoint == nil || row.Version != pair.Version() || !slices.Contains(r.Operations, o.Operation) {
					continue
				}
				outcome := r.OpenPoint(o.Requirement.ID, pair, o.Seen, agree)
				if outcome.Count > 0 && disturbed {
					outcome = check.MayBeOfFront(o.Requirement.ID)
				}
				row.Merge(outcome)
			}
		}
	}
}
