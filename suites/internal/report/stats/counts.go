package stats

import (
	"cmp"
	"slices"

	"authenticator-conformance/schemas"
)

// Counts holds the counts of a sweep so far. Its size does not depend on the number of users.
type Counts struct {
	Users int64 `json:"users"`
	// Differing is the number of users with a difference that is not waived, in either operation.
	Differing int64 `json:"differing"`
	// Violating is the number of users with a breach of the contract that is not waived.
	Violating int64                                    `json:"violating"`
	Requests  int64                                    `json:"requests"` // answered or failed, but not throttled
	Findings  map[schemas.Operation]*Findings          `json:"findings"`
	Outcomes  map[schemas.Operation]map[Outcome]*Share `json:"outcomes"`
	Witnessed map[schemas.Operation]bool               `json:"witnessed"` // both versions served data to some user
	Groups    []*Group                                 `json:"groups"`
	Ungrouped int64                                    `json:"lumped"` // findings of groups beyond the limit of 200
	Unsteady  []*UnsteadyPlace                         `json:"unsteady"`
	Roots     []*Root                                  `json:"rootCauses,omitempty"`
	Times     Times                                    `json:"times"`
	// Lists has the digests of the first lists of identifiers that are not empty, and of their users, sorted (J24).
	Lists []string `json:"lists,omitempty"`
	// ServedBy is how many users each operation of each version served something, and Served, for each version, the
	// smallest of these numbers, once the sweep is concluded (J22).
	Served   map[schemas.Version]int64 `json:"served"`
	ServedBy ByOperation               `json:"servedBy"`
	// Covered is how many users every operation of every version served something.
	Covered int64 `json:"covered"`
	// Unserved is the users whom nothing served, with how many of them got which answer. A user may have several.
	Unserved Share `json:"unserved"`
	// NotEnrolled is the users marked as not enrolled who are not in Covered; they are not in Unserved. NotEnrolledBy
	// is how many of the marked ones each operation of each version did not serve.
	NotEnrolled   int64       `json:"notEnrolled,omitempty"`
	NotEnrolledBy ByOperation `json:"notEnrolledBy"`
	// Divergences is how many users got which two ways to say that there is nothing, if they differ (J16, J22).
	Divergences map[schemas.Operation]map[string]int64 `json:"divergences,omitempty"`
	// Unrecorded is the users whom a record that is read does not have.
	Unrecorded int64 `json:"unrecorded,omitempty"`

	seed   uint64
	groups map[group]*Group
}

// ByOperation is a number of users by operation and version.
type ByOperation map[schemas.Operation]map[schemas.Version]int64

// newByOperation returns zero for each operation of these versions.
func newByOperation(versions []schemas.Version) ByOperation {
	zero := ByOperation{}
	for _, op := range schemas.Operations() {
		zero[op] = map[schemas.Version]int64{}
		for _, v := range versions {
			zero[op][v] = 0
		}
	}
	return zero
}

func (b ByOperation) add(other ByOperation) {
	for op := range b {
		for v, n := range other[op] {
			b[op][v] += n
		}
	}
}

// Findings counts lines of findings.ndjson.
type Findings struct {
	Differences int64 `json:"differences"` // between the versions
	Violations  int64 `json:"violations"`  // breaches of the contract
	Waived      int64 `json:"waived"`      // of either kind, covered by a waiver
	Open        int64 `json:"open"`        // users who could not be compared
}

// Share is how many users had an outcome, split by reason if the outcome has several.
type Share struct {
	Count int64            `json:"count"`
	Why   map[string]int64 `json:"why"`
}

// Bounds on what is stored. What exceeds them is still counted.
const (
	maxWhy       = 50
	maxGroups    = 200
	maxSample    = 50
	otherReasons = "other grounds"
)

