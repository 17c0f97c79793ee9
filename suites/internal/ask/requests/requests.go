// Package requests makes the HTTP requests for probes, and the curl commands that send them again.
package requests

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// Requests makes the HTTP requests for the probes of a run: URL, header and body.
type Requests struct {
	settings *settings.Settings
	contract *schemas.Contract
	bases    map[schemas.Version]string
	headers  map[schemas.Version]http.Header // of every POST of JSON; the User-Agent is added

	// Unknown has, for each version, the random token that its target can't know (J13).
	Unknown map[schemas.Version]string
}

// New returns requests to the targets of the settings.
func New(s *settings.Settings, contract *schemas.Contract) *Requests {
	bases, unknown := map[schemas.Version]string{}, map[schemas.Version]string{}
	for v, t := range s.Targets {
		if unknown[v] = exchange.BadTokens(t.AccessToken).Random; t.URL != nil {
			bases[v] = t.URL.String()
		}
	}
	return Past(s, contract, bases, unknown)
}

// Past returns requests for a past run, of whose target only the displayed base URLs are known. unknown are its random
// tokens.
func Past(s *settings.Settings, contract *schemas.Contract, bases, unknown map[schemas.Version]string) *Requests {
	r := &Requests{settings: s, contract: contract, bases: bases, headers: map[schemas.Version]http.Header{},
		Unknown: unknown}
	for v, t := range s.Targets {
		header := http.Header{"Accept": {"application/json"}}
		for _, h := range t.Headers { // one may be another Accept
			header.Set(h.Name, h.Value)
		}
		header.Set("Accept-Encoding", "gzip")
		header.Set("Content-Type", "application/json")
		r.headers[v] = header
	}
	return r
}

// Base returns the base URL of a version, without a trailing slash.
func (r *Requests) Base(v schemas.Version) string { return r.bases[v] }

// URL returns a probe's URL.
func (r *Requests) URL(p exchange.Probe) string { return r.bases[p.Version] + p.Path() }

// Content returns a probe's body as it is sent.
func (r *Requests) Content(p exchange.Probe, tokens exchange.Tokens) []byte {
	return p.Body(r.contract.Of(p.Version).Request(p.Operation), tokens, r.settings.Targets[p.Version].ApplicationID)
}

// Header returns the header of a probe, except what net/http adds itself. Agent is the User-Agent.
func (r *Requests) Header(p exchange.Probe, agent string) http.Header {
	header := maps.Clone(r.headers[p.Version]) // the values are never changed
	header["User-Agent"] = []string{agent}
	if p.Method() != http.MethodPost {
		header.Del("Content-Type")
	} else if p.Kind == exchange.ContentType {
		header["Content-Type"] = []string{p.ContentType()}
	}
	return header
}

// Shown returns a probe's body with placeholders for the tokens: for the real one, the variable that holds it.
func (r *Requests) Shown(p exchange.Probe) string {
	tokens := exchange.Shown(r.Unknown[p.Version])
	if name := r.settings.Targets[p.Version].TokenVariable; name != "" {
		tokens.Real = "$" + name
	}
	return string(r.Content(p, tokens))
}

// UnencryptedWarning returns a sentence that names the base URLs to which the token is sent unencrypted; "" if there
// are none.
func (r *Requests) UnencryptedWarning() string {
	var bases []string
	for _, v := range r.settings.Versions {
		if r.settings.Targets[v].InClear {
			bases = append(bases, r.bases[v])
		}
	}
	if len(bases) == 0 {
		return ""
	}
	return "the access token travels in clear text to " + strings.Join(slices.Compact(bases), " and ") +
		": anyone on the network path can read and use it; use an https:// URL"
}

// Warnings returns warnings about the connection to the target: unencrypted HTTP, and proxies.
func (r *Requests) Warnings() []string {
	var list []string
	if warning := r.UnencryptedWarning(); warning != "" {
		list = append(list, warning)
	}
	for _, v := range r.settings.Versions {
		if proxy := r.settings.Targets[v].Proxy; proxy != nil {
			list = append(list, "requests went through the proxy "+proxy.String()+
				": anything that it changes counts as the target's answer")
		}
	}
	return slices.Compact(list)
}

// Asked describes the request of an exchange: its id, its URL, and the proxy that it went through, unless the fault
// names that.
func (r *Requests) Asked(ex *exchange.Exchange) string {
	text := ex.Probe.ID + " to " + r.URL(ex.Probe)
	if ex.Fault == nil {
		text += r.route(ex.Probe.Version)
	}
	return text
}

// route returns the end of a text about a URL of a version, which names its proxy; "" if there is none.
func (r *Requests) route(v schemas.Version) string {
	if proxy := r.settings.Targets[v].Proxy; proxy != nil {
		return " through the proxy " + proxy.String()
	}
	return ""
}

// Targets returns a line for each version under test, with the base URL and its proxy.
func (r *Requests) Targets() []string {
	var lines []string
	for _, v := range r.settings.Versions {
		if record := r.settings.Recorded[v]; record != nil {
			lines = append(lines, string(v)+" "+record.String())
			continue
		}
		lines = append(lines, string(v)+" at "+r.bases[v]+r.route(v))
	}
	return lines
}

// Extra reports whether a header is one that the settings add. Its value is a secret.
func (r *Requests) Extra(name string) bool {
	for _, t := range r.settings.Targets {
		if slices.ContainsFunc(t.Headers, func(h settings.Header) bool { return strings.EqualFold(h.Name, name) }) {
			return true
		}
	}
	return false
}
