package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// Part is what was counted of a user so far. An operation without an answer is asked again at the end of a sweep, so a
// user may be counted in two parts (J22). The zero value is a user of whom nothing was counted.
type Part struct {
	// Operations are those still to be counted. If they are all, nothing was counted.
	Operations []schemas.Operation `json:"operations"`
	Differs    bool                `json:"differs,omitempty"`
	Violates   bool                `json:"violates,omitempty"`
	Served     []schemas.Version   `json:"served,omitempty"`
	Unserved   []string            `json:"unserved,omitempty"`
	// NotEnrolled is true if the users file marks the user so. Then nothing need be served.
	NotEnrolled bool `json:"-"`
}

// Counted reports whether an operation of the user was counted.
func (p *Part) Counted() bool {
	return len(p.Operations) > 0 && len(p.Operations) < len(schemas.Operations())
}

// Add counts the operations of a user that have an outcome. p is what was counted of the user before, and is brought up
// to date. results has one result for each operation, in the document's order; durations has one for each request. at
// is when the user was checked, as time since the sweep began.
func (c *Counts) Add(p *Part, results []Result, durations []time.Duration, at time.Duration) {
	first, before := !p.Counted(), *p
	c.Requests += int64(len(durations))
	bucket := c.Times.bucket(at)
	if first {
		c.Users++
		bucket.Users++
		p.Operations = schemas.Operations()
	}
	for _, d := range durations {
		bucket.Latency[latencyClass(d)]++
	}
	for i, op := range schemas.Operations() {
		if results[i].Outcome == "" {
			continue
		}
		p.Operations = slices.DeleteFunc(p.Operations, func(left schemas.Operation) bool { return left == op })
		if !first {
			c.addPending(op, -1)
		}
		bucket.Outcomes[results[i].Outcome]++
		c.addResult(p, op, &results[i])
	}
	if first {
		for _, op := range p.Operations {
			c.addPending(op, 1)
		}
	}
	if p.Differs && !before.Differs {
		c.Differing++
	}
	if p.Violates && !before.Violates {
		c.Violating++
	}
	if len(p.Operations) == 0 && len(p.Served) == 0 {
		c.addUnserved(p)
	}
}

func (c *Counts) addPending(op schemas.Operation, n int64) {
	if c.Pending == nil {
		c.Pending = map[schemas.Operation]int64{}
	}
	if c.Pending[op] += n; c.Pending[op] == 0 {
		delete(c.Pending, op)
	}
}

// addResult counts the result of one operation.
func (c *Counts) addResult(p *Part, op schemas.Operation, found *Result) {
	share := c.Outcomes[op][found.Outcome]
	share.Count++
	if found.Why != "" {
		share.addReason(found.Why, 1)
	}
	if found.Divergence != "" {
		c.addDivergence(op, found.Divergence, 1)
	}
	if found.Witnessed {
		c.Witnessed[op] = true
	}
	for j := range found.Findings {
		f := &found.Findings[j]
		c.find(f)
		p.Differs = p.Differs || f.Differs()
		p.Violates = p.Violates || f.Violates()
	}
	for _, v := range found.Served {
		if !slices.Contains(p.Served, v) {
			p.Served = append(slices.Clip(p.Served), v)
			if c.Served != nil {
				c.Served[v]++
			}
			if len(p.Served) == 2 {
				c.ServedInBoth++
			}
		}
	}
	for _, answer := range found.Unserved {
		if !slices.Contains(p.Unserved, answer) {
			p.Unserved = append(p.Unserved, answer)
		}
	}
}

// addUnserved counts a user whom no version served anything.
func (c *Counts) addUnserved(p *Part) {
	if p.NotEnrolled {
		c.NotEnrolled++
		return
	}
	c.Unserved.Count++
	for _, answer := range p.Unserved {
		c.Unserved.addReason(answer, 1)
	}
}

func (c *Counts) addDivergence(op schemas.Operation, ways string, times int64) {
	if c.Divergences == nil {
		c.Divergences = map[schemas.Operation]map[string]int64{}
	}
	if c.Divergences[op] == nil {
		c.Divergences[op] = map[string]int64{}
	}
	share := Share{Why: c.Divergences[op]}
	share.addReason(ways, times)
}

