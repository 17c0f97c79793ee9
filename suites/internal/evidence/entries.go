package evidence

import (
	"net/http"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// Entries makes the archive entries of exchanges. Their answers must already be redacted. It is safe for concurrent
// use.
type Entries struct{ requests *exchange.Requests }

// NewEntries returns Entries for exchanges of the given requests.
func NewEntries(requests *exchange.Requests) *Entries { return &Entries{requests} }

// Text returns the entry of an exchange as JSON. agent is the User-Agent of its request.
func (e *Entries) Text(ex *exchange.Exchange, agent string) ([]byte, error) {
	return encode(entryOf(e.entry(ex, agent)))
}

// entry returns an exchange with its request, without secrets.
func (e *Entries) entry(ex *exchange.Exchange, agent string) *Entry {
	secrets := e.requests.Secrets()
	k := &Entry{Exchange: *ex, Method: ex.Probe.Method(), Sent: e.sent(ex.Probe, agent)}
	k.URL = secrets.Clean(e.requests.URL(ex.Probe))
	if k.Method == http.MethodPost {
		k.SentBody = secrets.Clean(e.requests.Shown(ex.Probe))
	}
	k.Probe.User = settings.User(e.storedUser(ex.Probe))
	k.Header = storedHeader(ex.Header)
	if k.Body != nil && k.Withheld == nil {
		k.Size = ex.Length()
	}
	cut := false
	if values := e.requests.Values(); values == nil {
		cut = len(k.Body) > maxBody
	} else if len(k.Body) > 0 {
		k.Body, cut = values.Body(ex.Body, ex.Probe.User.ID, ex.Probe.User.UserID, maxBody)
		cut = cut || k.Cut != nil
	}
	if cut {
		k.Body, k.Cut = k.Body[:min(maxBody, len(k.Body))], e.cutDigest(ex)
	}
	return k
}

// storedUser returns the user of a probe with the ids redacted in the same way as in answers, so that they still match,
// or hidden.
func (e *Entries) storedUser(p exchange.Probe) user {
	shown, _ := e.requests.ShownUser(p)
	return storedUser(e.requests.Secrets(), shown)
}

// cutDigest returns the size and digest of a whole body of which only a part is stored.
func (e *Entries) cutDigest(ex *exchange.Exchange) *exchange.Cut {
	if ex.Cut != nil { // the evidence that is judged again has only a part, too
		return &exchange.Cut{Size: ex.Cut.Size, Digest: e.requests.Values().Keyed(ex.Cut.Digest)}
	}
	return &exchange.Cut{Size: len(ex.Body), Digest: e.requests.Values().Keyed(exchange.DigestOf(ex.Body))}
}

// sent returns the header of a request. Values of the settings' extra headers are hidden, because they are secret.
func (e *Entries) sent(p exchange.Probe, agent string) http.Header {
	plain := http.Header{}
	for name, values := range e.requests.Header(p, agent) {
		if e.requests.Extra(name) {
			name, values = asText(e.requests.Secrets().Clean(name)), []string{redactedValue}
		}
		plain[name] = values
	}
	return plain
}
