// Package evidence stores what was sent and received in an HTTP Archive (HAR 1.2) without secrets. Anyone can judge the
// run again from it without the target.
package evidence

import (
	"net/http"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize"
)

// output is the way out of a run, which everything that is stored passes.
type output = sanitize.Output

// Entry is an exchange as stored in the evidence, without secrets.
type Entry struct {
	exchange.Exchange
	Method, URL string
	Sent        http.Header // header of the request
	SentBody    string      // body of the request, with placeholders for the tokens
	Altered     string      // why it can't be judged again, if a secret in it was replaced
}

// Store returns exchanges by their id, such as "e17". If a throttled request was repeated, it returns the last
// exchange.
type Store interface {
	Entry(id string) (*Entry, error)
}

// Text returns the archive entry of an exchange as JSON. agent is the User-Agent of its request.
func Text(out *output, requests *requests.Requests, ex *exchange.Exchange, agent string) []byte {
	return stored(out, requests, ex, agent).text()
}

// maxBody is how many bytes of one body are stored.
const maxBody = 1 << 20

// stored returns an exchange with its request as it is stored.
func stored(out *output, requests *requests.Requests, ex *exchange.Exchange, agent string) *Entry {
	k := &Entry{Exchange: out.Exchange(ex, maxBody), Method: ex.Probe.Method()}
	k.URL, k.Sent, k.SentBody = out.Request(requests, ex.Probe, agent)
	if out.Alters(ex) {
		k.Altered = "a secret in its user or its media type was replaced"
	}
	return k
}
