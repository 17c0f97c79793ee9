package sweep

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/stats"
)

// emptyBodies are the bodies that can only mean "there is no data".
func emptyBodies() []string { return []string{"", "null", "[]", "{}", `""`} }

// nothingStatuses are the statuses with which a target may say that it has no data for the user. Statuses about the
// caller (401, 403), the rate (429) or the target's own faults (5xx) don't mean that.
func nothingStatuses() []int {
	return []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity}
}

// trimmed returns a body without the JSON white space around it (RFC 8259, section 2).
func trimmed(body []byte) []byte { return bytes.Trim(body, " \t\r\n") }

// saysNothing reports whether an answer can mean that the user has no data. §4.3 leaves open how a target says so.
func saysNothing(ex *exchange.Exchange) bool {
	if !ex.Answered() || ex.Fault != nil {
		return false
	}
	return slices.Contains(nothingStatuses(), ex.Status) || ex.Success() && ex.Withheld == nil &&
		slices.Contains(emptyBodies(), string(trimmed(ex.Body)))
}

// way returns how the answer says "there is no data": the status of a refusal, or the body of a 2xx answer. The exact
// 2xx status is open (J2), and so is the body of a refusal (§7).
func way(ex *exchange.Exchange) string {
	if !ex.Success() {
		return "status " + strconv.Itoa(ex.Status)
	}
	if text := string(trimmed(ex.Body)); text != "" {
		return text
	}
	return "an empty body"
}

// without reports whether the users file marks the user as not enrolled.
func (p *comparison) without() bool { return p.user.EnrolledGiven && !p.user.Enrolled }

// nothing settles two answers that both say the user has no data. For a user marked as not enrolled, any way of saying
// it is accepted (J1). For a user without a mark, two different refusals are not comparable. One version may not know
// the user, the other may have nothing to show.
func (p *comparison) nothing(left, right *spec.Judgement) (outcome stats.Outcome, why string, settled bool) {
	l, r := left.Answer.Exchange, right.Answer.Exchange
	none := p.without()
	switch {
	case p.user.EnrolledGiven && p.user.Enrolled, left.Answer.DisclosesData(), right.Answer.DisclosesData(), none &&
		(broken(left) || broken(right)):
		return "", "", false
	case none:
		if saysNothing(l) && saysNothing(r) && way(l) == way(r) || l.SameAnswer(r) {
			return stats.NothingAlike, "", true
		}
		return stats.EqualUnderRule, "J1: how a user who is marked enrolled: false is answered is open (§4.3)", true
	case !saysNothing(l) || !saysNothing(r):
		return "", "", false
	case way(l) == way(r):
		return stats.NothingAlike, "", true
	case left.Answer.Served() != right.Answer.Served():
		return "", "", false // one is served and the other refused, so they differ in shape (J14)
	}
	return stats.NotComparable, "both say that there is nothing, in different ways: v5 " + way(l) + "; v6 " + way(r),
		true
}
