// Package stats counts the results of a sweep in memory that does not depend on the number of users. It counts outcomes
// by operation, findings by cause with a random sample of users, and what happened over time, and derives the verdict.
// The counts of shards add up to those of the whole.
package stats

import (
	"encoding/json"
	"maps"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

// Outcome is the result of one operation for one user. Every user has exactly one for each operation.
type Outcome string

// The outcomes.
const (
	Equal          Outcome = "equal"            // both versions answer alike, within the contract (J14)
	EqualUnderRule Outcome = "equal-under-rule" // they differ only in ways that a rule allows
	NothingAlike   Outcome = "nothing-alike"    // both report that the user has no data, in whatever way (§4.3)
	Moved          Outcome = "moved"            // they differed, and ended equal: the data changed once (J15)
	Unsteady       Outcome = "unsteady"         // identical calls go back and forth; decided over all users (J15)
	Different      Outcome = "different"        // they differ, also after the requests were repeated
	BothViolate    Outcome = "both-violate"     // they don't differ, and both break the contract
	NotComparable  Outcome = "not-comparable"   // a version gave no answer, or the two answers can't be compared
)

// Outcomes lists all outcomes in the order of the reports.
func Outcomes() []Outcome {
	return []Outcome{Equal, EqualUnderRule, NothingAlike, Moved, Unsteady, Different, BothViolate, NotComparable}
}

// Finding is one line of findings.ndjson: a breach of the contract by one version, or a difference between the two, for
// one user. A user who could not be compared also gets one: its Requirement is empty, its Kind not-comparable.
type Finding struct {
	User        User              `json:"user"`
	Operation   schemas.Operation `json:"operation"`
	Version     schemas.Version   `json:"version"` // v5=v6 for a difference, and if nothing could be compared
	Requirement string            `json:"requirement"`
	Kind        string            `json:"kind"`
	Pointer     string            `json:"pointer"`       // RFC 6901, from the root of the body
	Off         string            `json:"off,omitempty"` // what is off there; "" if it is the kind
	Count       int               `json:"count"`         // how often in this answer
	Expected    string            `json:"expected"`
	Actual      string            `json:"actual"`
	Brief       string            `json:"brief,omitempty"` // what came and was expected, if of a whole answer
	Exchange    string            `json:"exchange"`        // the request's id, as in the target's logs
	Waived      bool              `json:"waived"`          // a waiver covers its requirement
	Root        string            `json:"root,omitempty"`  // the text of its root cause
	// Repeat has the commands that send the requests again, a line each. The first sample of a group keeps them.
	Repeat  string   `json:"repeat,omitempty"`
	Members []string `json:"-"` // where the root cause shows in this answer
	// Values is what each version answered there: JSON, or how the request was refused. A version has none if it has
	// nothing there, or the finding is about the other one. In JSON each is a member by the version's name. Samples of
	// groups leave them out.
	Values map[schemas.Version]string `json:"-"`
}

// MarshalJSON writes the finding, and last the values.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	text, err := strictjson.Encode(plain(f))
	for _, v := range slices.Sorted(maps.Keys(f.Values)) {
		if f.Values[v] != "" && err == nil {
			text = append(strictjson.AppendQuoted(append(text[:len(text)-1], ','), string(v)), ':')
			text = append(strictjson.AppendQuoted(text, f.Values[v]), '}')
		}
	}
	return text, err
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Finding) UnmarshalJSON(text []byte) error {
	type plain Finding
	if err := json.Unmarshal(text, (*plain)(f)); err != nil {
		return err
	}
	seen, err := report.SeenIn(text)
	for v, shown := range seen {
		f.SetValue(v, shown.String())
	}
	return err
}

// key returns the key of the finding's cause.
func (f *Finding) key() check.Key {
	return check.Key{Kind: f.Kind, Pointer: strictjson.General(f.Pointer), Off: f.Off}
}

// Open reports whether the user could not be compared. Such a finding does not fail the sweep.
func (f *Finding) Open() bool { return f.Requirement == "" }

// Differs reports whether the finding is a difference between the versions that no waiver covers.
func (f *Finding) Differs() bool { return !f.Open() && !f.Waived && f.Version.IsPair() }

// Violates reports whether the finding is a breach of the contract that no waiver covers.
func (f *Finding) Violates() bool { return !f.Open() && !f.Waived && !f.Version.IsPair() }

// SetValue stores what a version answered.
func (f *Finding) SetValue(v schemas.Version, text string) {
	if f.Values == nil {
		f.Values = map[schemas.Version]string{}
	}
	f.Values[v] = text
}

// User identifies a user: the index in the population, from 0, and both ids, safe to print.
type User struct {
	Index  int64  `json:"index"`
	ID     string `json:"id"`
	UserID string `json:"userId"`
}

// Result is the result of one operation for one user. The zero value is that of an operation that is not counted now.
type Result struct {
	Outcome    Outcome
	Why        string            // the reason for an outcome that has several
	Divergence string            // the two ways to say that there is nothing, if they differ (J16, J22)
	Served     []schemas.Version // versions with an answer that has something about the user (J22)
	Unserved   []string          // the answers of the versions that had none, such as "status 404"
	Unrecorded bool              // the record of a version does not have the user
	Witnessed  bool              // both versions served data, which a refusal must not contain (J13)
	Changes    []Change
	Findings   []Finding
	// the digests of a list of identifiers, as check.ListDigests returns them; "" if they are not kept
	List string
}

// Change is a place that changes between identical calls for a user (J15).
type Change struct {
	Documented bool
	Ended      bool                     // equal in both versions
	Again      bool                     // in a block that was asked again
	In         map[schemas.Version]bool // in which versions of the pair
	Finding    Finding                  // what it is if it changes in one version only; its pointer is the place
}