// addServed adds what another shard counted. Of a shard that an older suite swept, none of this is known.
func (c *Counts) addServed(other *Counts) {
	if c.Served == nil || other.Served == nil {
		c.Served, c.Unserved, c.NotEnrolled, c.ServedInBoth = nil, Share{}, 0, 0
	} else {
		for v, n := range other.Served {
			c.Served[v] += n
		}
		c.Unserved.add(&other.Unserved)
		c.NotEnrolled += other.NotEnrolled
		c.ServedInBoth += other.ServedInBoth
	}
	for op := range other.Divergences {
		for _, ways := range other.DivergencesOf(op) {
			c.addDivergence(op, ways.Why, ways.Count)
		}
	}
}

// covered returns how many users were served something in every version, so that the sweep says something about them.
func (s *Summary) covered() int64 {
	if s.Tally.Served != nil && len(s.Identity.Target) > 1 {
		return s.Tally.ServedInBoth
	}
	return s.Tally.served()
}

// served returns how many users were served something in some version. What an older suite counted does not have that:
// there it is all.
func (c *Counts) served() int64 {
	if c.Served == nil {
		return c.Users
	}
	n := c.Users - c.Unserved.Count - c.NotEnrolled
	for _, pending := range c.Pending {
		n -= pending // not known yet
	}
	return max(0, n)
}

// servedLine says how many users each version served: "980 of 1,000 users in v5, 979 in v6". It returns "" if that is
// not known.
func (s *Summary) servedLine() string {
	t := s.Tally
	if t.Served == nil || t.Users == 0 {
		return ""
	}
	var list []string
	for i, v := range schemas.InOrder(s.Identity.Target) {
		text := wording.Number(t.Served[v])
		if i == 0 {
			text += " of " + wording.Count(t.Users, "user")
		}
		list = append(list, text+" in "+string(v))
	}
	return strings.Join(list, ", ")
}

// maxAnswers limits how many kinds of answers a sentence names.
const maxAnswers = 5

// unservedTail ends a sentence about the users who were served by those who were not. It is "" if all were.
func (s *Summary) unservedTail() string {
	c, text := s.Tally, ""
	if n := c.served() - s.covered(); n > 0 {
		text += "; " + wording.Plural(n, "was", "were") + " served in one version only"
	}
	if n := c.Unserved.Count; n > 0 {
		text += "; " + wording.Plural(n, "was", "were") + " not served in " + s.versionsAs("either version")
		if answers := c.unservedAnswers(); answers != "" {
			text += ": " + answers
		}
	}
	if n := c.NotEnrolled; n > 0 {
		text += "; " + wording.Plural(n, "is", "are") + " marked enrolled: false"
	}
	return text
}

// unservedAnswers lists what the users got who were not served, the most frequent first: "status 404 (20), [] (3)".
func (c *Counts) unservedAnswers() string {
	var list []string
	for i, reason := range c.Unserved.Reasons() {
		if i == maxAnswers {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprintf("%s (%s)", reason.Why, wording.Number(reason.Count)))
	}
	return strings.Join(list, ", ")
}

// TooFewServed says that a version served fewer users than --min-served asks for, and what to check. It returns "" if
// enough were served. Users who are marked enrolled: false need not be served. A number of users is that of the whole
// population, so it is not asked of one shard.
func (s *Summary) TooFewServed() string {
	t := s.Tally
	least, err := settings.ParseMinServed(s.MinServed)
	if s.MinServed == "" || err != nil || t.Served == nil || s.Identity.Shard.Of > 1 && !least.IsShare() {
		return ""
	}
	should := t.Users - t.NotEnrolled
	versions := schemas.InOrder(s.Identity.Target)
	few := func(v schemas.Version) bool { return !least.Reached(t.Served[v], should) }
	if !slices.ContainsFunc(versions, few) {
		return ""
	}
	of := ""
	if should < t.Users {
		of = ", of " + wording.Number(should) + " who are not marked enrolled: false"
	}
	return fmt.Sprintf("too few users were served: %s%s; --min-served is %s; check the users file: ids without their "+
		"leading zeros, users without authenticators who are not marked enrolled: false, or users of another "+
		"installation", s.servedLine(), of, s.MinServed)
}

// DivergencesOf lists the pairs of ways in which the versions say that there is nothing, the most frequent first.
func (c *Counts) DivergencesOf(op schemas.Operation) []Reason {
	return (&Share{Why: c.Divergences[op]}).Reasons()
}
