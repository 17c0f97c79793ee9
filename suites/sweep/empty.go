package sweep

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
)

// maxText is how many characters of a text are shown that says that there is no data.
const maxText = 60

// kindOfEmpty returns how the answer says "there is no data": the status of a refusal, or the body of a 2xx answer in
// short. The exact 2xx status is open (J2), and so is the body of a refusal (§7).
func (s *Sweep) kindOfEmpty(a *check.Answer) string {
	if !a.Exchange.Success() {
		return "status " + strconv.Itoa(a.Exchange.Status)
	}
	switch body := bytes.TrimSpace(a.Exchange.Body); {
	case len(body) == 0:
		return "an empty body"
	case string(body) == "null", string(body) == "[]", string(body) == "{}":
		return string(body)
	case body[0] == '{':
		return "an object without a record"
	}
	if text, ok := a.Value.(string); ok {
		return s.out.JSON(text, maxText)
	}
	return "a long text" // which was freed
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
		if left.Answer.DisclosesData() || right.Answer.DisclosesData() || left.HasFindings() || right.HasFindings() {
			return false
		}
		found.Outcome, found.Why = stats.EqualUnderRule,
			"how a user who is marked enrolled: false is answered is open (§4.3)"
		if l.SameAnswer(r) || c.suite.SaysNothing(l) && c.suite.SaysNothing(r) &&
			c.kindOfEmpty(left.Answer) == c.kindOfEmpty(right.Answer) {
			found.Outcome, found.Why = stats.NothingAlike, ""
		}
		return true
	case !c.saysNothing([]*spec.Judgement{left, right}):
		return false
	}
	found.Outcome = stats.NothingAlike
	if from, to := c.kindOfEmpty(left.Answer), c.kindOfEmpty(right.Answer); from != to {
		found.Divergence = fmt.Sprintf("%s %s; %s %s", c.pair.From, from, c.pair.To, to)
	}
	return true
}

// saysNothing reports whether each of these answers means that the user has no data, and the users file does not say
// whether the user is enrolled.
func (c *comparison) saysNothing(judgements []*spec.Judgement) bool {
	tells := func(j *spec.Judgement) bool { return !c.suite.SaysNothing(j.Answer.Exchange) }
	return !c.user.EnrolledGiven && len(judgements) > 0 && !slices.ContainsFunc(judgements, tells)
}
