package sanitize

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Exchange returns an exchange as evidence has it: without secrets, with at most limit bytes of the body and, if they
// are hidden, without the values of users.
func (o *Output) Exchange(ex *exchange.Exchange, limit int) exchange.Exchange {
	stored := *ex
	stored.Probe.User, stored.Header = o.StoredUser(ex.Probe), storedHeader(o.Header(ex.Header))
	if ex.Fault != nil {
		stored.Fault = new(o.Fault(*ex.Fault))
	}
	stored.Size = ex.Length()
	w := ex.Unkept()
	if w == nil && o.known().FoundIn(ex.Body) {
		w = &exchange.Withheld{Size: stored.Size, Digest: exchange.DigestOf(ex.Body), Rule: exchange.SecretRule}
	}
	if w != nil {
		stored.Body, stored.Withheld = nil, o.Withheld(*w)
		return stored
	}
	cut := len(stored.Body) > limit
	if o.Hides() && len(ex.Body) > 0 {
		stored.Body, cut = o.names.hide(stored.Body, limit)
		cut = cut || ex.Cut != nil
	}
	if cut {
		stored.Body, stored.Cut = stored.Body[:min(limit, len(stored.Body))], o.CutOf(ex)
	}
	return stored
}

// CutOf returns the size and, unless values are hidden, the digest of a whole body of which only a part is stored.
func (o *Output) CutOf(ex *exchange.Exchange) *exchange.Cut {
	cut := exchange.Cut{Size: len(ex.Body), Digest: exchange.DigestOf(ex.Body)}
	if ex.Cut != nil { // the evidence that is judged again has only a part, too
		cut = *ex.Cut
	}
	cut.Digest = o.either(cut.Digest, "")
	return &cut
}

// Alters reports whether a secret is in the user or the media type of an exchange. What is stored of it can't be judged
// again. Any other header is only shown, without secrets.
func (o *Output) Alters(ex *exchange.Exchange) bool {
	s, user := o.known(), ex.Probe.User
	return slices.ContainsFunc(ex.Header["Content-Type"], s.Found) || s.Found(user.ID) || s.Found(user.UserID)
}

// Header returns the header of an answer without secrets and, if values are hidden, without the names and values that
// are not among the usual ones of HTTP.
func (o *Output) Header(header http.Header) http.Header {
	shown := make(http.Header, len(header))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		as := o.headerName(name)
		shown[as] = slices.Grow(shown[as], len(header[name])) // not nil, also without values
		for _, value := range header[name] {
			shown[as] = append(shown[as], o.headerValue(name, value))
		}
	}
	return shown
}

func (o *Output) headerName(name string) string {
	name = o.Identifier(name)
	return o.either(name, headerName(name))
}

func (o *Output) headerValue(name, value string) string {
	value = o.Clean(value)
	return o.either(value, headerValue(name, value))
}

// HeaderName returns the name of a header.
func (o *Output) HeaderName(name string) string { return Printable(o.headerName(name), 60) }

// HeaderValue returns the value of a header, shortened.
func (o *Output) HeaderValue(name, value string) string {
	return Printable(o.headerValue(name, value), 80)
}

// HeaderText returns the value of a header.
func (o *Output) HeaderText(name, value string) string {
	return Printable(o.headerValue(name, value), 200)
}

// Request returns what was sent with a probe: URL, header and body, with placeholders for the tokens. agent is the
// User-Agent.
func (o *Output) Request(r *requests.Requests, p exchange.Probe, agent string) (url string, header http.Header,
	body string) {
	header = http.Header{}
	for name, values := range r.Header(p, agent) {
		if r.Extra(name) { // its value is a secret
			name, values = asText(o.Clean(name)), []string{neverStored}
		}
		header[name] = values
	}
	p.User = o.StoredUser(p)
	return o.Clean(r.URL(p)), header, o.Clean(r.Shown(p))
}

// neverStored replaces the value of a header that is never stored.
const neverStored = "[hidden]"

// storedHeader returns a header without the values of credentials and cookies, as valid UTF-8.
func storedHeader(header http.Header) http.Header {
	stored := make(http.Header, len(header))
	for name, values := range header {
		for _, value := range values {
			stored[asText(name)] = append(stored[asText(name)], asText(storedValue(name, value)))
		}
	}
	return stored
}

func storedValue(name, value string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info", "cookie",
		"set-cookie2":
		return neverStored
	case "set-cookie": // its name says what a balancer wants back
		if cookie := exchange.CookieName(value); cookie != "" {
			return cookie + "=" + neverStored
		}
		return neverStored
	case "www-authenticate", "proxy-authenticate":
		// The scheme of a challenge is an observation (§5.4), and its errors say why; the rest may be a nonce or a
		// realm.
		scheme, rest, found := strings.Cut(value, " ")
		if !found {
			return value
		}
		code, description := exchange.ChallengeErrors(rest)
		for name, text := range map[string]*string{"error": &code, "error_description": &description} {
			if *text != "" {
				*text = name + `="` + strings.ReplaceAll(*text, `"`, `\"`) + `", `
			}
		}
		return scheme + " " + code + description + neverStored
	}
	return value
}

// asText returns a text in valid UTF-8 for JSON: with other bytes it is made printable.
func asText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return Printable(text, 0)
}
