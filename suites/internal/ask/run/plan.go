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

// series plans the probes that are not well-formed and have no bad token, for the eligible user of each operation and
// version, in turn with controls (J23). The second version begins with two more controls: where each version has a
// counter of its own for the nodes, another node gets each probe then.
func (r *Run) series(eligible eligible) (list []*control.Series) {
	begun := map[schemas.Version]bool{}
	for _, op := range schemas.Operations() {
		for _, v := range r.Settings.Versions {
			list = append(list, r.seriesOf(eligible, op, v,
				func(m exchange.Mutation) bool { return m.Risk() != schemas.AuthFailure },
				func(probes []exchange.Probe) []control.Step {
					steps := r.apart(probes)
					if !begun[v] {
						steps = append(make([]control.Step, 2*len(begun)), steps...)
					}
					begun[v] = true
					return steps
				})...)
		}
	}
	return list
}

// badTokens plans the probes with a bad token, version by version: first the random ones of both operations, then the
// others. Those that are only observed are where they bring the two probes of a requirement to their distance.
func (r *Run) badTokens(eligible eligible) (list []*control.Series) {
	for _, v := range r.Settings.Versions {
		second := map[schemas.Operation]int{} // the place of the second probe
		for _, random := range []bool{true, false} {
			for _, op := range schemas.Operations() {
				next := count(list) + 1
				list = append(list, r.seriesOf(eligible, op, v, func(m exchange.Mutation) bool {
					return m.Risk() == schemas.AuthFailure && (m.Kind == exchange.RandomToken) == random
				}, func(probes []exchange.Probe) []control.Step {
					if random {
						second[op] = next + distance
					}
					judged, observed := r.divide(probes)
					before := min(max(second[op]-next, 0), len(observed))
					return []control.Step{slices.Concat(observed[:before], judged, observed[before:])}
				})...)
			}
		}
	}
	return list
}

// divide returns the probes that are judged, and those that are only observed.
func (r *Run) divide(probes []exchange.Probe) (judged, observed []exchange.Probe) {
	for _, p := range probes {
		if r.Suite.Judges(p) {
			judged = append(judged, p)
		} else {
			observed = append(observed, p)
		}
	}
	return judged, observed
}

// eligible returns the user for the probes that are not well-formed; false if there is none.
type eligible func(schemas.Operation, schemas.Version) (exchange.User, bool)

// seriesOf plans the series for an operation and version, or none if there are no mutations that are wanted.
func (r *Run) seriesOf(eligible eligible, op schemas.Operation, v schemas.Version, wanted func(exchange.Mutation) bool,
	steps func([]exchange.Probe) []control.Step) []*control.Series {
	user, ok := eligible(op, v)
	mutations := slices.DeleteFunc(slices.Clone(r.sends[op].mutations[v]), func(m exchange.Mutation) bool {
		return m == spec.WellFormed || !wanted(m)
	})
	if !ok || len(mutations) == 0 {
		return nil
	}
	base := exchange.Probe{Operation: op, Version: v, Segment: string(v), User: user}
	planned := steps(exchange.Mutated(base, mutations))
	return []*control.Series{{Steps: planned,
		Controls: slices.Repeat([]exchange.Probe{control.Of(base)}, len(planned)+1)}}
}

// distance is how far apart, in requests, the two probes of a requirement are sent. Of two to six nodes that answer in
// turn, no one gets both.
const distance = 7

// apart makes the steps of probes without a bad token. Each that is judged has a step of its own. Up to three
// requirements go together: the first probe of each, what is needed for the distance, the second of each. Needed are
// probes that are only observed or, if there are none, controls. The others that are only observed share the last step.
func (r *Run) apart(probes []exchange.Probe) (steps []control.Step) {
	judged, observed := r.divide(probes)
	var firsts, seconds []exchange.Probe
	end := func() {
		for _, p := range firsts {
			steps = append(steps, control.Step{p})
		}
		var before control.Step
		for needed := distance - 2*len(firsts); needed > 0 && len(seconds) > 0; needed-- {
			i := slices.IndexFunc(observed, exchange.Probe.IsHarmless)
			if i < 0 {
				steps = append(steps, control.Step{})
				continue
			}
			before, observed = append(before, observed[i]), slices.Delete(observed, i, i+1)
		}
		for _, p := range seconds {
			steps, before = append(steps, append(before, p)), nil
		}
		firsts, seconds = nil, nil
	}
	for _, p := range judged {
		if p.Kind == exchange.Null {
			seconds = append(seconds, p)
			continue
		}
		if len(firsts) == distance/2 {
			end()
		}
		firsts = append(firsts, p)
	}
	if end(); len(observed) > 0 {
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
	firstUser := func(schemas.Operation, schemas.Version) (exchange.User, bool) {
		users := firstEnrolled(r.Settings.Users, 1)
		if len(users) == 0 {
			return exchange.User{}, false
		}
		return users[0], true
	}
	for _, t := range slices.Concat(r.series(firstUser), r.badTokens(firstUser)) {
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
