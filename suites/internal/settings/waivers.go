package settings

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/settings/input"
)

// wildcard is the wildcard in a pattern of requirements. It matches any characters, including slashes.
const wildcard = "*"

// addWaivers stores a waiver for each requirement that an entry names or matches. Two waivers for the same verdict of
// the same row are an error: one could be wrong or expired unnoticed. The error names the first that overlaps an
// earlier one.
func (r *resolver) addWaivers(e entry) (active bool, err error) {
	waiver := ledger.Waiver{Version: schemas.Version(e.texts[memberVersion]), Reason: e.texts[memberReason],
		Verdict: ledger.Verdict(cmp.Or(e.texts[memberVerdict], string(ledger.Fail))), Where: e.where}
	if err := checkWord(string(waiver.Verdict), string(ledger.Fail), string(ledger.Inconclusive)); err != nil {
		return false, e.fault(memberVerdict, ": %v", err)
	}
	if waiver.Until, err = e.until(); err != nil {
		return false, err
	}
	var list []ledger.Waiver
	for name := range strings.SplitSeq(e.texts[memberRequirement], listSeparator) {
		name = strings.TrimSpace(name)
		ids, fault := r.waivable(e, name, waiver.Version)
		err = errors.Join(err, fault)
		if waiver.Pattern = ""; strings.Contains(name, wildcard) {
			waiver.Pattern = name
		}
		for _, waiver.Requirement = range ids {
			list = append(list, waiver)
		}
	}
	if err != nil {
		return false, err
	}
	for _, w := range list {
		if other := slices.IndexFunc(r.settings.Waivers, w.Overlaps); other >= 0 {
			return false, fmt.Errorf("%s: sets aside %s of %s again, as %s does: remove one", w.Where, w.Verdict,
				w.Requirement, r.settings.Waivers[other].Where)
		}
		r.settings.Waivers = append(r.settings.Waivers, w)
	}
	return waiver.Active(r.now), nil
}

// waivable returns the requirements that match an id or a pattern and have rows in a version, or in any if v is empty,
// in the catalogue's order: at least one, or an error.
func (r *resolver) waivable(e entry, name string, v schemas.Version) (ids []string, err error) {
	matches := Matcher(name)
	var documented []string
	var versions []schemas.Version
	for _, requirement := range r.contract.Requirements {
		if requirement.Kind == schemas.Documented {
			documented = append(documented, requirement.ID)
		}
		if !matches(requirement.ID) {
			continue
		}
		switch requirement.Kind {
		case schemas.Documented:
			own := r.contract.VersionsOf(requirement, r.contract.Versions)
			if versions = append(versions, own...); v == "" || slices.Contains(own, v) {
				ids = append(ids, requirement.ID)
			}
		case schemas.Open:
			err = e.fault(memberRequirement, ": %s is an open point, which can't fail: there is nothing to set aside",
				requirement.ID)
		case schemas.Excluded:
			err = e.fault(memberRequirement, ": %s is never judged, so that there is nothing to set aside: %s",
				requirement.ID, requirement.Reason)
		}
	}
	switch {
	case len(ids) > 0:
		return ids, nil
	case len(versions) > 0:
		slices.Sort(versions)
		return nil, e.fault(memberVersion, ": expected %s for %s, got %s; leave the member out to cover all versions",
			joined(slices.Compact(versions), " or "), name, input.Quote(string(v)))
	case err != nil:
		return nil, err
	}
	return nil, e.fault(memberRequirement, ": %v", NoRequirement(name, documented))
}

// NoRequirement returns the error for an id, or a pattern, of no requirement.
func NoRequirement(name string, known []string) error {
	if strings.Contains(name, wildcard) {
		return fmt.Errorf("no requirement matches the pattern %s: list the ids with conformance explain",
			input.Quote(name))
	}
	return fmt.Errorf("%s is not a requirement: list the ids with conformance explain%s", input.Quote(name),
		input.Suggest(name, known))
}

// Matcher returns a function that reports whether an id equals name or matches it as a pattern. `*` matches any
// characters.
func Matcher(name string) func(id string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(name), regexp.QuoteMeta(wildcard), ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString
}
