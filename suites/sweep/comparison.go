package sweep

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/lookup"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
)

// comparison compares the answers of both versions to one operation for one user.
type comparison struct {
	*Sweep
	*userCheck
	known
	op        schemas.Operation
	operation int // index of the operation

	lookup  lookup.Lookup
	refused []schemas.Version // that refused by anything but "nothing", or gave no answer: asked again
	stored  int               // characters of values stored in the findings so far
}

// check asks each version once and, if the answers differ, once more. It returns nil if that does not decide.
func (c *comparison) check(ctx context.Context) (*stats.Result, error) {
	answers, err := c.askFirst(ctx)
	if err != nil {
		return nil, err
	}
	if c.passesQuickCheck(answers) {
		if list := c.listDigests(answers[0]); list != "" {
			return &stats.Result{Outcome: stats.Equal, Served: c.equal.Served, List: list}, nil
		}
		return c.equal, nil
	}
	size := 0
	for _, ex := range answers {
		size += len(ex.Body)
	}
	if size > large {
		c.large.Lock()
		defer c.large.Unlock()
	}
	c.add(answers...)
	if len(c.lookup.Calls) == 1 && !c.records() {
		return c.compareUnrecorded(), nil
	}
	for _, ex := range answers {
		if c.attempt > maxAskedOnce || !c.refuses(ex) {
			continue
		}
		if v := ex.Probe.Version; !slices.Contains(c.refused, v) {
			c.refused = append(c.refused, v)
		}
	}
	if len(c.refused) > 0 {
		return nil, nil
	}
	return c.compare(ctx)
}

// askFirst asks each version once. What a record lacks is left out.
func (c *comparison) askFirst(ctx context.Context) (_ []*exchange.Exchange, err error) {
	answers := make([]*exchange.Exchange, 0, 2)
	var probes []exchange.Probe
	for _, v := range orderFor(c.pair, c.user.Index) {
		if c.attempt > maxAskedOnce && !c.isRecorded(v) {
			p := c.probe(v, len(probes)+1)
			if c.records() {
				p.Round += len(probes)
			}
			probes = append(probes, p)
			continue
		}
		ex, err := c.ask(ctx, v)
		if err != nil {
			return nil, err
		}
		if ex != nil {
			answers = append(answers, ex)
		}
	}
	if len(probes) == 0 {
		return answers, nil
	}
	list, err := c.asker.Read(ctx, probes, nil) // (J23 b)
	for i, ex := range list {
		c.note(ex)
		servedSince := func(other *exchange.Exchange) bool {
			return other.Probe.Version == ex.Probe.Version && !c.refuses(other)
		}
		if !cameAndWent(ex) || !slices.ContainsFunc(list[i+1:], servedSince) {
			answers = append(answers, ex)
		}
	}
	return answers, err
}

// large is the size in bytes from which bodies are large, so that those of one user at a time are decoded: that can
// take sixty times the memory of their text.
const large = 256 << 10

// add judges answers, and adds them to the lookup.
func (c *comparison) add(answers ...*exchange.Exchange) {
	list := make([]*exchange.Exchange, len(answers))
	for i, ex := range answers {
		if list[i] = c.adjusted(ex); c.refuses(ex) {
			c.noteRefused(ex, false)
		}
	}
	c.lookup = c.reader.With(c.lookup, list)
}

// passesQuickCheck reports whether both versions gave the same answer and a quick check shows that it keeps the
// contract. That is the case for nearly all users, so the full judge is skipped for them. It accepts only a record, or
// a list that is not empty, so both versions served the user.
func (c *comparison) passesQuickCheck(answers []*exchange.Exchange) bool {
	if len(answers) != 2 {
		return false
	}
	one, other := answers[0], answers[1]
	if !one.SameAnswer(other) || !one.Success() || !c.user.Enrolled ||
		!c.witnessed[c.op] || len(one.Body) > large {
		return false
	}
	earlier, later := c.suite.Contract.Of(c.pair.From), c.suite.Contract.Of(c.pair.To)
	return earlier.AcceptsAnswer(c.op, c.user.UserID, one.Body) &&
		(earlier == later || later.AcceptsAnswer(c.op, c.user.UserID, one.Body))
}

