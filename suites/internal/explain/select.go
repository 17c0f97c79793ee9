package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/input"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
)

// Select returns the requirements that match the ids and patterns, without duplicates, in the catalogue's order. As in
// a waiver, `*` in a pattern matches any characters. The error lists every name that matches nothing, with similar ids.
func Select(suite *spec.Suite, names []string) ([]*spec.Requirement, error) {
	var faults []error
	selected := map[string]bool{}
	for _, name := range names {
		found := false
		matches := settings.Matcher(name)
		for _, id := range IDs(suite) {
			if matches(id) {
				selected[id], found = true, true
			}
		}
		if !found {
			faults = append(faults, unknown(suite, name))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	var list []*spec.Requirement
	for _, r := range suite.Requirements() {
		if selected[r.ID] {
			list = append(list, r)
		}
	}
	return list, nil
}

// IDs returns the ids of all requirements, in the catalogue's order.
func IDs(suite *spec.Suite) (ids []string) {
	for _, r := range suite.Requirements() {
		ids = append(ids, r.ID)
	}
	return ids
}

// maxNear is how many similar ids an error suggests.
const maxNear = 3

func unknown(suite *spec.Suite, name string) error {
	shown := redact.JSON(name, 80)
	if strings.Contains(name, "*") {
		return fmt.Errorf("no requirement matches the pattern %s: list the ids with conformance requirements", shown)
	}
	known := IDs(suite)
	var similar []string
	for len(similar) < maxNear {
		id := input.Nearest(name, known)
		if id == "" {
			break
		}
		similar = append(similar, id)
		known = slices.DeleteFunc(known, func(other string) bool { return other == id })
	}
	fault := fmt.Sprintf("%s is not a requirement: list the ids with conformance requirements", shown)
	if len(similar) > 0 {
		fault += "; did you mean " + strings.Join(similar, ", ") + "?"
	}
	return errors.New(fault)
}
