package ledger

import (
	"math/big"
	"math/bits"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Key names a row.
type Key struct {
	ID      string
	Version schemas.Version
}

func (k Key) String() string { return k.ID + " " + string(k.Version) }

// Row is one requirement in one version, with its results.
type Row struct {
	Key
	Requirement *spec.Requirement
	Selected    bool // false if a filter left it out
	Missing     bool // the evidence lacks an exchange that the row needs
	check.Outcome
	Reason Reason  // why it is inconclusive
	Behind *Row    // the row that leaves it undecided, as that one failed or is unsteady; nil for none
	Waiver *Waiver // the waiver that applies to it; nil if none does
	Ended  bool    // a waiver of it has ended

	// Spent is the time of the requests that were judged for it: of each its share, as most are judged for many rows.
	Spent time.Duration

	failing userSets[check.Key] // who has a finding, by the key of its cause; the empty key has all
}

// FailingUsers returns for how many users a well-formed request had a finding.
func (r *Row) FailingUsers() int { return bitCount(r.failing[check.Key{}]) }

// UsersOf returns for how many users a well-formed request had a finding of the cause.
func (r *Row) UsersOf(c check.Cause) int { return bitCount(r.failing[c.Key]) }

// fails notes that a user has findings of these causes.
func (r *Row) fails(user int, causes []check.Cause) {
	r.failing.add(check.Key{}, user)
	for _, c := range causes {
		r.failing.add(c.Key, user)
	}
}

// userSets has numbers of users by a key. Each is a set of bits, which is small even for a target that breaks
// everything for everybody.
type userSets[K comparable] map[K]*big.Int

func (u userSets[K]) add(key K, user int) {
	if u[key] == nil {
		u[key] = &big.Int{}
	}
	u[key].SetBit(u[key], user, 1)
}

// union returns the users who are in any of these sets, of which each may be nil.
func union(sets ...*big.Int) *big.Int {
	all := &big.Int{}
	for _, set := range sets {
		if set != nil {
			all.Or(all, set)
		}
	}
	return all
}

// bitCount returns how many bits of a set are set; 0 if it is nil.
func bitCount(set *big.Int) (n int) {
	if set != nil {
		for _, word := range set.Bits() {
			n += bits.OnesCount(uint(word))
		}
	}
	return n
}

// Reason is why a row is inconclusive.
type Reason string

// The reasons.
const (
	NoWitness     Reason = "no-witness"     // no record of the run showed a value
	NotServed     Reason = "not-served"     // no request that the row depends on was served
	NotComparable Reason = "not-comparable" // a row of parity: no two answers could be compared
	NoControl     Reason = "no-control"     // a request was refused, but nobody was served at that time (J23)
	// UnsteadyAnswers is of a row in which the answers go back and forth between identical calls (J15).
	UnsteadyAnswers Reason = "unsteady"
	NotRun          Reason = "not-run" // a filter, the end of the run, or missing evidence
)

// Verdict is the verdict of a row or of a run, in the terms of ISO/IEC 9646.
type Verdict string

// The verdicts. Only a run can have Fault.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	Fault        Verdict = "error"
)

// Verdict returns the row's verdict. Any finding fails the row; without findings, a witness passes it.
func (r *Row) Verdict() Verdict {
	switch {
	case !r.Selected:
		return Inconclusive
	case r.Count > 0:
		return Fail
	case r.Witnesses > 0 && !r.Missing && r.Uncontrolled == 0 && r.Unsteady == 0:
		return Pass
	default:
		return Inconclusive
	}
}
