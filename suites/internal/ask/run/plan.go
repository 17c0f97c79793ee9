package run

import (
	"slices"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
)

// sequence is the well-formed requests for one user and operation. They are sent one after the other, in the order of
// J15.
type sequence struct {
	user   exchange.User
	probes []exchange.Probe
	// sideBySide are the requests for the user that are sent again with those for others; none but for the first users.
	sideBySide []exchange.Probe
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
	first, indexes := firstEnrolled(r.Settings.Users, crowdUsers), map[exchange.User]int{}
	for i, user := range r.Settings.Users {
		indexes[user] = i
	}
	for i, user := range users {
		for _, op := range schemas.Operations() {
			versions := r.sends[op].versions
			if len(versions) == 0 || !reads(op, i) {
				continue
			}
			base := exchange.Probe{Operation: op, User: user}
			s := sequence{user: user, probes: exchange.Reads(base, indexes[user], versions)}
			if r.sends[op].all && slices.Contains(first, user) {
				s.sideBySide = slices.DeleteFunc(exchange.Rounds(base, versions, 3, 3),
					func(p exchange.Probe) bool { return r.Settings.Recorded[p.Version] != nil })
			}
			list = append(list, s)
		}
	}
	return list
}

// crowdUsers is how many of the first enrolled users are read side by side (J15).
const crowdUsers = 8

// crowded is a request that is sent side by side with those for other users.
type crowded struct {
	index int // of its sequence
	probe exchange.Probe
}

// crowd returns what sequences send side by side, in the order sent: requests for different users follow each other.
func crowd(list []sequence) (jobs []crowded) {
	for i := 0; ; i++ {
		before := len(jobs)
		for _, op := range schemas.Operations() {
			for k, s := range list {
				if i < len(s.sideBySide) && s.sideBySide[i].Operation == op {
					jobs = append(jobs, crowded{k, s.sideBySide[i]})
				}
			}
		}
		if len(jobs) == before {
			return jobs
		}
	}
}

// reads plans the sequences. The first are for the first enrolled users and show whether the target answers at all
// (J19). The others follow the order of the users file.
func (r *Run) reads() (first, remaining []sequence) {
	asked := firstEnrolled(r.Settings.Users, asker.FirstUsers)
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

// eligible returns the user for the probes that are not well-formed; false if there is none.
type eligible func(schemas.Operation, schemas.Version) (exchange.User, bool)

// series plans the probes that are not well-formed, for the eligible user of each operation and version, in turn with
// controls (J23). Those with a bad token are last.
func (r *Run) series(eligible eligible) []*asker.Series {
	return append(r.seriesOf(schemas.Negative, eligible), r.seriesOf(schemas.AuthFailure, eligible)...)
}

func (r *Run) seriesOf(risk schemas.Risk, eligible eligible) (list []*asker.Series) {
	for _, op := range schemas.Operations() {
		for _, v := range r.Settings.Versions {
			user, ok := eligible(op, v)
			mutations := slices.DeleteFunc(slices.Clone(r.sends[op].mutations[v]),
				func(m exchange.Mutation) bool { return m.Risk() != risk })
			if !ok || len(mutations) == 0 {
				continue
			}
			base := exchange.Probe{Operation: op, Version: v, Segment: string(v), User: user}
			steps := r.steps(exchange.Mutated(base, mutations))
			list = append(list, &asker.Series{Steps: steps,
				Controls: slices.Repeat([]exchange.Probe{asker.Of(base)}, len(steps)+1)})
		}
	}
	return list
}

// steps makes the steps of probes: each that is judged is sent twice in a row, so that of two nodes that answer in turn
// both get it (J13). Those with a bad token are sent once each, one after the other, as each may count towards a
// lockout. Those that are only observed share the last step, and are sent once.
func (r *Run) steps(probes []exchange.Probe) (steps []asker.Step) {
	var badTokens, observed asker.Step
	for _, p := range probes {
		switch {
		case !r.Suite.Judges(p):
			observed = append(observed, p)
		case p.Risk() == schemas.AuthFailure:
			badTokens = append(badTokens, p)
		default:
			steps = append(steps, exchange.Rounds(p, []schemas.Version{p.Version}, 1, 2))
		}
	}
	for _, step := range []asker.Step{badTokens, observed} {
		if len(step) > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// count returns how many requests series send.
func count(list []*asker.Series) int {
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
	sequences := slices.Concat(first, remaining)
	for _, s := range sequences {
		probes = append(probes, s.probes...)
	}
	for _, j := range crowd(sequences) {
		probes = append(probes, j.probe)
	}
	firstUser := func(schemas.Operation, schemas.Version) (exchange.User, bool) {
		users := append(firstEnrolled(r.Settings.Users, 1), exchange.User{})
		return users[0], len(users) > 1
	}
	for _, t := range r.series(firstUser) {
		probes = append(probes, t.Probes()...)
	}
	number(probes, 0)
	return slices.DeleteFunc(probes, func(p exchange.Probe) bool { return r.Settings.Recorded[p.Version] != nil })
}

// numberSeries sets the ids of the probes of series and of their controls, and returns the last number.
func numberSeries(list []*asker.Series, after int) int {
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
		probes[i].ID = exchangeID(after)
	}
	return after
}

// exchangeID returns the id of the n-th planned exchange.
func exchangeID(n int) string { return "e" + strconv.Itoa(n) }
