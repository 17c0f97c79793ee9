// Package evidence keeps what was sent and what came back, so that a stranger can judge it again without the target: an
// HTTP Archive (HAR 1.2) from which every secret has been taken out.
package evidence

import (
	"net/http"

	"authenticator-conformance/suites/internal/exchange"
)

// Entry is an exchange as the evidence keeps it: no secret is in it.
type Entry struct {
	exchange.Exchange
	Method, URL string
	Sent        http.Header // of the request
	SentBody    string      // of the request, with placeholders for the tokens
}

// Store gives exchanges by their id, such as "e17". Of one that was sent several times, as the target throttled, it is
// the last.
type Store interface {
	Entry(id string) (*Entry, error)
}
