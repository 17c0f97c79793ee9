package sweep

import (
	"context"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// maxWaiting is how many bytes of bodies may wait to be stored: twice what differences.har has of all. The exchanges of
// further users are not stored.
var maxWaiting int64 = 64 << 20 // a spec has less

// userCheck is the check of one user on its way through a sweep, and its result.
type userCheck struct {
	user  users.Row
	read  stats.Population     // up to and including this user
	again *record.Later        // set if the user is asked once more, at the end
	sent  int                  // how many requests were sent for the user, also by an earlier process
	first []*exchange.Exchange // answers from before the sweep began (J19)

	recorded *recorded.Answers // what a record that is read has of the user; nil if it does not have the user
	line     []byte            // the user's line of a record that is made
	withheld int64             // how many of its answers have no body

	at        time.Time
	durations []time.Duration // duration of each request
	// Stored only for a user who differs, or for whom the contract is broken.
	exchanges []*exchange.Exchange
	size      int64           // bytes of their bodies, and of the line
	results   [2]stats.Result // by operation, in the document's order
	faulted   [2]bool         // by operation: no answer came to some request, so that it could not be compared
}

// check checks a user: it sends both operations to both versions, then judges and compares the answers. An error ends
// the sweep, and the user does not count as checked.
func (s *Sweep) check(ctx context.Context, u *userCheck) error {
	u.at, u.durations, u.exchanges = time.Now(), make([]time.Duration, 0, 4), make([]*exchange.Exchange, 0, 4)
	for _, op := range operationsFor(u.user.Index) {
		if !u.asks(op) {
			continue
		}
		i := slices.Index(schemas.Operations(), op)
		c := comparison{Sweep: s, userCheck: u, op: op, operation: i}
		var err error
		if u.results[i], err = c.check(ctx); err != nil {
			return err
		}
	}
	if s.records() {
		if err := s.encode(u); err != nil {
			return err
		}
	}
	if !u.hasFindings() {
		u.exchanges = nil
	}
	bodies := int64(0)
	for _, ex := range u.exchanges {
		bodies += int64(len(ex.Body))
	}
	u.size = int64(len(u.line)) + bodies
	if s.waiting.Add(u.size) > maxWaiting {
		s.waiting.Add(-bodies)
		u.size, u.exchanges = u.size-bodies, nil
	}
	return nil
}

// hasFindings reports whether the user differs, or the contract is broken for the user.
func (u *userCheck) hasFindings() bool {
	return hasFindings(&u.results[0]) || hasFindings(&u.results[1])
}

func hasFindings(result *stats.Result) bool {
	return slices.ContainsFunc(result.Findings, func(f stats.Finding) bool { return f.Differs() || f.Violates() })
}

// comparison compares the answers of both versions to one operation for one user.
type comparison struct {
	*Sweep
	*userCheck
	op        schemas.Operation
	operation int // index of the operation

	engine  *engine.Engine // nil until the quick check does not pass
	answers engine.Answers

	stored int // characters of values stored in the findings so far
}

func (c *comparison) check(ctx context.Context) (stats.Result, error) {
	var answers [2]*exchange.Exchange // nil if a record lacks it
	var err error
	versions := orderFor(c.pair, c.user.Index)
	for i, v := range versions {
		if answers[i], err = c.ask(ctx, v); err != nil {
			return stats.Result{}, err
		}
	}
	if c.passesQuickCheck(answers[0], answers[1]) {
		c.controls.NoteUser(answers[:]...)
		return stats.Result{Outcome: stats.Equal, Served: c.Settings.Versions}, nil
	}
	size := 0
	for i, ex := range answers {
		if ex != nil {
			if answers[i], err = c.settle(ctx, ex); err != nil {
				return stats.Result{}, err
			}
			size += len(answers[i].Body)
		}
	}
	if versions[0] != c.pair.From {
		slices.Reverse(answers[:])
	}
	if size > engine.Large {
		c.large.Lock()
		defer c.large.Unlock()
	}
	c.engine = &engine.Engine{
		Suite: c.suite, Pairs: []schemas.Pair{c.pair}, Rule: c.rule, StopAtFault: true, Judge: c.judged,
		Served: c.controls.NoteServed,
		Send: func(ctx context.Context, probe exchange.Probe) (*exchange.Exchange, error) {
			ex, err := c.ask(ctx, probe.Version)
			if err == nil && ex != nil {
				ex, err = c.settle(ctx, ex)
			}
			if err != nil || ex == nil {
				return nil, err
			}
			return c.adjusted(ex), nil
		},
		Compares: func(*spec.Judgement) bool { return true },
	}
	for _, ex := range answers {
		if ex != nil {
			c.engine.Add(&c.answers, c.adjusted(ex))
		}
	}
	if len(c.answers.Judgements) == 1 {
		return c.compareUnrecorded(), nil
	}
	return c.compare(ctx, c.answers.Judgements[0], c.answers.Judgements[1])
}

// passesQuickCheck reports whether both versions gave the same answer and a quick check shows that it keeps the
// contract. That is the case for nearly all users, so the full judge is skipped for them. It accepts only a record, or
// a list that is not empty, so both versions served the user.
func (c *comparison) passesQuickCheck(one, other *exchange.Exchange) bool {
	if one == nil || other == nil || !one.SameAnswer(other) || !one.Success() || !c.user.Enrolled ||
		!c.witnessed[c.operation].Load() || len(one.Body) > engine.Large {
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

// settle returns the exchange that counts for a request (J23), and records it.
func (c *comparison) settle(ctx context.Context, ex *exchange.Exchange) (*exchange.Exchange, error) {
	if !requests.Concerns(ex) || c.isRecorded(ex.Probe.Version) {
		return ex, nil
	}
	settled, err := c.controls.Settle(ctx, ex, c.maySayNothing(ex))
	if err != nil {
		return nil, err
	}
	if settled != ex {
		c.exchanges[slices.Index(c.exchanges, ex)] = settled
		c.count(settled)
	}
	return settled, nil
}

// count counts a request that was sent. Its number is in the id of the next one.
func (u *userCheck) count(ex *exchange.Exchange) {
	u.sent++
	u.durations = append(u.durations, ex.Duration)
}

// maySayNothing reports whether an answer may say that the user has nothing (J1, J22): not if another call served them.
func (c *comparison) maySayNothing(ex *exchange.Exchange) bool {
	return (ex.IsEmptyList() || !c.user.EnrolledGiven && requests.SaysNothing(ex)) &&
		!slices.ContainsFunc(c.exchanges, func(e *exchange.Exchange) bool {
			return e.Probe.Operation == c.op && c.controls.Served(e)
		})
}

// ask sends the well-formed request to a version and records the exchange.
func (c *comparison) ask(ctx context.Context, v schemas.Version) (*exchange.Exchange, error) {
	round := 1
	for _, ex := range c.exchanges {
		if ex.Probe.Operation == c.op && ex.Probe.Version == v {
			round++
		}
	}
	p := exchange.Probe{
		ID: exchangeID(c.user.Index, c.sent+1), Operation: c.op, Version: v, Segment: string(v),
		User: c.user.User, Position: int(c.user.Index) + 1, Round: round,
	}
	if c.isRecorded(v) {
		p.ID = "r" + p.ID // it is no request of this sweep
		ex := c.recorded.Exchange(p)
		if ex != nil {
			c.exchanges = append(c.exchanges, ex)
		}
		return ex, nil
	}
	var ex *exchange.Exchange
	var err error
	if i := slices.IndexFunc(c.first, func(ex *exchange.Exchange) bool { return ex.Probe == p }); i >= 0 {
		ex = c.first[i]
	} else if ex, err = c.send(ctx, p); err != nil {
		return nil, err
	}
	c.count(ex)
	c.exchanges = append(c.exchanges, ex)
	return ex, nil
}

// adjusted returns the exchange in the form to be judged. Without a mark in the users file, a user may have no
// authenticator. If the answer says so, the user counts as not enrolled, and it is no breach (J1, §4.3).
func (c *comparison) adjusted(ex *exchange.Exchange) *exchange.Exchange {
	if c.user.EnrolledGiven || !requests.SaysNothing(ex) {
		return ex
	}
	adjusted := *ex
	adjusted.Probe.User.Enrolled = false
	return &adjusted
}

func (c *comparison) judged(ex *exchange.Exchange) *spec.Judgement {
	j := c.suite.Judge(ex)
	if len(ex.Body) > engine.Large {
		j.Answer.Drop() // decoded again for the comparison
	}
	return j
}

// compare classifies the two answers. A difference becomes a finding only if it appears again when the requests are
// repeated.
func (c *comparison) compare(ctx context.Context, left, right *spec.Judgement) (stats.Result, error) {
	found := stats.Result{Findings: c.findings(left, right), Witnessed: left.Answer.DisclosesData() &&
		right.Answer.DisclosesData()}
	if c.records() {
		found.Findings = appendNew(nil, found.Findings) // both are of one version
	}
	c.noteAnswers(&found, left, right)
	if reason := faultsOf(left, right); reason != "" {
		return c.unanswered(found, reason, left, right), nil
	}
	if c.judgeEmpty(&found, left, right) {
		return found, nil
	}
	alike := left.Answer.Exchange.SameAnswer(right.Answer.Exchange)
	if !alike && (c.records() || len(c.engine.Differences(c.rule, c.pair, left, right)) > 0) {
		return c.repeatAndCompare(ctx, found)
	}
	var recordsOnly []parity.Difference
	if !alike {
		recordsOnly = c.engine.Differences(parity.Rule{}, c.pair, left, right)
	}
	switch {
	case broken(left) && broken(right):
		found.Outcome = stats.BothViolate
	case broken(left) != broken(right) && !left.Answer.Served() && !right.Answer.Served():
		return c.incomparable(found, "one version breaks the contract, the other says that there is nothing"), nil
	case len(recordsOnly) > 0:
		found.Outcome, found.Why = stats.EqualUnderRule, c.rules(recordsOnly)
	default:
		found.Outcome = stats.Equal
	}
	return found, nil
}

func broken(j *spec.Judgement) bool {
	for _, row := range j.Rows {
		if row.Count > 0 {
			return true
		}
	}
	return false
}

// unanswered returns the result of answers one of which is a fault: not comparable, for this reason. If a version that
// is asked gave it, the user is asked again at the end.
func (c *comparison) unanswered(found stats.Result, reason string, judgements ...*spec.Judgement) stats.Result {
	c.faulted[c.operation] = slices.ContainsFunc(judgements, func(j *spec.Judgement) bool {
		return !c.isRecorded(j.Answer.Exchange.Probe.Version) && faultsOf(j) != ""
	})
	return c.incomparable(found, reason)
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
