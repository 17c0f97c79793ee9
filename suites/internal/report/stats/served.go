package stats

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/advice"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// part is what the operations of one user show together.
type part struct {
	differs, violates bool
	unrecorded        bool // the record of a version does not have the user
	served            bool // something, by an operation of a version
	missed            bool // nothing, by an operation of a version
	unserved          []string
	notEnrolled       bool // the users file marks the user so: nothing need be served
}

// Add counts a user. results has one result for each operation, in the document's order; durations has one for each
// request. at is when the user was checked, as time since the sweep began. notEnrolled is true if the users file marks
// the user so.
func (c *Counts) Add(notEnrolled bool, results []Result, durations []time.Duration, at time.Duration) {
	p := &part{notEnrolled: notEnrolled}
	c.Users++
	c.Requests += int64(len(durations))
	bucket := c.Times.bucket(at)
	bucket.Users++
	for _, d := range durations {
		bucket.Latency[latencyClass(d)]++
	}
	for i, op := range schemas.Operations() {
		bucket.Outcomes[results[i].Outcome]++
		c.addResult(p, op, &results[i])
	}
	if p.differs {
		c.Differing++
	}
	if p.violates {
		c.Violating++
	}
	c.addServed(p)
}

// addResult counts the result of one operation.
func (c *Counts) addResult(p *part, op schemas.Operation, found *Result) {
	share := c.Outcomes[op][found.Outcome]
	share.Count++
	if found.Why != "" {
		share.addReason(found.Why, 1)
	}
	if found.Divergence != "" {
		c.addDivergence(op, found.Divergence, 1)
	}
	c.addList(found.List)
	if found.Witnessed {
		c.Witnessed[op] = true
	}
	for j := range found.Changes {
		c.countChange(op, &found.Changes[j])
	}
	for j := range found.Findings {
		f := &found.Findings[j]
		c.find(f)
		p.differs = p.differs || f.Differs()
		p.violates = p.violates || f.Violates()
	}
	p.unrecorded = p.unrecorded || found.Unrecorded
	for v := range c.ServedBy[op] {
		switch {
		case slices.Contains(found.Served, v):
			c.ServedBy[op][v]++
			p.served = true
			continue
		case p.notEnrolled:
			c.NotEnrolledBy[op][v]++
		}
		p.missed = true
	}
	for _, answer := range found.Unserved {
		if !slices.Contains(p.unserved, answer) {
			p.unserved = append(p.unserved, answer)
		}
	}
}