// operationsFor returns the operations in the order in which they are asked: the other way round for every second pair
// of users. With orderFor, each of up to four nodes that answer in turn gets both operations and both versions.
func operationsFor(user int64) []schemas.Operation {
	list := schemas.Operations()
	if user%4 >= 2 {
		slices.Reverse(list)
	}
	return list
}

// orderFor returns the versions of a pair in the order in which they are asked: the other way round for every second
// user, so that two nodes that answer in turn fall on both versions.
func orderFor(pair schemas.Pair, user int64) []schemas.Version {
	if user%2 == 1 {
		return []schemas.Version{pair.To, pair.From}
	}
	return []schemas.Version{pair.From, pair.To}
}

// refuses reports whether an answer refuses the user by anything but "nothing", or there is none. Of a version that is
// recorded nothing is asked again.
func (c *comparison) refuses(ex *exchange.Exchange) bool {
	if c.isRecorded(ex.Probe.Version) || !c.asker.Refuses(ex) {
		return false
	}
	return !ex.IsEmptyList() && (c.user.EnrolledGiven && c.user.Enrolled || !c.suite.SaysNothing(ex))
}

// note notes a request that was sent.
func (c *comparison) note(ex *exchange.Exchange) {
	c.calls = append(c.calls, call{service: service{c.operation, ex.Probe.Version}, started: ex.Started,
		took: ex.Duration, answered: ex.Answered()})
	c.exchanges[c.operation] = append(c.exchanges[c.operation], ex)
}

// probe returns the well-formed request to a version that is the n-th from the next one of the user.
func (c *comparison) probe(v schemas.Version, n int) exchange.Probe {
	p := probeOf(c.user, c.op, v)
	p.ID, p.Round = exchangeID(c.user.Index, len(c.calls)+n, c.attempt), 1
	for _, ex := range c.exchanges[c.operation] {
		if ex.Probe.Version == v {
			p.Round++
		}
	}
	return p
}

// ask sends the well-formed request to a version; nil if a record lacks the answer.
func (c *comparison) ask(ctx context.Context, v schemas.Version) (ex *exchange.Exchange, err error) {
	p := c.probe(v, 1)
	if c.isRecorded(v) {
		p.ID = "r" + p.ID // it is no request of this sweep
		if ex = c.recorded.Exchange(p); ex != nil {
			c.exchanges[c.operation] = append(c.exchanges[c.operation], ex)
		}
		return ex, nil
	}
	if ex = c.given[p.ID]; ex == nil {
		if ex, err = c.asker.Ask(ctx, p); err != nil {
			return nil, err
		}
	}
	c.note(ex)
	return ex, nil
}

// askAll asks versions one after the other, and adds the answers, until one gets none.
func (c *comparison) askAll(ctx context.Context, versions []schemas.Version) (fault *spec.Judgement, err error) {
	for _, v := range versions {
		ex, err := c.ask(ctx, v)
		if err != nil {
			return nil, err
		}
		if ex == nil {
			continue // the record has no more
		}
		if c.add(ex); !ex.Answered() {
			return c.lookup.Calls[len(c.lookup.Calls)-1], nil
		}
	}
	return nil, nil
}

// finish asks at the end of a block: again, who was refused; and once more, where answers differ.
func (c *comparison) finish(ctx context.Context) (*stats.Result, error) {
	if len(c.refused) == 0 {
		result, err := c.repeatLast(ctx)
		c.noteNothing()
		return result, err
	}
	var calls []*exchange.Exchange
	for _, j := range c.lookup.Calls {
		calls = append(calls, j.Answer.Exchange)
	}
	for _, v := range c.refused {
		ex, err := c.ask(ctx, v)
		if err != nil {
			return nil, err
		}
		c.stays = c.stays || c.refuses(ex)
		calls = slices.DeleteFunc(calls, func(before *exchange.Exchange) bool {
			return before.Probe.Version == v && (c.refuses(ex) || cameAndWent(before))
		})
		calls = append(calls, ex)
	}
	c.lookup = lookup.Lookup{}
	c.add(calls...)
	result, err := c.compare(ctx)
	if err == nil && result == nil {
		result, err = c.repeatLast(ctx)
	}
	return result, err
}

// noteRefused notes that an answer refused the user. early is true if it says "nothing" before anything was served.
func (c *comparison) noteRefused(ex *exchange.Exchange, early bool) {
	for i := range c.calls {
		if call := &c.calls[i]; call.started.Equal(ex.Started) {
			call.refused, call.early = true, early
		}
	}
}

