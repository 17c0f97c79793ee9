// Package spec defines how the contract's requirements are written: what each sends, and what it checks or observes.
// Package conformance writes them, section by section. This package merges the requests that they send and passes each
// answer to every requirement that asked for it.
package spec

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Requirement is a row of the catalogue with what it sends and what it checks. The methods set its parts. They return
// the requirement, so calls can be chained.
type Requirement struct {
	schemas.Requirement
	suite *Suite
	sends []send

	// Exactly one of these is set for a documented requirement.
	eachAnswer func(*check.Answer) check.Outcome
	eachCall   func(a *check.Answer, calls []*check.Answer) check.Outcome
	eachList   func(*check.Answer) check.Outcome
	eachRecord func(*check.Object) check.Outcome
	eachDevice func(*check.Object) check.Outcome
	Lists      listsCheck     // judges the lists of all users together
	Comparison check.Aspect   // in which the answers of a pair for the same user are compared; "" for none
	OpenPoint  openPointCheck // judges a pair at an open point

	// Exactly one of these is set for an open point.
	observe        func(*check.Answer) []any
	observeRecords func(record, device *check.Object) []any
	Order          orderObserver                                    // of all answers for one user together
	Overlap        func(records []string, list *check.Answer) []any // of the records and the list of one user

	summary     check.Summary
	Member      string // the member whose values are observed; "" if it observes anything else
	everyAnswer bool   // observe every answer of the operation, not only those to its own requests
	noneCounts  bool   // an answer without observations also counts as an observation

	onlyIf func(Options) bool
}

type (
	openPointCheck func(id string, pair schemas.Pair, behavior map[schemas.Version]*check.Observed,
		agree bool) check.Outcome
	listsCheck    func(*check.Lists, schemas.Version) []check.Outcome
	orderObserver func([]schemas.Pair, []*check.Answer) map[schemas.Version]string
)

// send is what a requirement sends to one operation.
type send struct {
	operation schemas.Operation
	mutations []exchange.Mutation
}

// Options are the settings that decide which requirements are judged.
type Options struct {
	Versions        []schemas.Version
	ShapeOnly       bool // parity: shape
	DivergenceFails bool // divergence: fail
	// Recorded are versions that are read from a record. They are only compared: nothing is judged in them.
	Recorded []schemas.Version
}

// Send adds one request for each mutation. It goes to each version, for the users that it needs.
func (r *Requirement) Send(op schemas.Operation, mutations ...exchange.Mutation) *Requirement {
	r.sends = append(r.sends, send{op, mutations})
	return r
}

// SendToBoth adds requests to both operations.
func (r *Requirement) SendToBoth(mutations ...exchange.Mutation) *Requirement {
	return r.Send(GetUserAuth, mutations...).Send(FindByUserIds, mutations...)
}

// SendEach adds one request with the mutation for each field of the requests of both operations, except the fields
// named.
func (r *Requirement) SendEach(mutation func(field string) exchange.Mutation, but ...string) *Requirement {
	for _, op := range schemas.Operations() {
		for _, field := range r.suite.Contract.Request(op).Members() {
			if !slices.Contains(but, field) {
				r.Send(op, mutation(field))
			}
		}
	}
	return r
}

// EachAnswer judges each answer to the requests sent.
func (r *Requirement) EachAnswer(check func(*check.Answer) check.Outcome) { r.eachAnswer = check }

// EachCall judges each answer to a well-formed request beside all answers of its version to the same request.
func (r *Requirement) EachCall(check func(a *check.Answer, calls []*check.Answer) check.Outcome) {
	r.eachCall = check
}

// EachList judges each array that findByUserIds answers.
func (r *Requirement) EachList(check func(*check.Answer) check.Outcome) { r.eachList = check }

// AllLists judges what findByUserIds answered in a version, of all users together, at the end of the run.
func (r *Requirement) AllLists(check listsCheck) { r.Lists = check }

// EachRecord judges each record that getUserAuth answers.
func (r *Requirement) EachRecord(check func(*check.Object) check.Outcome) { r.eachRecord = check }

// EachDevice judges the device of each record, if it has one.
func (r *Requirement) EachDevice(check func(*check.Object) check.Outcome) { r.eachDevice = check }

// EachComparison judges the answers of both versions for the same user.
func (r *Requirement) EachComparison(aspect check.Aspect) *Requirement {
	r.Comparison = aspect
	return r
}

// EachOpenPoint judges the behavior of both versions at each open point of the operation.
func (r *Requirement) EachOpenPoint(check openPointCheck) *Requirement {
	r.OpenPoint = check
	return r
}

// OnlyIf leaves the requirement out of runs whose options do not ask for it.
func (r *Requirement) OnlyIf(condition func(Options) bool) { r.onlyIf = condition }

// Observe records what each answer to the requests sent shows.
func (r *Requirement) Observe(observe func(*check.Answer) []any) *Requirement {
	r.observe = observe
	return r
}

