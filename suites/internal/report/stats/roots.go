package stats

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// Root is what one setting of a version causes at one member or several, with how many users show it.
type Root struct {
	Version schemas.Version `json:"version"`
	Text    string          `json:"text"`
	Members []string        `json:"members"`
	Users   int64           `json:"users"`

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
		r = &Root{Version: version, Text: text}
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
	if r := c.root(g.Version, g.Root); r != nil && len(r.Members) > 1 && !g.Waived {
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
	item.Text = report.RootCauseText(r.Text, r.Members) + ", " + wording.Count(r.Users, "user")
	return item
}
