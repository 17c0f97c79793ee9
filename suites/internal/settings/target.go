package settings

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings/input"
)

// embeddedTarget is the URL in the list of effective settings if none is given.
const embeddedTarget = "embedded reference"

// plannedApplicationID is the application id that a plan shows if none is given.
const plannedApplicationID = "$AUTHN_APPLICATION_ID"

// finishTarget sets the target of each version under test, and checks that no setting is missing that this target
// needs.
func (r *resolver) finishTarget(d Defaults) {
	if r.urlGiven() {
		r.missingForTarget()
		r.targetURLs(r.noURL)
		return
	}
	if given := r.givenForTarget(); len(given) > 0 {
		r.fail("the target has no URL, although settings of a deployed service are given (%s): give %s, or leave them "+
			"out to ask the %s", strings.Join(given, ", "), alternatives(nameURL), embeddedTarget)
		return
	}
	r.settings.Embedded = true
	r.settings.ApplicationID = d.ApplicationID
	if r.in.command != Sweep {
		r.settings.Users = slices.Clone(d.Users)
	}
	r.show(nameURL, embeddedTarget, sourceDefault)
	r.show(nameApplicationID, d.ApplicationID, sourceDefault)
	r.show(nameUsers, "those of the "+embeddedTarget, sourceDefault)
}

// givenForTarget lists the places of all settings that are of use for a deployed target only. If one is given and the
// URL is not, the URL was lost. The embedded reference must not pass in the target's place.
func (r *resolver) givenForTarget() []string {
	var given []string
	for _, name := range []string{nameToken, nameTokenFile, nameApplicationID, nameUsers, nameCA, nameClientCert,
		nameClientKey, nameHeaders} {
		if v, ok := r.chosen[name]; ok {
			given = append(given, v.location)
		}
	}
	return given
}

// urlGiven reports whether any URL of a target was given, valid or not.
func (r *resolver) urlGiven() bool {
	return r.isGiven(nameURL) || slices.ContainsFunc(schemas.Versions(),
		func(v schemas.Version) bool { return r.isGiven(nameVersionURL(v)) })
}

// isGiven reports whether any of the named settings was given, valid or not.
func (r *resolver) isGiven(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return r.chosen[name].location != "" })
}

func (r *resolver) missingForTarget() {
	if r.in.command == Plan {
		// A random token can't match any text in the plan, so nothing is redacted by mistake. The plan shows a
		// placeholder for any token.
		r.settings.AccessToken = cmp.Or(r.settings.AccessToken, rand.Text())
		r.settings.ApplicationID = cmp.Or(r.settings.ApplicationID, plannedApplicationID)
	} else {
		r.missing("the access token", nameToken, nameTokenFile)
		r.missing("the application id", nameApplicationID)
	}
	if !r.isGiven(nameLastFailed) {
		r.missing("the users file", nameUsers)
	}
}

// missing adds an error if none of the named settings was given. It lists every way to give them.
func (r *resolver) missing(subject string, names ...string) {
	if !r.isGiven(names...) {
		r.fail("%s is missing: the target needs it; give %s", subject, alternatives(names...))
	}
}

// targetURLs sets the URL of each version under test: its own, or the one for all versions. It calls missing for a
// version with neither.
func (r *resolver) targetURLs(missing func(schemas.Version)) {
	r.settings.URLs = map[schemas.Version]*url.URL{}
	for _, v := range r.settings.Versions {
		name := nameVersionURL(v)
		if !r.isGiven(name) {
			name = nameURL
		}
		if !r.isGiven(name) {
			missing(v)
		} else if base := r.urls[name]; base != nil {
			r.settings.URLs[v] = base
		}
	}
}

func (r *resolver) noURL(v schemas.Version) {
	r.fail("%s is under test but has no URL: give %s; or one for all versions by %s; or leave %s out of the versions "+
		"under test", v, alternatives(nameVersionURL(v)), alternatives(nameURL), v)
}

const maxPort = 65535

// setURL returns a setter that stores the base URL of a setting.
func (r *resolver) setURL(name string) func(rawValue) error {
	return func(g rawValue) (err error) {
		r.urls[name], err = baseURL(g.text)
		return err
	}
}

// baseURL parses a base URL and removes its trailing slashes. Errors do not contain the URL, because it may contain
// credentials.
func baseURL(text string) (*url.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return nil, errors.New("contains white space or a control character: expected a URL without any")
	}
	scheme, rest, _ := strings.Cut(text, "://")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return nil, errors.New("does not begin with http:// or https://: expected a URL such as https://host/prefix")
	}
	if strings.ContainsAny(rest, "?#") {
		return nil, errors.New("has a query or fragment (? or #): expected a base URL without, such as " +
			"https://host/prefix")
	}
	if authority, _, _ := strings.Cut(rest, "/"); strings.Contains(authority, "@") {
		return nil, errors.New("has credentials before its host: remove them and put them into a header " +
			"(target.headers)")
	}
	base, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || base.Hostname() == "" {
		return nil, errors.New("has no valid host, port or path: expected a URL such as https://host:8443/prefix")
	}
	if base.Port() == "" && strings.HasSuffix(base.Host, ":") {
		return nil, errors.New("has a colon but no port after its host: give the port or leave out the colon")
	}
	if n, err := strconv.Atoi(cmp.Or(base.Port(), "1")); err != nil || n < 1 || n > maxPort {
		return nil, fmt.Errorf("has port %s: expected 1 to %d", input.Quote(base.Port()), maxPort)
	}
	return base, nil
}

// ToCheck returns the settings to check if the target refuses every request with the given status. The likeliest cause
// is first; entries are joined by "; ".
func (s *Settings) ToCheck(status int) string {
	var (
		url    = "the base URL with its path prefix (" + s.Named("--target-url", "TargetURL") + ")"
		token  = "the access token (" + s.Named("AUTHN_ACCESS_TOKEN or --access-token-file", "AccessToken") + ")"
		app    = "the application id (" + s.Named("--application-id", "ApplicationID") + ")"
		client = "the client certificate and the headers, if a gateway asks for them (" +
			s.Named("--client-cert, target.headers", "TLS, Header") + ")"
		users  = "the users: does the target know them (" + s.Named("--users", "Users") + ")?"
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
	return strings.Join(order, "; ")
}

// ToCheckLater lists what may be wrong if a target that served before refuses everybody with a status, what is likely
// first.
func (s *Settings) ToCheckLater(status int) string {
	var (
		token = "whether the access token has ended or the administrator is locked out (" +
			s.Named("AUTHN_ACCESS_TOKEN or --access-token-file", "AccessToken") + ")"
		limit = "a limit in front of the service (send less: " +
			s.Named("--rate, --concurrency", "Rate, Concurrency") + ")"
		health = "whether the service still runs: its log says why it answers so"
	)
	order := []string{health, limit, token}
	switch status {
	case http.StatusUnauthorized:
		order = []string{token, limit, health}
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		order = []string{limit, token, health}
	}
	return strings.Join(order, "; ")
}

// InterruptionNote returns a note about times in which the target refused everybody, and served again (J23); "" if
// there were none.
func (s *Settings) InterruptionNote(interruptions int64) string {
	limit := "if a limit is in front of it, send less: " + s.Named("--rate, --concurrency", "Rate, Concurrency")
	switch interruptions {
	case 0:
		return ""
	case 1:
		return "the target refused everybody for a while, and then served again; " + limit
	}
	return fmt.Sprintf("the target refused everybody for a while %d times, and then served again; %s",
		interruptions, limit)
}
