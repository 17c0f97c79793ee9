package sweep

import (
	"fmt"
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
)

// kindOfEmpty returns how the answer says "there is no data": the status of a refusal, or the body of a 2xx answer. The
// exact 2xx status is open (J2), and so is the body of a refusal (§7).
func kindOfEmpty(ex *exchange.Exchange) string {
	if !ex.Success() {
		return "status " + strconv.Itoa(ex.Status)
	}
	if text := string(requests.Trimmed(ex.Body)); text != "" {
		return text
	}
	return "an empty body"
}

// isNotEnrolled reports whether the users file marks the user as not enrolled.
func (c *comparison) isNotEnrolled() bool { return c.user.EnrolledGiven && !c.user.Enrolled }

// judgeEmpty judges two answers that both mean that the user has no data, and sets the outcome. For a user marked as
// not enrolled, any such answer is accepted (J1). For a user without a mark, any two ways to say it are alike, and two
// different ones are a divergence (J16, J22). It returns false if the answers mean something else.
func (c *comparison) judgeEmpty(found *stats.Result, left, right *spec.Judgement) bool {
	l, r := left.Answer.Exchange, right.Answer.Exchange
	switch {
	case c.isNotEnrolled():
		if left.Answer.DisclosesData() || right.Answer.DisclosesData() || broken(left) || broken(right) {
			return false
		}
		found.Outcome, found.Why = stats.EqualUnderRule,
			"how a user who is marked enrolled: false is answered is open (§4.3)"
		if requests.SaysNothing(l) && requests.SaysNothing(r) && kindOfEmpty(l) == kindOfEmpty(r) || l.SameAnswer(r) {
			found.Outcome, found.Why = stats.NothingAlike, ""
		}
		return true
	case !c.saysNothing([]*spec.Judgement{left, right}):
		return false
	}
	found.Outcome = stats.NothingAlike
	if from, to := kindOfEmpty(l), kindOfEmpty(r); from != to {
		found.Divergence = fmt.Sprintf("%s %s; %s %s", c.pair.From, from, c.pair.To, to)
	}
	return true
}

// saysNothing reports whether each of these answers means that the user has no data, and the users file does not say
// whether the user is enrolled.
func (c *comparison) saysNothing(judgements []*spec.Judgement) bool {
	tells := func(j *spec.Judgement) bool { return !requests.SaysNothing(j.Answer.Exchange) }
	return !c.user.EnrolledGiven && len(judgements) > 0 && !slices.ContainsFunc(judgements, tells)
}
