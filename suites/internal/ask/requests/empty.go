package requests

import (
	"bytes"
	"net/http"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// Trimmed returns a body without the JSON white space around it (RFC 8259, section 2).
func Trimmed(body []byte) []byte { return bytes.Trim(body, " \t\r\n") }

// SaysNothing reports whether an answer can mean that the user has no data. §4.3 leaves open how a target says so.
// Statuses about the caller (401, 403), the rate (429) or the target's own faults (5xx) don't mean that.
func SaysNothing(ex *exchange.Exchange) bool {
	switch ex.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return ex.Fault == nil
	}
	return ex.Fault == nil && isEmpty(ex)
}

// Concerns reports whether the answer to a well-formed request is settled by a control (J23). For a user marked
// enrolled: false it is not if it may say that: there are many ways to do so (J1).
func Concerns(ex *exchange.Exchange) bool { return ex.Probe.User.Enrolled || !SaysNothing(ex) }

// isEmpty reports whether an answer is 2xx, and its body can only mean "there is no data".
func isEmpty(ex *exchange.Exchange) bool {
	switch string(Trimmed(ex.Body)) {
	case "", "null", "[]", "{}", `""`:
		return ex.Success()
	}
	return false
}
