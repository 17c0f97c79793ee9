package settings

import (
	"cmp"
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// setTargets gives each version its target. Of several values that of the strongest source counts; of equally strong
// ones, that for the version alone. For versions that are not asked they are validated only; but the curl commands of a
// version that is read from a record have its application id.
func (r *resolver) setTargets() {
	used, unused := map[string]bool{}, map[string]string{} // by the name of a setting; unused has the reason
	r.settings.Targets = map[schemas.Version]*Target{}
	for _, v := range schemas.Versions() {
		isRecorded, isAsked := r.settings.Recorded[v] != nil, slices.Contains(r.settings.Asked(), v)
		notAsked := string(v) + " is not under test"
		if isRecorded {
			notAsked = string(v) + " is read from its record, not asked"
		}
		t, counts := &Target{}, map[string]rawValue{}
		for _, s := range r.rows {
			list := r.candidates(s.name, v)
			if !s.ofTarget || len(list) == 0 {
				continue
			}
			best, isUsed := list[0], isAsked || isRecorded && s.name == nameApplicationID
			for i, g := range list {
				switch {
				case !isUsed && g.version == v:
					unused[g.name] = notAsked
				case isUsed && g.priority < best.priority:
					unused[g.name] = best.source + " is stronger"
				}
				if i > 0 && g.priority == best.priority {
					if g.version == best.version {
						r.fail("%s and %s are both given: give one of them", best.location, g.location)
					}
					r.validate(g)
				}
			}
			if counts[s.name] = best; isUsed {
				used[best.name] = true
				r.set(t, best)
			} else {
				r.store(t, &best)
			}
		}
		r.pairClientCertificate(t, counts[nameClientCert], counts[nameClientKey])
		isOwn := func(name string) bool { return counts[name].version != "" }
		t.HasOwnURL, t.HasOwnToken, t.HasOwnHeaders = isOwn(nameURL), isOwn(nameToken), isOwn(nameHeaders)
		switch {
		case isRecorded:
			r.settings.Targets[v] = &Target{ApplicationID: t.ApplicationID}
		case isAsked:
			r.settings.Targets[v] = t
		}
	}
	for _, s := range r.rows {
		if why, ok := unused[s.name]; ok && !used[s.name] {
			r.withoutEffect(r.chosen[s.name], why)
		}
	}
}

// candidates returns the values of a setting, however it is given, that are for a version or for all; the one that
// counts is first.
func (r *resolver) candidates(name string, v schemas.Version) (list []rawValue) {
	for _, s := range r.rows {
		if g, given := r.chosen[s.name]; given && s.base() == name && (s.version == "" || s.version == v) {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b rawValue) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.version, a.version))
	})
	return list
}

// embeddedTarget is the URL in the list of effective settings if none is given.
const embeddedTarget = "embedded reference"

// plannedApplicationID is the application id that a plan shows if none is given.
const plannedApplicationID = "$AUTHN_APPLICATION_ID"

// finishTargets checks that no setting is missing that the targets need.
func (r *resolver) finishTargets(d Defaults) {
	var given []string // the places of all settings that belong to a deployed target
	for _, s := range r.rows {
		if g, isGiven := r.chosen[s.name]; isGiven && s.in&r.in.command != 0 && s.isOfDeployed() {
			given = append(given, g.location)
		}
	}
	switch {
	case r.settings.Program || r.isGiven(nameURL):
		r.missingForTarget()
		return
	case len(given) > 0: // the URL was lost: the embedded reference must not pass in the target's place
		r.fail("the target has no URL, although settings of a deployed service are given (%s): give %s, or leave them "+
			"out to ask the %s", strings.Join(given, ", "), r.alternatives("", nameURL), embeddedTarget)
		return
	}
	r.settings.Embedded = true
	r.secret(d.AccessToken)
	for _, t := range r.settings.Targets {
		t.AccessToken, t.ApplicationID = d.AccessToken, d.ApplicationID
	}
	r.settings.Users = slices.Clone(d.Users)
	r.show(nameURL, embeddedTarget, sourceDefault)
	r.show(nameToken, "set", sourceDefault)
	r.show(nameApplicationID, d.ApplicationID, sourceDefault)
	r.show(nameUsers, "those of the "+embeddedTarget, sourceDefault)
}

// missingForTarget checks a deployed target.
func (r *resolver) missingForTarget() {
	if r.in.command == Plan {
		for _, t := range r.settings.Targets {
			// A random token can't match any text in the plan, so nothing is redacted by mistake. The plan shows a
			// placeholder for any token.
			t.AccessToken = cmp.Or(t.AccessToken, rand.Text())
			t.ApplicationID = cmp.Or(t.ApplicationID, plannedApplicationID)
		}
	} else {
		r.missing("the access token", nameToken)
		r.missing("the application id", nameApplicationID)
	}
	if !r.settings.Program && !r.isGiven(nameLastFailed, nameUsers) {
		r.fail(isMissing, "the users file", r.alternatives("", nameUsers))
	}
	r.missing("the base URL", nameURL)
}

// isOfDeployed reports whether a setting belongs to a deployed target, so that a URL was lost if there is none.
func (s setting) isOfDeployed() bool {
	switch s.name {
	case nameUsers, nameBaseline, nameLastFailed:
		return true
	}
	return s.ofTarget || s.isOfRecord() || strings.HasPrefix(s.key, "subject.")
}

const isMissing = "%s is missing: the target needs it; give %s"

// isGiven reports whether any of the named settings was given, valid or not, in any way and for any version.
func (r *resolver) isGiven(names ...string) bool {
	return slices.ContainsFunc(r.rows, func(s setting) bool {
		_, given := r.chosen[s.name]
		return given && slices.Contains(names, s.base())
	})
}

// missing adds an error for each version that was not given a setting, for it or for all.
func (r *resolver) missing(subject, name string) {
	asked := r.settings.Asked()
	lacking := slices.DeleteFunc(slices.Clone(asked), func(v schemas.Version) bool {
		return len(r.candidates(name, v)) > 0
	})
	if len(lacking) == len(asked) && !r.isGiven(name) {
		r.fail(isMissing, subject, r.alternatives("", name))
		return
	}
	for _, v := range lacking {
		r.fail("%s of %s is missing: %s is under test; give %s; or one for all versions by %s; or leave %s out of the "+
			"versions under test", subject, v, v, r.alternatives(v, name), r.alternatives("", name), v)
	}
}

// nameSubject names what the versions were given as the version and the build of the product.
func (r *resolver) nameSubject() {
	s := &r.settings.Subject
	s.Version = r.common(func(t *Target) string { return t.Release.Version })
	s.Build = r.common(func(t *Target) string { return t.Release.Build })
	releases := map[schemas.Version]Release{}
	for v, t := range r.settings.Targets {
		if releases[v] = t.Release; t.Release != r.settings.Targets[r.settings.Versions[0]].Release {
			s.Versions = releases
		}
	}
}

// common returns a text that all targets have in common, or all with their versions.
func (r *resolver) common(text func(*Target) string) string {
	all := r.settings.eachTarget(text)
	if different := slices.Compact(slices.Sorted(maps.Values(all))); len(different) == 1 {
		return different[0]
	}
	var list []string
	for _, v := range r.settings.Versions {
		if all[v] != "" {
			list = append(list, all[v]+" ("+string(v)+")")
		}
	}
	return strings.Join(list, ", ")
}
