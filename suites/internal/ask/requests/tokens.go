package requests

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

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
