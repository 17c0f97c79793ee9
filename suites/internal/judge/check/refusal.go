package check

import (
	"bytes"
	"mime"
	"net/http"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// maxRefusal is the size in bytes of the largest body that can look like a refusal. Larger ones are decoded only once,
// to be judged.
const maxRefusal = 1 << 20

// LooksRefused reports whether the answer to a well-formed request is a refusal by its look (J19): a status other than
// 2xx without a record or identifiers; or 2xx with an empty body, an HTML page, null, {}, [], a text, or an object that
// neither is a record nor holds one, each without a GUID. Broken JSON, a wrong type and a missing answer are no
// refusals.
func (r *Reader) LooksRefused(ex *exchange.Exchange) bool {
	switch {
	case ex.Status == 0 && ex.Fault != nil:
		return false
	case !ex.Success():
		return !r.ReadRefusal(ex).Discloses()
	case ex.Fault != nil, len(ex.Body) > maxRefusal:
		return false
	case len(bytes.TrimSpace(ex.Body)) == 0:
		return true
	}
	value, err := strictjson.Decode(ex.Body)
	if err != nil {
		media, _, _ := mime.ParseMediaType(ex.Header.Get("Content-Type"))
		return media == "text/html" || http.DetectContentType(ex.Body) == "text/html; charset=utf-8"
	}
	switch value := value.(type) {
	case nil, string:
	case map[string]any:
		if r.holdsRecord(value) {
			return false
		}
	case []any:
		if len(value) > 0 {
			return false
		}
	default:
		return false
	}
	return !schemas.HoldsGUID(ex.Body)
}

// holdsRecord reports whether a value is a record or has one at any depth.
func (r *Reader) holdsRecord(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		if r.isRecord(value) {
			return true
		}
		for _, member := range value {
			if r.holdsRecord(member) {
				return true
			}
		}
	case []any:
		for _, element := range value {
			if r.holdsRecord(element) {
				return true
			}
		}
	}
	return false
}
