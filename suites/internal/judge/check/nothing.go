package check

import (
	"net/http"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// SaysNothing reports whether the answer to a well-formed request can mean that the user has no data (J22): status
// 400, 404, 410 or 422, or 2xx with the look of a refusal (J19), but for an HTML page. §4.3 leaves open how a target
// says so. Statuses about the caller (401, 403), the rate (429) or the target's own faults (5xx) don't mean that.
func (r *Reader) SaysNothing(ex *exchange.Exchange) bool {
	switch ex.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return ex.Fault == nil
	}
	return !schemas.HoldsGUID(ex.Body) && r.look(ex) == empty // one with a GUID need not be decoded
}
