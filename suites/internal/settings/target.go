package settings

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// embeddedTarget is what the list of effective settings shows for the URL where none is given.
const embeddedTarget = "embedded reference"

// plannedApplicationID stands for the application id in a plan that is made without one.
const plannedApplicationID = "$AUTHN_APPLICATION_ID"

// finishTarget decides which target each version under test has, and that all is there which it needs.
func (r *resolver) finishTarget(d Defaults) {
	if r.urlGiven() {
		r.missingForTarget()
		r.targetURLs(r.noURL)
		return
	}
	for _, name := range []string{nameCA, nameClientCert} {
		// The reference uses plain HTTP: these are meant for another target, whose URL got lost. A pass of the reference
		// must not hide that.
		if g, ok := r.won[name]; ok {
			r.fail("%s: is given, but no URL of a target is: give %s, or leave it out", g.place,
				alternatives(nameURL))
		}
	}
	r.settings.Embedded = true
	r.show(nameURL, embeddedTarget, sourceDefault)
	if _, ok := r.won[nameApplicationID]; !ok {
		r.settings.ApplicationID = d.ApplicationID
		r.show(nameApplicationID, d.ApplicationID, sourceDefault)
	}
	if _, ok := r.won[nameUsers]; !ok {
		if r.command != Sweep {
			r.settings.Users = slices.Clone(d.Users)
		}
		r.show(nameUsers, "those of the "+embeddedTarget, sourceDefault)
	}
}

// urlGiven reports whether a URL was given at all, even one that is wrong.
func (r *resolver) urlGiven() bool {
	for name := range r.won {
		if strings.HasPrefix(name, nameURL) {
			return true
		}
	}
	return false
}

func (r *resolver) missingForTarget() {
	if r.command == Plan {
		// Random, so that nothing of the plan is hidden as a part of it; the plan shows a placeholder for any token.
		r.settings.AccessToken = cmp.Or(r.settings.AccessToken, rand.Text())
		r.settings.ApplicationID = cmp.Or(r.settings.ApplicationID, plannedApplicationID)
	} else {
		r.missing("the access token", nameToken, nameTokenFile)
		r.missing("the application id", nameApplicationID)
	}
	r.missing("the users file", nameUsers)
}

// missing is an error if none of the settings was given that the target needs. It says every way to give them.
func (r *resolver) missing(what string, names ...string) {
	for _, name := range names {
		if _, ok := r.won[name]; ok {
			return
		}
	}
	r.fail("%s is missing: the target needs it; give %s", what, alternatives(names...))
}

// targetURLs gives each version under test the URL given for it, else the one given for all. It calls missing for a
// version that has neither.
func (r *resolver) targetURLs(missing func(schemas.Version)) {
	r.settings.URLs = map[schemas.Version]*url.URL{}
	for _, v := range r.settings.Versions {
		_, own := r.won[nameVersionURL(v)]
		_, general := r.won[nameURL]
		switch {
		case own && r.urls[v] != nil:
			r.settings.URLs[v] = r.urls[v]
		case general && r.urls[""] != nil:
			r.settings.URLs[v] = r.urls[""]
		case !own && !general:
			missing(v)
		}
	}
}

func (r *resolver) noURL(v schemas.Version) {
	r.fail("%s is under test but has no URL: give %s; or one for all versions by %s; or leave %s out of the versions "+
		"under test", v, alternatives(nameVersionURL(v)), alternatives(nameURL), v)
}
