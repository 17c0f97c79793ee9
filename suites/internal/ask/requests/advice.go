package requests

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// named returns how a setting of the target is given: by flags, variables or members of the file, or by a field of
// Config. If v is not "", it is given for that version alone.
func (r *Requests) named(v schemas.Version, field string, names ...string) string {
	if r.settings.Program {
		names = []string{"Config." + field}
	}
	for i := range names {
		names[i] = settings.ForVersion(names[i], v)
	}
	return strings.Join(names, " or ")
}

// ToCheck returns the settings to check if the target refuses every request with the given status: those of a version,
// or with "" those of all. The likeliest cause is first; entries are joined by "; ".
func (r *Requests) ToCheck(v schemas.Version, status int) string {
	var (
		url    = "the base URL with its path prefix (" + r.named(v, "TargetURL", "--target-url") + ")"
		token  = "the access token (" + r.namedToken(v) + ")"
		app    = "the application id (" + r.named(v, "ApplicationID", "--application-id") + ")"
		client = "the client certificate and the headers, if a gateway asks for them (" +
			r.named(v, "TLS", "--client-cert") + ", " + r.named(v, "Header", "target.headers") + ")"
		users  = "the users: does the target know them (" + r.settings.Named("--users", "Users") + ")?"
		health = "whether the service works at all: its log says why it answers so"
	)
	order := []string{token, app, url, client, users}
	switch {
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status/100 == 3:
		order = []string{url, users, token, app, client}
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		order = []string{app, url, users, token, client}
	case status/100 == 5:
		order = []string{health, url, token, app, client, users}
	}
	if proxy := r.proxyToCheck(v, status); proxy != "" {
		order = append([]string{proxy}, order...)
	}
	return strings.Join(order, "; ")
}

// namedToken returns how the token of a version is given.
func (r *Requests) namedToken(v schemas.Version) string {
	return r.named(v, "AccessToken", "AUTHN_ACCESS_TOKEN", "--access-token-file")
}

// proxyToCheck names the proxy in use if it may be the proxy that answered: with a page of its own, or because it can't
// reach the target.
func (r *Requests) proxyToCheck(v schemas.Version, status int) string {
	switch status {
	case http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
	default:
		return ""
	}
	for _, one := range r.settings.Versions {
		if proxy := r.settings.Targets[one].Proxy; proxy != nil && (v == "" || v == one) {
			return fmt.Sprintf("whether the proxy %s answered instead of the target: let it pass this host, or go around it "+
				"(NO_PROXY, or %s)", proxy, r.named(v, "Proxy", "--proxy none"))
		}
	}
	return ""
}

// TokenWarning returns a sentence about tokens that end before a moment, by their exp (RFC 7519); "" if none does.
func (r *Requests) TokenWarning(end time.Time) string {
	var list []string
	for _, v := range r.settings.Versions {
		t := r.settings.Targets[v]
		ends, known := settings.TokenEnd(t.AccessToken)
		if known && ends.Before(end) {
			advice := "get a newer one, or give it in a file that is renewed"
			if t.TokenFile != "" {
				advice = "renew its file by then; it is read again when the target refuses"
			}
			list = append(list, fmt.Sprintf("the access token of %s ends at %s, before the expected end at %s: %s", v,
				ends.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339), advice))
		}
	}
	return strings.Join(list, "; ")
}

// ToCheckLater lists what may be wrong if a version that served before refuses everybody with a status. What is likely
// is first. token is the one that was sent last.
func (r *Requests) ToCheckLater(v schemas.Version, status int, token string) string {
	own := schemas.Version("")
	if r.settings.Targets[v].HasOwnToken {
		own = v
	}
	var (
		access = "whether the access token has ended or the administrator is locked out (" + r.namedToken(own) + ")"
		limit  = "a limit in front of the service (send less: " +
			r.settings.Named("--rate, --concurrency", "Rate, Concurrency") + ")"
		health = "whether the service still runs: its log says why it answers so"
	)
	order := []string{health, limit, access}
	switch status {
	case http.StatusUnauthorized:
		order = []string{access, limit, health}
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		order = []string{limit, access, health}
	}
	if end, known := settings.TokenEnd(token); known && !end.After(time.Now()) {
		order = []string{fmt.Sprintf("the access token, which ended at %s: get a new one (%s)",
			end.UTC().Format(time.RFC3339),
			r.namedToken(own)), limit, health}
	}
	return strings.Join(order, "; ")
}
