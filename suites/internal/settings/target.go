package settings

import (
	"cmp"
	"crypto/rand"
	"net/url"

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
		r.targetURLs()
		return
	}
	for _, name := range []string{nameCA, nameClientCert} {
		// The reference speaks plain HTTP: whoever gives these means another target, and must not be told of a pass
		// of the reference because its URL got lost.
		if g, ok := r.won[name]; ok {
			r.fail("%s: is given, but no URL of a target is: give %s, or leave it out", g.place,
				ways(definitionOf(r.table, nameURL)))
		}
	}
	r.settings.Embedded = true
	r.embeddedDefault(nameURL, embeddedTarget)
	if _, ok := r.won[nameApplicationID]; !ok {
		r.settings.ApplicationID = d.ApplicationID
		r.embeddedDefault(nameApplicationID, d.ApplicationID)
	}
	if _, ok := r.won[nameUsers]; !ok {
		r.settings.Users = append([]User(nil), d.Users...)
		r.embeddedDefault(nameUsers, "those of the "+embeddedTarget)
	}
}

// embeddedDefault shows a default that only the embedded reference has.
func (r *resolver) embeddedDefault(name, value string) {
	r.show(definitionOf(r.table, name), value, sourceDefault)
}

// urlGiven tells whether a URL was given at all, even one that is wrong.
func (r *resolver) urlGiven() bool {
	for _, name := range urlNames() {
		if _, ok := r.won[name]; ok {
			return true
		}
	}
	return false
}

func (r *resolver) missingForTarget() {
	if r.planning {
		// Random, so that nothing of the plan is hidden as a part of it; the plan shows a placeholder for any token.
		r.settings.AccessToken = cmp.Or(r.settings.AccessToken, rand.Text())
		r.settings.ApplicationID = cmp.Or(r.settings.ApplicationID, plannedApplicationID)
	} else {
		r.missing("the access token", nameToken, nameTokenFile)
		r.missing("the application id", nameApplicationID)
	}
	r.missing("the users file", nameUsers)
}

// urlNames are the names of the settings that give a URL.
func urlNames() []string {
	names := []string{nameURL}
	for _, v := range schemas.Versions() {
		names = append(names, nameVersionURL(v))
	}
	return names
}

// targetURLs gives each version under test the URL given for it, else the one given for all.
func (r *resolver) targetURLs() {
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
			r.fail("%s is under test but has no URL: give %s; or one for all versions by %s; or leave %s out of the versions under test",
				v, ways(definitionOf(r.table, nameVersionURL(v))), ways(definitionOf(r.table, nameURL)), v)
		}
	}
}
