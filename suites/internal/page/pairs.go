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

// identify names the elements of two lists, so that those that belong together have one name: by their Ids, scalars by
// themselves, whatever the case of their letters (J14). It reports whether there is such a name for all; if not, elements
// are matched by position.
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

// ids are the names of a list's elements; false if not every record has an Id of its own.
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

// markBoth marks the place of a finding in two answers. The pointer is one into the earlier answer, but for an element
// that only the later one has.
func markBoth(earlier, later *value, f report.Finding) {
	tokens, err := strictjson.Tokens(f.Pointer)
	if err != nil || len(tokens) == 0 {
		return
	}
	if f.Kind == string(parity.ElementAdded) {
		later.at(tokens).mark, earlier.mark = true, true
		return
	}
	earlier.at(tokens).mark = true
	element := earlier.child(tokens[0])
	if earlier.open != '[' || later.open != '[' || element == nil {
		later.at(tokens).mark = true
		return
	}
	if i := slices.IndexFunc(later.children, func(c *value) bool { return c.id == element.id }); i >= 0 {
		later = later.children[i].at(tokens[1:])
	}
	later.mark = true
}

// sort puts the members of each object into the order of their names, and the elements of a list that have names into
// that of theirs: that order does not count.
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
