package stats

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// group is the key by which findings are grouped: what all findings of one cause have in common.
type group struct {
	Operation   schemas.Operation `json:"operation"`
	Version     schemas.Version   `json:"version"`
	Requirement string            `json:"requirement"`
	Kind        string            `json:"kind"`
	Pointer     string            `json:"pointer"` // with * in place of each array index
	Waived      bool              `json:"waived"`
}

// Group is all findings of one cause, with a random sample of the users who show it.
type Group struct {
	group
	Users    int64     `json:"users"`    // users with such a finding
	Findings int64     `json:"findings"` // lines of findings.ndjson
	Count    int64     `json:"count"`    // of places; one line can be about several
	Sample   []Finding `json:"sample"`   // at most one finding of each user
	Root     string    `json:"root,omitempty"`

	last int64 // index of the last user counted, plus one: the findings of a user arrive one after the other
}

func (g group) compare(other group) int {
	return cmp.Or(cmp.Compare(g.Operation, other.Operation), cmp.Compare(g.Requirement, other.Requirement),
		cmp.Compare(g.Version, other.Version),
		cmp.Compare(g.Pointer, other.Pointer), cmp.Compare(g.Kind, other.Kind), cmp.Compare(waived(g), waived(other)))
}

func waived(g group) int {
	if g.Waived {
		return 1
	}
	return 0
}

func (c *Counts) find(f *Finding) {
	count := c.Findings[f.Operation]
	switch {
	case f.Open():
		count.Open++
		return // it is counted under its outcome, by reason
	case f.Waived:
		count.Waived++
	case f.Version.IsPair():
		count.Differences++
	default:
		count.Violations++
	}
	c.countRoot(f)
	g := c.findOrAddGroup(group{f.Operation, f.Version, f.Requirement, f.Kind, strictjson.General(f.Pointer), f.Waived})
	if g == nil {
		c.Ungrouped++
		return
	}
	if g.Findings == 0 {
		g.Root = f.Root
	}
	g.Findings++
	g.Count += int64(f.Count)
	if g.last == f.User.Index+1 {
		return
	}
	g.last = f.User.Index + 1
	g.Users++
	g.sample(*f, c.seed)
}

// findOrAddGroup finds or creates the group of a key. It returns nil if there are too many groups.
func (c *Counts) findOrAddGroup(key group) *Group {
	if g := c.groups[key]; g != nil {
		return g
	}
	if len(c.Groups) >= maxGroups {
		return nil
	}
	g := &Group{group: key, Sample: []Finding{}}
	c.Groups, c.groups[key] = append(c.Groups, g), g
	return g
}

// join adds a group of another shard.
func (c *Counts) join(other *Group) {
	g := c.findOrAddGroup(other.group)
	if g == nil {
		c.Ungrouped += other.Findings
		return
	}
	if g.Findings == 0 {
		g.Root = other.Root
	}
	g.Users += other.Users
	g.Findings += other.Findings
	g.Count += other.Count
	for _, f := range other.Sample {
		g.sample(f, c.seed)
	}
}

// sample keeps the findings of the users with the lowest numbers. A user's number depends only on the seed and the
// user. So the sample is random but independent of the order of users, and samples of shards merge into that of the
// whole.
func (g *Group) sample(f Finding, seed uint64) {
	by := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(number(a.User, seed), number(b.User, seed)), cmp.Compare(a.User.Index, b.User.Index),
			cmp.Compare(a.Pointer, b.Pointer))
	}
	at, _ := slices.BinarySearchFunc(g.Sample, f, by)
	if at >= maxSample {
		return
	}
	f.Values = nil // a thousand groups with ten users each have to fit into the checkpoint
	g.Sample = slices.Insert(g.Sample, at, f)
	g.Sample = g.Sample[:min(len(g.Sample), maxSample)]
}

// number returns a pseudorandom number for a user, derived from the seed and the user's index.
func number(u User, seed uint64) uint64 { return rand.NewPCG(seed, uint64(u.Index)).Uint64() }
