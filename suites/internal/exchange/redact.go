package exchange

import (
	"bytes"
	"net/http"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/strictjson"
)

// Redact replaces each secret in an answer by a pseudonym, before anything judges, compares or stores the answer. If a
// secret can't be replaced, or the body must not be shown, it sets Withheld.
func (e *Exchange) Redact(secrets *sanitize.Secrets) {
	e.redactHeader(secrets)
	if asked := secrets.String(e.Probe.User.UserID); asked != e.Probe.User.UserID {
		e.UserID = asked
	}
	w := e.withhold(secrets)
	if w == nil && secrets.FoundIn(e.Body) {
		body, ok := secrets.Body(string(e.Body))
		if ok {
			e.Size, e.Body = len(e.Body), []byte(body)
			return
		}
		w = &Withheld{Size: len(e.Body), Digest: DigestOf(e.Body), Rule: ruleSecret}
		w.Why = "the body contains a secret that can't be replaced"
	}
	if w != nil {
		e.Withheld, e.Body = w, readable(e.Body, secrets)
	}
}

// readable returns the text of the first JSON value that a lenient reader finds in a body (J13), redacted and in UTF-8.
// It is empty if there is none.
func readable(body []byte, secrets *sanitize.Secrets) []byte {
	text, ok := secrets.Body(string(bytes.ToValidUTF8(strictjson.FirstText(body), []byte("\uFFFD"))))
	if !ok {
		return []byte{}
	}
	return []byte(text)
}

// redactHeader redacts the header. It copies the header only if it contains a secret.
func (e *Exchange) redactHeader(secrets *sanitize.Secrets) {
	clean := true
	for name, values := range e.Header {
		clean = clean && !secrets.Found(name)
		for _, value := range values {
			clean = clean && !secrets.Found(value)
		}
	}
	if clean {
		return
	}
	header := make(http.Header, len(e.Header))
	for name, values := range e.Header {
		if secrets.Found(name) {
			name = http.CanonicalHeaderKey(secrets.String(name))
		}
		for _, value := range values {
			header[name] = append(header[name], secrets.Clean(value))
		}
	}
	e.Header = header
}
