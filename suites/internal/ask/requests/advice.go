package requests

import (
	"fmt"
	"net/http"
	"slices"
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

// namedToken returns how the token of a version is given.
func (r *Requests) namedToken(v schemas.Version) string {
	return r.named(v, "AccessToken", "AUTHN_ACCESS_TOKEN", "--access-token-file")
}

// TokenWarning returns a sentence for each token that ends before a moment, by its exp (RFC 7519); "" if none does.
func (r *Requests) TokenWarning(end time.Time) string {
	var list, warned []string
	for _, v := range r.settings.Versions {
		t := r.settings.Targets[v]
		ends, known := settings.TokenEnd(t.AccessToken)
		if !known || !ends.Before(end) || slices.Contains(warned, t.AccessToken) {
			continue
		}
		warned = append(warned, t.AccessToken)
		advice := "get a newer one, or give it in a file that is renewed"
		if t.TokenFile != "" {
			advice = "renew its file by then; it is read again when the target refuses"
		}
		var of []schemas.Version
		for _, other := range r.settings.Versions {
			if r.settings.Targets[other].AccessToken == t.AccessToken {
				of = append(of, other)
			}
		}
		list = append(list, fmt.Sprintf("the access token of %s ends at %s, before the expected end at %s: %s",
			schemas.Named(of), ends.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339), advice))
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
		access = "whether the access token has ended or its account is locked out (" + r.namedToken(own) + ")"
		limit  = "a limit in front of the service (send less: " + r.settings.Slower() + ")"
		health = "whether the service still runs: see its log"
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
