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

// emptyBodies are the texts of an answer that can only mean: nothing.
func emptyBodies() []string { return []string{"", "null", "[]", "{}", `""`} }

// nothingStatuses are those by which a target may say that it has nothing for what it was asked. A status that speaks
// of the caller (401, 403), of too much (429) or of a fault of the target's own (5xx) says no such thing.
func nothingStatuses() []int {
	return []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity}
}

// trimmed is a body without the white space of JSON around it (RFC 8259 §2).
func trimmed(body []byte) []byte { return bytes.Trim(body, " \t\r\n") }

// saysNothing tells whether an answer can mean that the user has nothing (§4.3 leaves open how that is said).
func saysNothing(ex *exchange.Exchange) bool {
	if !ex.Answered() || ex.Fault != nil {
		return false
	}
	return slices.Contains(nothingStatuses(), ex.Status) || ex.Success() && ex.Withheld == nil &&
		slices.Contains(emptyBodies(), string(trimmed(ex.Body)))
}

// way is how nothing is said: by the status of a refusal, or by the text of an answer that was served. Which status
// within 2xx that has is open (J2), and so is what a refusal says beside its status (§7).
func way(ex *exchange.Exchange) string {
	if !ex.Success() {
		return "status " + strconv.Itoa(ex.Status)
	}
	if text := string(trimmed(ex.Body)); text != "" {
		return text
	}
	return "an empty body"
}

// without tells whether the user is marked as one who has nothing.
func (p *comparison) without() bool { return p.user.EnrolledGiven && !p.user.Enrolled }

// nothing settles a pair in which both versions say that the user has nothing. Of a user who is marked so, how they say
// it is open (J1); of one of whom nothing is known, two different refusals leave open whether they mean the same: that
// one version does not know the user, or that there is nothing to show.
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
		return "", "", false // served by one and refused by the other, they differ in shape (J14)
	}
	return stats.NotComparable, "both say that there is nothing, in different ways: v5 " + way(l) + "; v6 " + way(r), true
}
