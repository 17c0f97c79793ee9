// Package evidence stores what was sent and received in an HTTP Archive (HAR 1.2) without secrets. Anyone can judge the
// run again from it without the target.
package evidence

import (
	"net/http"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
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

// Text returns the archive entry of an exchange, whose answer must already be redacted, as JSON. agent is the
// User-Agent of its request.
func Text(requests *exchange.Requests, ex *exchange.Exchange, agent string) []byte {
	return stored(requests, ex, agent).text()
}

// stored returns an exchange with its request, without secrets.
func stored(requests *exchange.Requests, ex *exchange.Exchange, agent string) *Entry {
	secrets := requests.Secrets()
	k := &Entry{Exchange: *ex, Method: ex.Probe.Method(), Sent: sentHeader(requests, ex.Probe, agent)}
	k.URL = secrets.Clean(requests.URL(ex.Probe))
	if k.Method == http.MethodPost {
		k.SentBody = secrets.Clean(requests.Shown(ex.Probe))
	}
	k.Probe.User = storedUser(requests, ex.Probe)
	k.Header = storedHeader(ex.Header)
	if k.Body != nil && k.Withheld == nil {
		k.Size = ex.Length()
	}
	cut := false
	if values := requests.Values(); values == nil {
		cut = len(k.Body) > maxBody
	} else if len(k.Body) > 0 {
		k.Body, cut = values.Body(ex.Body, ex.Probe.User.ID, ex.Probe.User.UserID, maxBody)
		cut = cut || k.Cut != nil
	}
	if cut {
		k.Body, k.Cut = k.Body[:min(maxBody, len(k.Body))], cutOf(requests, ex)
	}
	return k
}

// storedUser returns the user of a probe, hidden, or with the ids redacted in the same way as in answers, so that they
// still match.
func storedUser(requests *exchange.Requests, p exchange.Probe) settings.User {
	u, _ := requests.ShownUser(p)
	secrets := requests.Secrets()
	u.ID, u.UserID, u.Name = secrets.String(u.ID), secrets.String(u.UserID), secrets.Clean(u.Name)
	return u
}

// cutOf returns the size and digest of a whole body of which only a part is stored.
func cutOf(requests *exchange.Requests, ex *exchange.Exchange) *exchange.Cut {
	cut := exchange.Cut{Size: len(ex.Body), Digest: exchange.DigestOf(ex.Body)}
	if ex.Cut != nil { // the evidence that is judged again has only a part, too
		cut = *ex.Cut
	}
	cut.Digest = requests.Values().Keyed(cut.Digest)
	return &cut
}

// sentHeader returns the header of a request. Values of the settings' extra headers are secret, so they are hidden.
func sentHeader(requests *exchange.Requests, p exchange.Probe, agent string) http.Header {
	plain := http.Header{}
	for name, values := range requests.Header(p, agent) {
		if requests.Extra(name) {
			name, values = asText(requests.Secrets().Clean(name)), []string{redactedValue}
		}
		plain[name] = values
	}
	return plain
}
