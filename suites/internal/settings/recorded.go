package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// RecordFlag names the file into which a sweep of one version records its answers.
const RecordFlag = "record"

// RecordedFlag names the record that is read instead of asking a version.
const RecordedFlag = "recorded"

const nameRecord = "record of a version"

func nameRecorded(v schemas.Version) string { return "record of " + string(v) }

// isOfRecord reports whether a setting names the record of a version.
func (s setting) isOfRecord() bool {
	return s.name == nameRecord || s.version != "" && s.name == nameRecorded(s.version)
}

// SetRecorded completes what is known of the record of a version, once it was opened. Its target is shown, never asked.
func (s *Settings) SetRecorded(v schemas.Version, facts exchange.Recorded) {
	*s.Recorded[v] = facts
	t, err := url.Parse(facts.Target)
	if err != nil || t.Host == "" {
		t = &url.URL{Opaque: facts.Target} // words for the embedded reference
	}
	s.Targets[v].URL = t
}

// Asked lists the versions under test that are asked, not read from a record.
func (s *Settings) Asked() []schemas.Version {
	return slices.DeleteFunc(slices.Clone(s.Versions), func(v schemas.Version) bool { return s.Recorded[v] != nil })
}

// ReadFromRecord lists the versions under test that are read from a record.
func (s *Settings) ReadFromRecord() []schemas.Version { return schemas.InOrder(s.Recorded) }

// setRecorded sets which versions are read from a record.
func (r *resolver) setRecorded() {
	if len(r.settings.Versions) == 0 {
		return // they are wrong
	}
	paths := map[schemas.Version]string{}
	for _, text := range r.in.flags[RecordedFlag] {
		word, path, found := strings.Cut(text, "=")
		v := schemas.Version(word)
		switch {
		case !found || path == "" || !slices.Contains(schemas.Versions(), v):
			r.fail("--%s: expected a version and its record, such as v5=FILE, got %q", RecordedFlag, text)
		case paths[v] != "":
			r.fail("--%s: %s has two records, %s and %s: give one", RecordedFlag, v, paths[v], path)
		default:
			paths[v] = path
		}
	}
	for _, v := range schemas.Versions() {
		if g, given := r.chosen[nameRecorded(v)]; paths[v] == "" && given && usable(g) {
			paths[v] = g.path()
		}
		switch path := paths[v]; {
		case path == "":
		case !slices.Contains(r.settings.Versions, v):
			r.fail("%s has a record (%s) and is not under test: leave out the record, or add %s to the versions", v,
				path, v)
		default:
			if r.settings.Recorded == nil {
				r.settings.Recorded = map[schemas.Version]*exchange.Recorded{}
			}
			r.settings.Recorded[v] = &exchange.Recorded{From: path}
			r.show(nameRecorded(v), path, "--"+RecordedFlag+", target."+string(v)+".recorded")
		}
	}
	if _, records := r.in.Flag(RecordFlag); records {
		r.checkRecording()
	} else if len(r.settings.Asked()) == 0 {
		r.fail("every version under test has a record, so nothing is left to ask: leave out one of them, or judge " +
			"the evidence of an earlier run of both versions again with conformance judge")
	}
}

// checkRecording reports the settings with which a sweep can't record.
func (r *resolver) checkRecording() {
	if len(r.settings.Versions) > 1 {
		r.fail("--%s: a record is of one version: give --versions %s", RecordFlag, r.settings.Versions[0])
	}
	if r.hidesValues() {
		r.fail("--%s: a record is the values of users, and the setting values hides them: leave out one of them",
			RecordFlag)
	}
	if len(r.settings.Recorded) > 0 || r.isGiven(nameLastFailed) {
		r.fail("--%s: a record has what one version answers for the whole population: leave out --%s and --%s",
			RecordFlag, RecordedFlag, LastFailedFlag)
	}
}

// sweptVersions returns an error unless a sweep can compare the versions or, with --record, record them.
func (r *resolver) sweptVersions() error {
	if _, records := r.in.Flag(RecordFlag); records {
		return nil // of one version
	}
	if len(r.settings.Versions) == 2 && len(r.contract.PairsOf(r.settings.Versions)) == 1 {
		return nil
	}
	var pairs []string
	for _, p := range r.contract.Pairs {
		pairs = append(pairs, string(p.From+listSeparator+p.To))
	}
	return fmt.Errorf("a sweep compares two versions with each other: give %s, or record one with --%s",
		strings.Join(pairs, " or "), RecordFlag)
}
