package explain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

// Select returns the requirements that match the ids and patterns, without duplicates, in the catalogue's order. As in
// a waiver, `*` in a pattern matches any characters. The error lists every name that matches nothing, with similar ids.
func Select(suite *spec.Suite, names []string) ([]*spec.Requirement, error) {
	all := suite.Requirements()
	selected := map[string]bool{}
	var faults []error
	for _, name := range names {
		found := false
		matches := settings.Matcher(name)
		for _, r := range all {
			if matches(r.ID) {
				selected[r.ID], found = true, true
			}
		}
		if !found {
			faults = append(faults, unknown(all, name))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *spec.Requirement) bool { return !selected[r.ID] }), nil
}

// maxNear is how many similar ids an error suggests.
const maxNear = 3

func unknown(all []*spec.Requirement, name string) error {
	shown := strconv.Quote(name)
	if strings.Contains(name, "*") {
		return fmt.Errorf("no requirement matches the pattern %s: list the ids with conformance explain", shown)
	}
	var known, similar []string
	for _, r := range all {
		known = append(known, r.ID)
	}
	for len(similar) < maxNear {
		id := input.Nearest(name, known)
		if id == "" {
			break
		}
		similar = append(similar, id)
		known = slices.DeleteFunc(known, func(other string) bool { return other == id })
	}
	fault := fmt.Sprintf("%s is not a requirement: list the ids with conformance explain", shown)
	if len(similar) > 0 {
		fault += "; did you mean " + strings.Join(similar, ", ") + "?"
	}
	return errors.New(fault)
}