// noteNothing notes the answers that say that there is nothing as refusals, if the version served the user at last.
func (c *comparison) noteNothing() {
	served := false
	for _, j := range c.lookup.Calls {
		ex := j.Answer.Exchange
		served = served || j.Answer.DisclosesData()
		if c.suite.SaysNothing(ex) && c.lastOf(ex.Probe.Version).Answer.DisclosesData() {
			c.noteRefused(ex, !served)
		}
	}
}

// cameAndWent reports whether an answer that refuses is counted only if the next one does not: what a gateway says for
// the service, or a lost connection (J23 c).
func cameAndWent(ex *exchange.Exchange) bool {
	switch ex.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return !ex.Answered()
}

// adjusted returns the exchange in the form to be judged. Without a mark in the users file, a user may have no
// authenticator. If the answer says so, the user counts as not enrolled, and it is no breach (J1, §4.3).
func (c *comparison) adjusted(ex *exchange.Exchange) *exchange.Exchange {
	if c.user.EnrolledGiven || !c.suite.SaysNothing(ex) {
		return ex
	}
	adjusted := *ex
	adjusted.Probe.User.Enrolled = false
	return &adjusted
}

// compare classifies the answers. If they differ, each version is asked once more, and nil is returned: the last calls
// are those at the end of the block.
func (c *comparison) compare(ctx context.Context) (*stats.Result, error) {
	found, left, right := c.found(), c.lastOf(c.pair.From), c.lastOf(c.pair.To)
	if c.records() {
		left, right = c.lookup.Calls[0], c.lookup.Calls[1]
	}
	if reason := faultsOf(left, right); reason != "" {
		return c.incomparable(found, reason), nil
	}
	if c.judgeEmpty(found, left, right) {
		return found, nil
	}
	alike := left.Answer.Exchange.SameAnswer(right.Answer.Exchange)
	if (!alike || len(c.lookup.Calls) > 2) && (c.records() && !alike || !c.lookup.StandsStill()) {
		return c.repeat(ctx)
	}
	var recordsOnly []parity.Difference
	if !alike {
		recordsOnly = c.reader.Differences(parity.Rule{}, c.pair, left, right)
	}
	switch {
	case left.HasFindings() && right.HasFindings():
		found.Outcome = stats.BothViolate
	case left.HasFindings() != right.HasFindings() && !left.Answer.Served() && !right.Answer.Served():
		return c.incomparable(found, "one version breaks the contract, the other says that there is nothing"), nil
	case len(recordsOnly) > 0:
		found.Outcome, found.Why = stats.EqualUnderRule, c.rules(recordsOnly)
	default:
		found.Outcome = stats.Equal
	}
	return found, nil
}

// lastOf returns the last answer of a version.
func (c *comparison) lastOf(v schemas.Version) (last *spec.Judgement) {
	for _, j := range c.lookup.Calls {
		if j.Answer.Exchange.Probe.Version == v {
			last = j
		}
	}
	return last
}

// found returns what all answers so far show, but for the comparison.
func (c *comparison) found() *stats.Result {
	spec.JudgeCalls(c.lookup.Calls)
	first := map[schemas.Version]*spec.Judgement{}
	for _, j := range slices.Backward(c.lookup.Calls) {
		first[j.Answer.Exchange.Probe.Version] = j
	}
	discloses := func(v schemas.Version) bool { return first[v] != nil && first[v].Answer.DisclosesData() }
	found := &stats.Result{Findings: appendNew(nil, c.findings()),
		Witnessed: discloses(c.pair.From) && discloses(c.pair.To)}
	c.noteAnswers(found)
	return found
}

// faultsOf names each version that gave no answer, with the kind of fault, or that throttled; "" if both answered.
func faultsOf(judgements ...*spec.Judgement) string {
	var faults []string
	for _, j := range judgements {
		switch ex := j.Answer.Exchange; {
		case !ex.Answered():
			faults = append(faults, string(ex.Fault.Kind)+" of "+string(ex.Probe.Version))
		case ex.Throttled():
			faults = append(faults, "throttling of "+string(ex.Probe.Version))
		}
	}
	return strings.Join(faults, ", ")
}
