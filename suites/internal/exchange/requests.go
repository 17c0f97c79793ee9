package exchange

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// Requests makes the HTTP requests for the probes of a run: URL, header and body, also in a form without secrets.
type Requests struct {
	settings *settings.Settings
	contract *schemas.Contract
	secrets  *sanitize.Secrets
	bases    map[schemas.Version]string
	header   http.Header // of every request; the rest depends on the probe

	values    *sanitize.Values        // nil if values are shown
	positions map[settings.User]int64 // in the users file, from 0; nil if values are shown

	// Unknown is the random token that the target can't know (J13).
	Unknown string
}

// NewRequests returns requests to the target of the settings. What they show contains no secrets.
func NewRequests(s *settings.Settings, contract *schemas.Contract, secrets *sanitize.Secrets) *Requests {
	bases := map[schemas.Version]string{}
	for v, base := range s.URLs {
		bases[v] = base.String()
	}
	return PastRequests(s, contract, secrets, bases)
}

// PastRequests returns requests for a past run, of whose target only the displayed base URLs are known.
func PastRequests(s *settings.Settings, contract *schemas.Contract, secrets *sanitize.Secrets,
	bases map[schemas.Version]string) *Requests {
	header := http.Header{}
	for _, h := range s.Headers {
		header.Set(h.Name, h.Value)
	}
	header.Set("Accept", "application/json")
	header.Set("Accept-Encoding", "gzip")
	r := &Requests{settings: s, contract: contract, secrets: secrets, bases: bases, header: header,
		values: valuesOf(s, contract)}
	if r.values != nil {
		r.positions = make(map[settings.User]int64, len(s.Users))
		for i, user := range s.Users {
			r.positions[user] = int64(i)
		}
	}
	return r
}

// Base returns the base URL of a version, without a trailing slash.
func (r *Requests) Base(v schemas.Version) string { return r.bases[v] }

// Secrets returns the secrets that no output may contain.
func (r *Requests) Secrets() *sanitize.Secrets { return r.secrets }

// URL returns a probe's URL.
func (r *Requests) URL(p Probe) string { return r.bases[p.Version] + p.Path() }

// Content returns a probe's body as it is sent.
func (r *Requests) Content(p Probe, tokens Tokens) []byte {
	return p.Body(r.contract.Request(p.Operation), tokens, r.settings.ApplicationID)
}

// Header returns the header of a probe, except what net/http adds itself. Agent is the User-Agent.
func (r *Requests) Header(p Probe, agent string) http.Header {
	header := make(http.Header, len(r.header)+2)
	maps.Copy(header, r.header) // the values are never changed
	header.Set("User-Agent", agent)
	if p.Method() == http.MethodPost {
		header.Set("Content-Type", p.ContentType())
	}
	return header
}

// Shown returns a probe's body as it may be shown, with placeholders for the tokens and hidden users.
func (r *Requests) Shown(p Probe) string {
	p.User, _ = r.ShownUser(p)
	return string(r.Content(p, Shown(r.Unknown)))
}

// UnencryptedWarning returns a sentence that names the base URLs to which the token is sent unencrypted; "" if there
// are none.
func (r *Requests) UnencryptedWarning() string {
	if len(r.settings.InClear) == 0 {
		return ""
	}
	var bases []string
	for _, v := range r.settings.InClear {
		bases = append(bases, r.secrets.Show(r.bases[v], 0))
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
		if proxy := r.settings.Proxies[v]; proxy != nil {
			list = append(list, "requests went through the proxy "+r.secrets.Show(proxy.String(), 0)+
				": anything that it changes counts as the target's answer")
		}
	}
	return slices.Compact(list)
}

// DisplayBase returns the base URL of a version with its proxy, for a heading.
func (r *Requests) DisplayBase(v schemas.Version) string {
	display := r.bases[v]
	if proxy := r.settings.Proxies[v]; proxy != nil {
		display += " through the proxy " + proxy.String()
	}
	return r.secrets.Show(display, 0)
}

// Extra reports whether a header is one that the settings add. Its value is a secret.
func (r *Requests) Extra(name string) bool {
	return slices.ContainsFunc(r.settings.Headers,
		func(h settings.Header) bool { return strings.EqualFold(h.Name, name) })
}
