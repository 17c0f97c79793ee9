package check

import (
	"bytes"
	"mime"
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// maxRefusal is the size in bytes of the largest body that can look like a refusal, without the white space around it.
// Larger ones are decoded only once, to be judged.
const maxRefusal = 1 << 20

// LooksRefused reports whether the answer to a well-formed request is a refusal by its look (J19): a status other than
// 2xx without a record or identifiers; or 2xx with an empty body, an HTML page, null, {}, [], a text, or an object that
// neither is a record nor holds one, each without a GUID. Broken JSON, a wrong type and a missing answer are no
// refusals.
func (r *Reader) LooksRefused(ex *exchange.Exchange) bool { return r.look(ex) >= refused }

// MayBeRefused reports whether the answer to a well-formed request is a refusal if its control gets none better (J23):
// one by its look, or 2xx with what no release of the API sends but something in front of it may: plain text or XML, a
// JSON text or object with a GUID that is no record and holds none, a list of objects that are none.
func (r *Reader) MayBeRefused(ex *exchange.Exchange) bool { return r.look(ex) != answered }

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

// look is what the answer to a well-formed request looks like.
type look int

const (
	answered look = iota // it comes from the service, right or wrong
	foreign              // it may come from something in front
	refused              // it is a refusal by its status, or an HTML page
	empty                // 2xx with a body without data: a refusal, or the user has none
)

func (r *Reader) look(ex *exchange.Exchange) look {
	switch {
	case ex.Status == 0 && ex.Fault != nil:
		return answered
	case !ex.Success():
		if r.ReadRefusal(ex).Discloses() {
			return answered
		}
		return refused
	case ex.Fault != nil:
		return answered
	}
	text := bytes.TrimSpace(ex.Body)
	switch {
	case len(text) == 0:
		return empty
	case len(text) > maxRefusal:
		return answered
	}
	value, err := strictjson.Decode(ex.Body)
	if err != nil {
		media, _, _ := mime.ParseMediaType(ex.Header.Get("Content-Type"))
		switch {
		case media == "text/html", http.DetectContentType(ex.Body) == "text/html; charset=utf-8":
			return refused
		case text[0] == '<', 'A' <= text[0]&^0x20 && text[0]&^0x20 <= 'Z':
			return foreign
		}
		return answered
	}
	switch value := value.(type) {
	case nil, string:
	case map[string]any:
		if holds(value, r.isRecord) {
			return answered
		}
	case []any:
		isOther := func(element any) bool {
			_, isObject := element.(map[string]any)
			return !isObject
		}
		switch {
		case slices.ContainsFunc(value, isOther), holds(value, r.isRecord), schemas.HoldsGUID(ex.Body):
			return answered
		case len(value) > 0:
			return foreign
		}
	default:
		return answered
	}
	if schemas.HoldsGUID(ex.Body) {
		return foreign
	}
	return empty
}