// addServed counts a user as covered, as one whom a record does not have, as not served, or as one who need not be.
func (c *Counts) addServed(p *part) {
	switch {
	case p.unrecorded:
		c.Unrecorded++
	case !p.missed:
		c.Covered++
	case p.notEnrolled:
		c.NotEnrolled++
	case !p.served:
		c.Unserved.Count++
		for _, answer := range p.unserved {
			c.Unserved.addReason(answer, 1)
		}
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

// joinServed adds what another shard counted.
func (c *Counts) joinServed(other *Counts) {
	c.ServedBy.add(other.ServedBy)
	c.NotEnrolledBy.add(other.NotEnrolledBy)
	c.Covered += other.Covered
	c.NotEnrolled += other.NotEnrolled
	c.Unserved.add(&other.Unserved)
	for op := range other.Divergences {
		for _, ways := range other.DivergencesOf(op) {
			c.addDivergence(op, ways.Why, ways.Count)
		}
	}
}

// concludeServed sets, for each version, the smallest number of users whom an operation served.
func (c *Counts) concludeServed() {
	c.Served = map[schemas.Version]int64{}
	for _, versions := range c.ServedBy {
		for v, n := range versions {
			if least, known := c.Served[v]; !known || n < least {
				c.Served[v] = n
			}
		}
	}
}

// servedInPart returns how many users some operation of some version served, and some did not.
func (c *Counts) servedInPart() int64 {
	n := c.Users - c.Covered - c.Unserved.Count - c.NotEnrolled - c.Unrecorded
	return max(0, n)
}

// servedLine says how many users each version served: "980 of 1,000 users in v5, 979 in v6". If its operations served
// different numbers it is the smallest, and all follow. It returns "" if there was no user.
func (s *Summary) servedLine() string {
	t := s.Tally
	if t.Users == 0 {
		return ""
	}
	versions := schemas.InOrder(s.Identity.Target)
	perVersion := func(served map[schemas.Version]int64, of string) string {
		var list []string
		for _, v := range versions {
			list = append(list, wording.Number(served[v])+of+" in "+string(v))
			of = ""
		}
		return strings.Join(list, ", ")
	}
	var byOperation []string
	same := true
	for _, op := range schemas.Operations() {
		byOperation = append(byOperation, string(op)+" "+perVersion(t.ServedBy[op], ""))
		same = same && maps.Equal(t.ServedBy[op], t.Served)
	}
	text := perVersion(t.Served, " of "+wording.Count(t.Users, "user"))
	if !same {
		text += " (" + strings.Join(byOperation, "; ") + ")"
	}
	return text
}

// maxAnswers limits how many kinds of answers a sentence names.
const maxAnswers = 5

// unservedTail ends a sentence about the users who were served by those who were not. It is "" if all were.
func (s *Summary) unservedTail() string {
	c, text := s.Tally, ""
	if n := c.servedInPart(); n > 0 {
		text += "; " + wording.Plural(n, "was", "were") + " served in part only"
		if c.Covered > 0 {
			text += ", not by each operation in " + s.versionsAs("both versions")
		}
	}
	if n := c.Unserved.Count; n > 0 {
		text += "; " + wording.Plural(n, "was", "were") + " not served in " + s.versionsAs("either version")
		if answers := c.unservedAnswers(); answers != "" {
			text += ": " + answers
		}
	}
	if n := c.Unrecorded; n > 0 {
		text += "; " + wording.Plural(n, "is", "are") + " not in the record of " +
			schemas.Named(schemas.InOrder(s.Recorded))
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

// TooFewServed says that an operation of a version served fewer users than --min-served asks for, what to check, and
// with what value the sweep would hold. It returns "" if enough were served. Users who are marked enrolled: false need
// not be served. A number of users is that of the whole population, so it is not asked of one shard.
func (s *Summary) TooFewServed() string {
	t := s.Tally
	least, err := settings.ParseMinServed(s.MinServed)
	served, should := t.leastServed(least.IsShare())
	if s.MinServed == "" || err != nil || s.Identity.Shard.Of > 1 && !least.IsShare() || least.Reached(served, should) {
		return ""
	}
	of := ""
	if t.NotEnrolled > 0 {
		of = ", of " + wording.Number(t.Users-t.NotEnrolled) + " who are not marked enrolled: false"
	}
	text := fmt.Sprintf("too few users were served: %s%s; --min-served is %s", s.servedLine(), of, s.MinServed)
	if check := advice.ToCheck(t.seen(), &settings.Settings{}); check != "" {
		text += "; check " + check
	}
	switch {
	case served == 0:
		return text
	case least.IsShare():
		return text + "; --min-served " + shareBelow(served, should) + " would hold"
	}
	return text + "; --min-served " + strconv.FormatInt(served, 10) + " would hold"
}

// seen returns what is seen of users who were not served: whether one operation served fewer of them, and whether
// nobody got an answer that can't mean that there is no data.
func (c *Counts) seen() advice.Seen {
	seen := advice.Seen{Whom: advice.TooMany}
	seen.Empty = c.Unserved.Count > 0 && c.Count(BothViolate)+c.Count(Different)+c.Count(NotComparable) == 0
	least := func(op schemas.Operation) int64 {
		return slices.Min(append(slices.Collect(maps.Values(c.ServedBy[op])), c.Users))
	}
	for op := range c.ServedBy {
		for other := range c.ServedBy {
			if least(op) < least(other) {
				seen.Lags = op
			}
		}
	}
	return seen
}

// leastServed returns how many users were served by the operation and version that served the smallest share of those
// whom it should, or the smallest number, and how many it should.
func (c *Counts) leastServed(share bool) (served, should int64) {
	first := true
	for op, versions := range c.ServedBy {
		for v, n := range versions {
			of := max(n, c.Users-c.NotEnrolledBy[op][v])
			if first || !share && n < served || share && float64(n)*float64(should) < float64(served)*float64(of) {
				first, served, should = false, n, of
			}
		}
	}
	return served, should
}

// shareBelow returns a share as --min-served takes it, rounded down, but not to nothing: 0.5%.
func shareBelow(n, total int64) string {
	for unit := int64(1000); ; unit *= 10 {
		if share := n * unit / total; share > 0 {
			return strconv.FormatFloat(float64(share)/float64(unit/100), 'f', -1, 64) + "%"
		}
	}
}

// DivergencesOf lists the pairs of ways in which the versions say that there is nothing, the most frequent first.
func (c *Counts) DivergencesOf(op schemas.Operation) []Reason {
	return (&Share{Why: c.Divergences[op]}).Reasons()
}
