package settings

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
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
	for _, name := range []string{nameCA, nameClientCert} {
		// The embedded reference uses plain HTTP, so these are meant for another target, whose URL is missing. Without
		// this error the reference would pass in its place.
		if g, ok := r.chosen[name]; ok {
			r.fail("%s: is given, but no URL of a target is: give %s, or leave it out", g.location,
				alternatives(nameURL))
		}
	}
	r.settings.Embedded = true
	r.show(nameURL, embeddedTarget, sourceDefault)
	if _, ok := r.chosen[nameApplicationID]; !ok {
		r.settings.ApplicationID = d.ApplicationID
		r.show(nameApplicationID, d.ApplicationID, sourceDefault)
	}
	if _, ok := r.chosen[nameUsers]; !ok {
		if r.in.command != Sweep {
			r.settings.Users = slices.Clone(d.Users)
		}
		r.show(nameUsers, "those of the "+embeddedTarget, sourceDefault)
	}
}

// urlGiven reports whether any URL of a target was given, valid or not.
func (r *resolver) urlGiven() bool {
	for name := range r.chosen {
		if strings.HasPrefix(name, nameURL) {
			return true
		}
	}
	return false
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
	r.missing("the users file", nameUsers)
}

// missing adds an error if none of the named settings was given. It lists every way to give them.
func (r *resolver) missing(subject string, names ...string) {
	for _, name := range names {
		if _, ok := r.chosen[name]; ok {
			return
		}
	}
	r.fail("%s is missing: the target needs it; give %s", subject, alternatives(names...))
}

// targetURLs sets the URL of each version under test: its own, or the one for all versions. It calls missing for a
// version with neither.
func (r *resolver) targetURLs(missing func(schemas.Version)) {
	r.settings.URLs = map[schemas.Version]*url.URL{}
	for _, v := range r.settings.Versions {
		_, versionValue := r.chosen[nameVersionURL(v)]
		_, general := r.chosen[nameURL]
		switch {
		case versionValue && r.urls[v] != nil:
			r.settings.URLs[v] = r.urls[v]
		case general && r.urls[""] != nil:
			r.settings.URLs[v] = r.urls[""]
		case !versionValue && !general:
			missing(v)
		}
	}
}

func (r *resolver) noURL(v schemas.Version) {
	r.fail("%s is under test but has no URL: give %s; or one for all versions by %s; or leave %s out of the versions "+
		"under test", v, alternatives(nameVersionURL(v)), alternatives(nameURL), v)
}
