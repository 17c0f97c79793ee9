package run

import (
	"slices"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// chain is the well-formed requests for one user and operation: they go out one after the other, in the order of J15.
type chain struct {
	user   settings.User
	probes []exchange.Probe
}

// reads plans the chains, users in the order of their file. Where no row asks for well-formed requests, they are sent
// only to find a user for the altered ones, so one user's are planned.
func (r *Run) reads() []chain {
	versions := r.readVersions()
	users := r.Settings.Users
	if !r.wantsReads() {
		users = firstEnrolled(users)
	}
	var chains []chain
	for _, user := range users {
		for _, op := range schemas.Operations() {
			if len(versions) > 0 && r.wantsOperation(op) {
				chains = append(chains, chain{user, exchange.Reads(exchange.Probe{Operation: op, User: user}, versions)})
			}
		}
	}
	return chains
}

func firstEnrolled(users []settings.User) []settings.User {
	for i, user := range users {
		if user.Enrolled {
			return users[i : i+1]
		}
	}
	return nil
}

// wantsReads tells whether some row that well-formed requests tell about is part of the run.
func (r *Run) wantsReads() bool {
	return slices.ContainsFunc(r.Contract.Requirements, func(q schemas.Requirement) bool {
		return q.Risk == schemas.Read && r.wantsAnywhere(q.ID)
	})
}

func (r *Run) wantsAnywhere(id string) bool {
	return r.wants(id, schemas.Parity) || slices.ContainsFunc(r.Settings.Versions, func(v schemas.Version) bool { return r.wants(id, v) })
}

// readVersions are the versions that some wanted row is about; a row of parity is about both.
func (r *Run) readVersions() []schemas.Version {
	var versions []schemas.Version
	for _, v := range r.Settings.Versions {
		if slices.ContainsFunc(r.Contract.Requirements, func(q schemas.Requirement) bool {
			return q.Kind != schemas.Excluded && (r.wants(q.ID, v) || q.Parity && r.wants(q.ID, schemas.Parity))
		}) {
			versions = append(versions, v)
		}
	}
	return versions
}

func (r *Run) wantsOperation(op schemas.Operation) bool {
	return slices.ContainsFunc(r.Contract.Requirements, func(q schemas.Requirement) bool {
		return q.Kind != schemas.Excluded && slices.Contains(q.Operations, op) && r.wantsAnywhere(q.ID)
	})
}

// altered plans the probes that are not well-formed, for the user found fit in each operation and version: those without
// a bad token, or those with one.
func (r *Run) altered(fit func(schemas.Operation, schemas.Version) (settings.User, bool), tokens bool) []exchange.Probe {
	var probes []exchange.Probe
	for _, op := range schemas.Operations() {
		for _, v := range r.Settings.Versions {
			user, ok := fit(op, v)
			if !ok {
				continue
			}
			base := exchange.Probe{Operation: op, Version: v, User: user}
			for _, p := range exchange.Altered(base, r.Contract.Request(op).Members(), tokens) {
				if slices.ContainsFunc(p.Rows(), func(id string) bool { return r.wants(id, v) }) {
					probes = append(probes, p)
				}
			}
		}
	}
	return probes
}

// Plan lists every request that the run means to send, in order. Where the target throttles, or answers identical
// requests differently, more are sent; where it does not serve the first user, others take that user's place.
func (r *Run) Plan() []exchange.Probe {
	var probes []exchange.Probe
	for _, c := range r.reads() {
		probes = append(probes, c.probes...)
	}
	first := func(schemas.Operation, schemas.Version) (settings.User, bool) {
		users := firstEnrolled(r.Settings.Users)
		return users[0], true
	}
	probes = append(probes, r.altered(first, false)...)
	probes = append(probes, r.altered(first, true)...)
	number(probes, 0)
	return probes
}

// number gives the probes their ids, from after the given number on.
func number(probes []exchange.Probe, after int) int {
	for i := range probes {
		after++
		probes[i].ID = "e" + strconv.Itoa(after)
	}
	return after
}
