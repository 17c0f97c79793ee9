package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

// identify sets an id for each element of two lists, so that matching elements have the same id. It reports whether all
// elements have an id of their own (J14); if not, elements are matched by position.
func identify(earlier, later *value) bool {
	if earlier.open != '[' || later.open != '[' {
		return false
	}
	named := earlier.hasIDs() && later.hasIDs()
	for _, list := range []*value{earlier, later} {
		for i, c := range list.children {
			if c.id = strconv.Itoa(i); named {
				c.id = c.ownID()
			}
		}
	}
	return named
}

// ownID returns what identifies an element of a list: a record's Id, or a scalar itself, in either case of letters. It
// is "" if there is nothing.
func (v *value) ownID() string {
	id := v
	if v.open != 0 {
		id = v.child("Id")
	}
	if id == nil || id.open != 0 {
		return ""
	}
	return strings.ToLower(id.raw)
}

// hasIDs reports whether every element has an id, and no record that of another.
func (v *value) hasIDs() bool {
	seen := map[string]bool{}
	for _, c := range v.children {
		id := c.ownID()
		if id == "" || c.open != 0 && seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

// highlightBoth marks the place of a finding in two answers. The pointer refers to the earlier answer, except for an
// element that only the later one has.
func highlightBoth(earlier, later *value, f report.Finding) {
	tokens, err := strictjson.Tokens(f.Pointer)
	if err != nil || len(tokens) == 0 {
		return
	}
	if f.Kind == string(parity.ElementAdded) {
		later.lookup(tokens).highlighted, earlier.highlighted = true, true
		return
	}
	earlier.lookup(tokens).highlighted = true
	element := earlier.child(tokens[0])
	if earlier.open != '[' || later.open != '[' || element == nil {
		later.lookup(tokens).highlighted = true
		return
	}
	if i := slices.IndexFunc(later.children, func(c *value) bool { return c.id == element.id }); i >= 0 {
		later = later.children[i].lookup(tokens[1:])
	}
	later.highlighted = true
}

// sort sorts the members of each object by name and the elements of a list with ids by id, because neither order
// matters.
func (v *value) sort(named bool) {
	if named || v.open == '{' {
		slices.SortStableFunc(v.children,
			func(a, b *value) int { return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.name, b.name)) })
	}
	for _, c := range v.children {
		c.sort(false)
	}
}