// ObserveEveryAnswer records what each answer of the operation shows, including answers to other requirements'
// requests.
func (r *Requirement) ObserveEveryAnswer(observe func(*check.Answer) []any) *Requirement {
	r.everyAnswer = true
	return r.Observe(observe)
}

// ObserveRecords records what each record and its device show.
func (r *Requirement) ObserveRecords(observe func(record, device *check.Object) []any) *Requirement {
	r.observeRecords = observe
	return r
}

// ObserveNumber records the value of a member of each record, if it is a number.
func (r *Requirement) ObserveNumber(member string) *Requirement {
	r.Member = member
	return r.ObserveRecords(check.Number(member))
}

// ObserveOrder records what all answers for one user show together.
func (r *Requirement) ObserveOrder(observe orderObserver) *Requirement {
	r.Order = observe
	return r
}

// ObserveOverlap records what the records and the identifier list of one user show together.
func (r *Requirement) ObserveOverlap(observe func(records []string, list *check.Answer) []any) {
	r.Overlap = observe
}

// As sets how the observations are summarized. By default they are listed.
func (r *Requirement) As(summary check.Summary) { r.summary = summary }

// OrNone counts an answer that shows nothing as an observation, with this text.
func (r *Requirement) OrNone(behavior string) {
	r.noneCounts, r.summary = true, check.List(behavior)
}

// Asks reports whether the requirement is about the answer to a probe.
func (r *Requirement) Asks(p exchange.Probe) bool {
	if !r.In(p.Version) {
		return false
	}
	if r.everyAnswer || r.OpenPoint != nil {
		return slices.Contains(r.Operations, p.Operation)
	}
	return slices.ContainsFunc(r.sends, func(s send) bool {
		return s.operation == p.Operation && slices.Contains(s.mutations, p.Mutation())
	})
}

// Needs reports whether the requirement is judged by the answer to a probe, its own or another's: whose identifiers
// were answered shows in the records, too.
func (r *Requirement) Needs(p exchange.Probe) bool {
	return r.Asks(p) || r.Lists != nil && p.WellFormed() && r.In(p.Version)
}

// OnlyReads reports whether the requirement is about answers to well-formed requests alone: a record has these.
func (r *Requirement) OnlyReads() bool {
	return !r.everyAnswer && !slices.ContainsFunc(r.sends, func(s send) bool {
		return slices.ContainsFunc(s.mutations, func(m exchange.Mutation) bool { return m != WellFormed })
	})
}

// Sends lists what the requirement sends to an operation.
func (r *Requirement) Sends(op schemas.Operation) []exchange.Mutation {
	var list []exchange.Mutation
	for _, s := range r.sends {
		if s.operation == op {
			list = append(list, s.mutations...)
		}
	}
	return list
}

// Versions lists the versions in which a run judges or observes the requirement; empty if it does not.
func (r *Requirement) Versions(o Options) []schemas.Version {
	if r.Kind == schemas.Excluded || r.onlyIf != nil && !r.onlyIf(o) {
		return nil
	}
	return slices.DeleteFunc(r.suite.Contract.VersionsOf(r.Requirement, o.Versions), func(v schemas.Version) bool {
		return slices.Contains(o.Recorded, v)
	})
}

// Observed returns what was observed, with how often, in the form in which it is summarized.
func (r *Requirement) Observed(count map[any]int) *check.Observed {
	return &check.Observed{Count: count, Summary: r.summary, Shows: r.Shows}
}

// Place returns the place (J15) of the member that the requirement is about, of a record or its device; "" for none.
func (r *Requirement) Place() string {
	name := r.ID[strings.LastIndex(r.ID, "/"):]
	switch {
	case r.eachRecord != nil:
		return name
	case r.eachDevice != nil:
		return "/Device" + name
	}
	return ""
}

// DependsOn reports whether the requirement can only be judged if another one of the same version holds: its operation
// serves, its record has the object with its member, or, for requests that must be refused, users have identifiers.
func (r *Requirement) DependsOn(other *Requirement) bool {
	within := other.Place() != "" && strings.HasPrefix(r.Place(), other.Place()+"/")
	serves := other.eachCall != nil || other.eachList != nil && r.Risk != schemas.Read
	return within || r != other && serves && slices.Equal(r.Operations, other.Operations)
}

// Shape returns the schema and the member that a documented requirement is about: that of a record, a device or a
// request. The member is "" if it is about the whole. The schema is nil if it is about no message.
func (r *Requirement) Shape() (schema *schemas.Schema, member string) {
	name := r.ID[strings.LastIndex(r.ID, "/")+1:]
	switch of := r.suite.Contract; {
	case r.eachRecord != nil:
		return of.Record, name
	case r.eachDevice != nil:
		return of.Device, name
	case r.eachAnswer != nil && r.sends[0].mutations[0] != WellFormed:
		return of.Request(r.sends[0].operation), r.sends[0].mutations[0].Field
	case r.eachCall != nil && r.sends[0].operation == GetUserAuth:
		return of.Record, ""
	case r.eachCall != nil, r.eachList != nil:
		return of.Identifiers, ""
	}
	return nil, ""
}