// New returns empty counts of a sweep of these versions. The seed determines the samples of users: the same users give
// the same samples.
func New(seed uint64, versions ...schemas.Version) *Counts {
	t := &Counts{Outcomes: map[schemas.Operation]map[Outcome]*Share{}, Witnessed: map[schemas.Operation]bool{},
		Groups: []*Group{}, Unsteady: []*UnsteadyPlace{}, Times: Times{Seconds: 1, Buckets: []Bucket{}},
		Findings: map[schemas.Operation]*Findings{},
		Served:   map[schemas.Version]int64{}, ServedBy: newByOperation(versions),
		NotEnrolledBy: newByOperation(versions), Unserved: Share{Why: map[string]int64{}}}
	for _, op := range schemas.Operations() {
		t.Findings[op] = &Findings{}
		t.Witnessed[op] = false
		t.Outcomes[op] = map[Outcome]*Share{}
		for _, o := range Outcomes() {
			t.Outcomes[op][o] = &Share{Why: map[string]int64{}}
		}
	}
	t.Restore(seed)
	return t
}

// Restore makes counts that were read from a file ready for Add.
func (c *Counts) Restore(seed uint64) {
	c.seed, c.groups = seed, make(map[group]*Group, len(c.Groups))
	for _, g := range c.Groups {
		c.groups[g.group] = g
	}
}

func (s *Share) addReason(reason string, times int64) {
	if _, known := s.Why[reason]; !known && len(s.Why) >= maxWhy {
		reason = otherReasons
	}
	s.Why[reason] += times
}

// add adds the users of another shard, the most frequent reasons first: only a limited number is kept.
func (s *Share) add(other *Share) {
	s.Count += other.Count
	for _, reason := range other.Reasons() {
		s.addReason(reason.Why, reason.Count)
	}
}

// Count returns how many users had an outcome, summed over the operations.
func (c *Counts) Count(o Outcome) int64 {
	n := int64(0)
	for _, shares := range c.Outcomes {
		n += shares[o].Count
	}
	return n
}

// Found returns the findings of all operations, added up.
func (c *Counts) Found() Findings {
	var all Findings
	for _, one := range c.Findings {
		all.add(*one)
	}
	return all
}

func (f *Findings) add(other Findings) {
	f.Differences += other.Differences
	f.Violations += other.Violations
	f.Waived += other.Waived
	f.Open += other.Open
}

// add adds the counts of another shard.
func (c *Counts) add(other *Counts) {
	c.Users += other.Users
	c.Differing += other.Differing
	c.Violating += other.Violating
	c.Requests += other.Requests
	c.Ungrouped += other.Ungrouped
	c.Unrecorded += other.Unrecorded
	for _, op := range schemas.Operations() {
		c.Findings[op].add(*other.Findings[op])
		c.Witnessed[op] = c.Witnessed[op] || other.Witnessed[op]
		for _, o := range Outcomes() {
			c.Outcomes[op][o].add(other.Outcomes[op][o])
		}
	}
	for _, g := range other.Groups {
		c.join(g)
	}
	for _, p := range other.Unsteady {
		c.joinUnsteady(p)
	}
	for _, r := range other.Roots {
		c.joinRoot(r)
	}
	for _, digests := range other.Lists {
		c.addList(digests)
	}
	c.joinServed(other)
	c.Times.add(other.Times)
}

// sortGroups sorts the groups, those with the most users first, and the unsteady places.
func (c *Counts) sortGroups() {
	slices.SortFunc(c.Unsteady, func(a, b *UnsteadyPlace) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Pointer, b.Pointer))
	})
	slices.SortFunc(c.Groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(b.Users, a.Users), a.group.compare(b.group))
	})
}

// Reason is one reason for an outcome, with how many users had it.
type Reason struct {
	Why   string
	Count int64
}

// Reasons lists the reasons for an outcome, the most frequent first.
func (s *Share) Reasons() []Reason {
	list := make([]Reason, 0, len(s.Why))
	for reason, n := range s.Why {
		list = append(list, Reason{reason, n})
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Why, b.Why))
	})
	return list
}
