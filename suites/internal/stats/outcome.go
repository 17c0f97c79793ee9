// Package stats counts what a sweep finds, in memory that does not depend on how many users there are, and says what it
// came to: the outcomes by operation, the findings by cause with a random sample of users each, what happened when, and
// the verdict that follows. The tallies of shards add up to that of the whole.
package stats

import (
	"authenticator-conformance/schemas"
)

// Outcome is what became of one user and operation. Every user is counted under exactly one for each operation.
type Outcome string

// The outcomes.
const (
	Equal          Outcome = "equal"            // both versions answer alike, within the contract (J14)
	EqualUnderRule Outcome = "equal-under-rule" // they differ only where a rule says that it does not count
	NothingAlike   Outcome = "nothing-alike"    // both say in the same way that the user has nothing (§4.3)
	Drift          Outcome = "drift"            // they differed, and did not when they were read again
	Different      Outcome = "different"        // they differ, and did so again
	BothViolate    Outcome = "both-violate"     // they do not differ, and both break the contract
	NotComparable  Outcome = "not-comparable"   // one of them brought no answer, or what they bring can't be held against each other
)

// Outcomes lists them in the order in which they are told.
func Outcomes() []Outcome {
	return []Outcome{Equal, EqualUnderRule, NothingAlike, Drift, Different, BothViolate, NotComparable}
}

// Finding is a breach of the contract by one version, or a difference between the two, for one user. It is a line of
// findings.ndjson. So is a user who could not be compared: its Requirement is then empty, its Kind not-comparable.
type Finding struct {
	User        User              `json:"user"`
	Operation   schemas.Operation `json:"operation"`
	Version     schemas.Version   `json:"version"` // v5=v6 for a difference, and where nothing could be compared
	Requirement string            `json:"requirement"`
	Kind        string            `json:"kind"`
	Pointer     string            `json:"pointer"` // RFC 6901, from the root of the body
	Count       int               `json:"count"`   // how often in this answer
	Expected    string            `json:"expected"`
	Actual      string            `json:"actual"`
	Exchange    string            `json:"exchange"` // the request's id, which the target's logs have in its User-Agent
	Waived      bool              `json:"waived"`   // a waiver sets its requirement aside
	// V5 and V6 are what each version answered there: JSON, or how the request was refused; "" if the version has nothing
	// there, or the finding is not about it. They are in findings.ndjson and not in the samples of groups.
	V5 string `json:"v5,omitempty"`
	V6 string `json:"v6,omitempty"`
}

// Open tells whether the finding accuses nobody: the user could not be compared.
func (f *Finding) Open() bool { return f.Requirement == "" }

// Differs reports whether the finding is a difference between the versions that no waiver sets aside.
func (f *Finding) Differs() bool { return !f.Open() && !f.Waived && f.Version == schemas.Parity }

// Violates reports whether the finding is a breach of the contract that no waiver sets aside.
func (f *Finding) Violates() bool { return !f.Open() && !f.Waived && f.Version != schemas.Parity }

// User names a user: its place in the population, from 0, and its two ids, fit to be shown.
type User struct {
	Index  int64  `json:"index"`
	ID     string `json:"id"`
	UserID string `json:"userId"`
}

// Look is what came of one user and operation.
type Look struct {
	Outcome   Outcome
	Why       string // of an outcome that has more than one ground
	Witnessed bool   // both versions served what a refusal does not hold (J13)
	Unwelcome bool   // both versions answered that the caller may not ask (401, 403)
	Findings  []Finding
}
