package sweep

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/fast"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
)

// eye looks at one user: it asks both versions for both operations, judges the answers and compares them. It is safe for
// concurrent use.
type eye struct {
	send   func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
	fast   *fast.Checker
	judge  *judge.Judge
	rule   parity.Rule
	waived []settings.Waiver // that hold
	show   shower

	// That somebody was shown something is for the judge to tell, of one answer to each operation: it looks at all of them
	// until it has seen one.
	witnessed [2]atomic.Bool
	// Decoded, a large answer can be sixty times its text: such are looked at one after the other.
	large sync.Mutex
}

// largeBody is the size in bytes from which an answer is a large one.
const largeBody = 1 << 20

// shower makes what a target or the users file holds fit to be shown.
type shower struct {
	text  func(text string, limit int) string
	value func(value any, limit int) string
}

// seen is what came of one user.
type seen struct {
	at     time.Time
	lasted []time.Duration // of each request
	looks  [2]tally.Look   // by operation, in the document's order
}

// user looks at a user. An error ends the sweep, and the user has not been looked at.
func (e *eye) user(ctx context.Context, u population.User) (*seen, error) {
	s := &seen{at: time.Now(), lasted: make([]time.Duration, 0, 4)}
	for i, op := range schemas.Operations() {
		p := pair{eye: e, user: u, op: op, which: i, seen: s}
		found, err := p.look(ctx)
		if err != nil {
			return nil, err
		}
		s.looks[i] = found
	}
	return s, nil
}

// pair is the answers of both versions to one operation for one user.
type pair struct {
	*eye
	user  population.User
	op    schemas.Operation
	which int // of the operations
	seen  *seen
	asked [2]int // by version
}

func (p *pair) look(ctx context.Context) (tally.Look, error) {
	v5, err := p.ask(ctx, schemas.V5)
	if err != nil {
		return tally.Look{}, err
	}
	v6, err := p.ask(ctx, schemas.V6)
	if err != nil {
		return tally.Look{}, err
	}
	if p.plain(v5, v6) {
		return tally.Look{Outcome: tally.Equal}, nil
	}
	if len(v5.Body)+len(v6.Body) > largeBody {
		p.large.Lock()
		defer p.large.Unlock()
	}
	left := p.judged(v5)
	right := left
	if same(v5, v6) {
		right = p.judge.Again(left, v6)
	} else {
		right = p.judged(v6)
	}
	return p.compare(ctx, left, right)
}

// plain tells whether both versions answered the very same, and that can be seen to keep the contract without reading it
// again: so it is with nearly all users.
func (p *pair) plain(v5, v6 *exchange.Exchange) bool {
	if !same(v5, v6) || !v5.Success() || !p.user.Enrolled || !p.witnessed[p.which].Load() {
		return false
	}
	accepted, kind := p.fast.Accepts(p.op, p.user.UserID, v5.Body)
	return accepted && kind.Shape != fast.Empty
}

// same tells whether two answers say the same, byte for byte.
func same(a, b *exchange.Exchange) bool {
	return a.Fault == nil && b.Fault == nil && a.Status == b.Status && bytes.Equal(a.Body, b.Body)
}

// ask sends the well-formed request to a version.
func (p *pair) ask(ctx context.Context, v schemas.Version) (*exchange.Exchange, error) {
	i := 0
	if v == schemas.V6 {
		i = 1
	}
	p.asked[i]++
	ex, err := p.send(ctx, exchange.Probe{
		ID: exchangeID(p.user.Index, len(p.seen.lasted)+1), Operation: p.op, Version: v, Segment: string(v), User: p.user.User, Round: p.asked[i],
	})
	if err == nil {
		p.seen.lasted = append(p.seen.lasted, ex.Duration)
	}
	return ex, err
}

// judged judges an answer. A user of whom the population does not say whether there is an authenticator may have none:
// an answer that says so is then no breach (J1, §4.3).
func (p *pair) judged(ex *exchange.Exchange) *judge.Judgement {
	asked := *ex
	if !p.user.EnrolledGiven && saysNothing(ex) {
		asked.Probe.User.Enrolled = false
	}
	j := p.judge.WellFormed(&asked)
	if len(ex.Body) > largeBody {
		j.Answer.LetGo() // it is decoded again where it is compared
	}
	return j
}

// compare says what became of a pair. A difference is looked at again before anybody is accused of it.
func (p *pair) compare(ctx context.Context, left, right *judge.Judgement) (tally.Look, error) {
	found := tally.Look{Findings: p.breaches(left, right), Witnessed: left.Answer.Telling() && right.Answer.Telling()}
	found.Unwelcome = unwelcome(left) && unwelcome(right)
	if found.Witnessed {
		p.witnessed[p.which].Store(true)
	}
	if why := faultsOf(left, right); why != "" {
		return p.incomparable(found, why), nil
	}
	if outcome, why, settled := p.nothing(left, right); settled {
		if outcome == tally.NotComparable {
			return p.incomparable(found, why), nil
		}
		found.Outcome, found.Why = outcome, why
		return found, nil
	}
	calls := callsOf([]*judge.Judgement{left}, []*judge.Judgement{right}, p.op)
	alike := same(left.Answer.Exchange, right.Answer.Exchange)
	if !alike && len(p.rule.Conclude(calls, parity.Calls{}).Differences) > 0 {
		return p.again(ctx, left, right, found)
	}
	var bare []parity.Difference
	if !alike {
		bare = parity.Rule{}.Conclude(calls, parity.Calls{}).Differences
	}
	switch {
	case broken(left) && broken(right):
		found.Outcome = tally.BothViolate
	case broken(left) != broken(right) && !left.Answer.Served() && !right.Answer.Served():
		return p.incomparable(found, "one version breaks the contract, the other says that there is nothing"), nil
	case len(bare) > 0:
		found.Outcome, found.Why = tally.EqualUnderRule, p.rules(bare)
	default:
		found.Outcome = tally.Equal
	}
	return found, nil
}

// unwelcome tells whether an answer says that the caller may not ask.
func unwelcome(j *judge.Judgement) bool {
	status := j.Answer.Exchange.Status
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func broken(j *judge.Judgement) bool {
	for _, row := range j.Rows {
		if row.Count > 0 {
			return true
		}
	}
	return false
}

// faultsOf says which version brought no answer; "" where both did.
func faultsOf(judgements ...*judge.Judgement) string {
	why := ""
	for _, j := range judgements {
		if ex := j.Answer.Exchange; !ex.Answered() {
			if why != "" {
				why += ", "
			}
			why += string(ex.Fault.Kind) + " of " + string(ex.Probe.Version)
		}
	}
	return why
}
