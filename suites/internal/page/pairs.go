package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
)

// identify sets an id for each element of two lists, so that matching elements have the same id. Records are identified
// by their Id, scalars by their value, ignoring case (J14). It reports whether all elements have a unique id; if not,
// elements are matched by position.
func identify(earlier, later *value) bool {
	if earlier.open != '[' || later.open != '[' {
		return false
	}
	names, ok := earlier.ids()
	others, also := later.ids()
	for _, list := range []struct {
		of    *value
		names []string
	}{{earlier, names}, {later, others}} {
		for i, c := range list.of.children {
			if c.id = strconv.Itoa(i); ok && also {
				c.id = list.names[i]
			}
		}
	}
	return ok && also
}

// ids returns the ids of a list's elements. It returns false unless every record has an Id of its own.
func (v *value) ids() ([]string, bool) {
	var list []string
	seen := map[string]bool{}
	for _, c := range v.children {
		id := c
		if c.open != 0 {
			id = c.child("Id")
		}
		if id == nil || id.open != 0 {
			return nil, false
		}
		name := strings.ToLower(id.raw)
		if c.open != 0 && seen[name] {
			return nil, false
		}
		seen[name] = true
		list = append(list, name)
	}
	return list, true
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
		slices.SortStableFunc(v.children, func(a, b *value) int {
			return cmp.Or(strings.Compare(a.id, b.id),
				strings.Compare(a.name, b.name))
		})
	}
	for _, c := range v.children {
		c.sort(false)
	}
}
