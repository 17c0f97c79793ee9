package stats

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// group is what all findings of one cause have in common.
type group struct {
	Operation   schemas.Operation `json:"operation"`
	Version     schemas.Version   `json:"version"`
	Requirement string            `json:"requirement"`
	check.Key
	Waived bool `json:"waived"`
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
		cmp.Compare(g.Version, other.Version), g.Key.Compare(other.Key),
		cmp.Compare(fmt.Sprint(g.Waived), fmt.Sprint(other.Waived))) // false is less than true
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
	g := c.findOrAddGroup(groupOf(f), f.Root)
	if g == nil {
		c.Ungrouped++
		return
	}
	g.add(f, c.seed)
}

// add counts a finding of a user.
func (g *Group) add(f *Finding, seed uint64) {
	g.Findings++
	g.Count += int64(f.Count)
	if g.last != f.User.Index+1 {
		g.last = f.User.Index + 1
		g.Users++
		g.sample(*f, seed)
	}
}

func groupOf(f *Finding) group {
	return group{f.Operation, f.Version, f.Requirement, f.key(), f.Waived}
}

// findOrAddGroup finds the group of a key, or creates it with its root cause. It returns nil if there are too many.
func (c *Counts) findOrAddGroup(key group, root string) *Group {
	if g := c.groups[key]; g != nil {
		return g
	}
	if len(c.Groups) >= maxGroups {
		return nil
	}
	g := &Group{group: key, Sample: []Finding{}, Root: root}
	c.Groups, c.groups[key] = append(c.Groups, g), g
	return g
}

// join adds a group of another shard.
func (c *Counts) join(other *Group) {
	g := c.findOrAddGroup(other.group, other.Root)
	if g == nil {
		c.Ungrouped += other.Findings
		return
	}
	g.join(other, c.seed)
}

func (g *Group) join(other *Group, seed uint64) {
	g.Users += other.Users
	g.Findings += other.Findings
	g.Count += other.Count
	for _, f := range other.Sample {
		g.sample(f, seed)
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
	f.Values = nil // two hundred groups with fifty users each have to fit into the checkpoint
	g.Sample = slices.Insert(g.Sample, at, f)
	g.Sample = g.Sample[:min(len(g.Sample), maxSample)]
	for i := range g.Sample[1:] {
		g.Sample[i+1].Repeat = ""
	}
}

// number returns a pseudorandom number for a user, derived from the seed and the user's index.
func number(u User, seed uint64) uint64 { return rand.NewPCG(seed, uint64(u.Index)).Uint64() }

// Root is what one setting of a version causes at one member or several. Its requirements are those of its groups.
type Root struct {
	report.RootCause
	last int64 // as in Group
}

// Bounds on the root causes and their members.
const (
	maxRoots   = 100
	maxMembers = 100
)

// countRoot counts the root cause of a finding.
func (c *Counts) countRoot(f *Finding) {
	if f.Root == "" || f.Waived {
		return
	}
	if r := c.addRoot(f.Version, f.Root, f.Members); r != nil && r.last != f.User.Index+1 {
		r.last = f.User.Index + 1
		r.Users++
	}
}

// joinRoot adds a root cause of another shard.
func (c *Counts) joinRoot(other *Root) {
	if r := c.addRoot(other.Version, other.Text, other.Members); r != nil {
		r.Users += other.Users
	}
}

// addRoot finds or creates a root cause, and adds members to it. It returns nil if there are too many.
func (c *Counts) addRoot(version schemas.Version, text string, members []string) *Root {
	r := c.root(version, text)
	if r == nil {
		if len(c.Roots) >= maxRoots {
			return nil
		}
		r = &Root{RootCause: report.RootCause{Version: version, Text: text}}
		c.Roots = append(c.Roots, r)
	}
	for _, member := range members {
		if !slices.Contains(r.Members, member) && len(r.Members) < maxMembers {
			r.Members = append(r.Members, member)
		}
	}
	return r
}

func (c *Counts) root(version schemas.Version, text string) *Root {
	i := slices.IndexFunc(c.Roots, func(r *Root) bool { return r.Version == version && r.Text == text })
	if i < 0 {
		return nil
	}
	return c.Roots[i]
}

// shared returns the root cause of a group, if it shows at several members.
func (c *Counts) shared(g *Group) *Root {
	if r := c.root(g.Version, g.Root); r != nil && (len(r.Members) > 1 || r.Text == check.OtherCase) && !g.Waived {
		return r
	}
	return nil
}

// rootItem returns an item for all groups of a root cause.
func (c *Counts) rootItem(r *Root) report.Item {
	item := report.Item{Level: report.Failing}
	var ids []string
	for _, g := range c.Groups {
		if c.shared(g) != r {
			continue
		}
		if item.Results++; item.More == nil {
			item.More = g.example()
		}
		if !slices.Contains(ids, g.Requirement) {
			ids = append(ids, g.Requirement)
		}
	}
	item.Name = wording.List(ids) + " " + string(r.Version)
	item.Text = r.String() + ", " + wording.Count(r.Users, "user")
	return item
}
