// Package evidence stores what was sent and received in an HTTP Archive (HAR 1.2) without secrets. Anyone can judge the
// run again from it without the target.
package evidence

import (
	"net/http"

	"authenticator-conformance/suites/internal/exchange"
)

// Entry is an exchange as stored in the evidence, without secrets.
type Entry struct {
	exchange.Exchange
	Method, URL string
	Sent        http.Header // header of the request
	SentBody    string      // body of the request, with placeholders for the tokens
}

// Store returns exchanges by their id, such as "e17". If a throttled request was repeated, it returns the last
// exchange.
type Store interface {
	Entry(id string) (*Entry, error)
}
