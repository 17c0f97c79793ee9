package run

import (
	"slices"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
)

// sequence is the well-formed requests for one user and operation. They are sent one after the other, in the order of
// J15.
type sequence struct {
	user   exchange.User
	probes []exchange.Probe
}

// wants reports whether this run judges a requirement in a version. A parity row belongs to both versions.
func (r *Run) wants(q *spec.Requirement, v schemas.Version) bool {
	for _, version := range q.Versions(r.options) {
		if version.Covers(v) && (r.selected == nil || r.selected[ledger.Key{ID: q.ID, Version: version}]) {
			return true
		}
	}
	return false
}

// sending is what the run sends to one operation.
type sending struct {
	mutations map[schemas.Version][]exchange.Mutation // that selected requirements send, each once
	versions  []schemas.Version                       // the versions to which something is sent
	all       bool                                    // read all users, not only until one is eligible
}

// sendings returns what is sent to each operation. It is computed once, because once per user would take 5 % of a run's
// CPU time.
func (r *Run) sendings() map[schemas.Operation]sending {
	sendings := map[schemas.Operation]sending{}
	for _, op := range schemas.Operations() {
		s := sending{mutations: map[schemas.Version][]exchange.Mutation{}}
		for _, v := range r.Settings.Versions {
			mutations := r.Suite.Mutations(op, v, func(q *spec.Requirement) bool { return r.wants(q, v) })
			if len(mutations) > 0 {
				s.versions = append(s.versions, v)
			}
			s.mutations[v], s.all = mutations, s.all || slices.Contains(mutations, spec.WellFormed)
		}
		sendings[op] = s
	}
	return sendings
}

// sequences returns the well-formed requests for users, for each operation for which reads returns true.
func (r *Run) sequences(users []exchange.User, reads func(schemas.Operation, int) bool) []sequence {
	var list []sequence
	for i, user := range users {
		for _, op := range schemas.Operations() {
			if versions := r.sends[op].versions; len(versions) > 0 && reads(op, i) {
				list = append(list, sequence{user, exchange.Reads(exchange.Probe{Operation: op, User: user}, versions)})
			}
		}
	}
	return list
}

// reads plans the sequences. The first are for the first enrolled users and show whether the target answers at all
// (J19). The others follow the order of the users file.
func (r *Run) reads() (first, remaining []sequence) {
	asked := firstEnrolled(r.Settings.Users, preflightUsers)
	rest := slices.DeleteFunc(slices.Clone(r.Settings.Users),
		func(u exchange.User) bool { return slices.Contains(asked, u) })
	first = r.sequences(asked, func(op schemas.Operation, i int) bool { return i == 0 || r.sends[op].all })
	return first, r.sequences(rest, func(op schemas.Operation, _ int) bool { return r.sends[op].all })
}

// firstEnrolled returns at most limit of the first enrolled users.
func firstEnrolled(users []exchange.User, limit int) []exchange.User {
	var list []exchange.User
	for _, user := range users {
		if user.Enrolled && len(list) < limit {
			list = append(list, user)
		}
	}
	return list
}

// series plans the probes that are not well-formed, for the eligible user of each operation and version: those with a
// bad token, or those without one, in turn with controls (J23).
func (r *Run) series(eligible func(schemas.Operation, schemas.Version) (exchange.User, bool),
	badToken bool) []*control.Series {
	var list []*control.Series
	for _, op := range schemas.Operations() {
		for _, v := range r.Settings.Versions {
			user, ok := eligible(op, v)
			mutations := slices.DeleteFunc(slices.Clone(r.sends[op].mutations[v]), func(m exchange.Mutation) bool {
				return m == spec.WellFormed || (m.Risk() == schemas.AuthFailure) != badToken
			})
			if !ok || len(mutations) == 0 {
				continue
			}
			base := exchange.Probe{Operation: op, Version: v, Segment: string(v), User: user}
			steps := r.steps(exchange.Mutated(base, mutations))
			list = append(list, &control.Series{Steps: steps,
				Controls: slices.Repeat([]exchange.Probe{control.Of(base)}, len(steps)+1)})
		}
	}
	return list
}

// steps makes the steps of a series. Each probe that is judged has one of its own. Before every second one goes a probe
// that is only observed, so that of two nodes that answer in turn each gets some of the judged probes. The others that
// are only observed share the last step.
func (r *Run) steps(probes []exchange.Probe) (steps []control.Step) {
	var judged, observed []exchange.Probe
	for _, p := range probes {
		if r.Suite.Judges(p) {
			judged = append(judged, p)
		} else {
			observed = append(observed, p)
		}
	}
	for i, p := range judged {
		companion := slices.IndexFunc(observed, func(p exchange.Probe) bool { return p.IsHarmless() })
		if i%2 == 0 || companion < 0 {
			steps = append(steps, control.Step{p})
			continue
		}
		steps = append(steps, control.Step{observed[companion], p})
		observed = slices.Delete(observed, companion, companion+1)
	}
	if len(observed) > 0 {
		steps = append(steps, observed)
	}
	return steps
}

// count returns how many requests series send.
func count(list []*control.Series) int {
	n := 0
	for _, t := range list {
		n += len(t.Probes())
	}
	return n
}

// Plan lists every request that the run plans to send, in order. More are sent if the target throttles or its answers
// are unstable. If the target does not serve the first user, other users replace that one.
func (r *Run) Plan() []exchange.Probe {
	var probes []exchange.Probe
	first, remaining := r.reads()
	for _, s := range slices.Concat(first, remaining) {
		probes = append(probes, s.probes...)
	}
	eligible := func(schemas.Operation, schemas.Version) (exchange.User, bool) {
		users := firstEnrolled(r.Settings.Users, 1)
		if len(users) == 0 {
			return exchange.User{}, false
		}
		return users[0], true
	}
	for _, t := range slices.Concat(r.series(eligible, false), r.series(eligible, true)) {
		probes = append(probes, t.Probes()...)
	}
	number(probes, 0)
	return slices.DeleteFunc(probes, func(p exchange.Probe) bool { return r.Settings.Recorded[p.Version] != nil })
}

// numberSeries sets the ids of the probes of series and of their controls, and returns the last number.
func numberSeries(list []*control.Series, after int) int {
	for _, t := range list {
		for i := range t.Controls {
			after = number(t.Controls[i:i+1], after)
			if i < len(t.Steps) {
				after = number(t.Steps[i], after)
			}
		}
	}
	return after
}

// number sets the ids of the probes, starting after the given number, and returns the last number.
func number(probes []exchange.Probe, after int) int {
	for i := range probes {
		after++
		probes[i].ID = "e" + strconv.Itoa(after)
	}
	return after
}
