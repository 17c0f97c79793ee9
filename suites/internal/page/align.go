package page

import (
	"slices"
	"strings"
)

// align puts the later of two bodies into the order of the earlier one, as far as order does not count in the
// comparison of versions (J14): members by their names, and the elements of the outermost list by their Id or by what
// they are. It gives the counterparts that the elements of the earlier list have in the later one; nil where there are
// no two lists.
func align(earlier, later *node) map[*node]*node {
	if earlier.open != '[' || later.open != '[' {
		sortMembers(earlier.first(later), later.first(earlier))
		return nil
	}
	counterparts := map[*node]*node{}
	taken := map[int]bool{}
	var order []child
	for i, j := range pair(earlier.children, later.children) {
		if j >= 0 {
			counterparts[earlier.children[i].value] = later.children[j].value
			taken[j] = true
			order = append(order, later.children[j])
			sortMembers(earlier.children[i].value, later.children[j].value)
		}
	}
	for j, c := range later.children {
		if !taken[j] {
			order = append(order, c)
		}
	}
	later.children = order
	return counterparts
}

// first is the first record of a list that is held against a single record, else the value itself.
func (n *node) first(other *node) *node {
	if n.open == '[' && other.open == '{' && len(n.children) > 0 {
		return n.children[0].value
	}
	return n
}

// pair finds for each element of the earlier list its place in the later one, -1 where it has none.
func pair(earlier, later []child) []int {
	partners := make([]int, len(earlier))
	names, ok := keys(earlier)
	others, also := keys(later)
	if !ok || !also {
		for i := range partners {
			if partners[i] = i; i >= len(later) {
				partners[i] = -1
			}
		}
		return partners
	}
	for i := range partners {
		partners[i] = -1
	}
	// The same letters first: only what is left over is the same in other ones.
	taken := make([]bool, len(later))
	for _, form := range []func(string) string{strings.Clone, strings.ToLower} {
		at := map[string][]int{}
		for j, name := range others {
			if !taken[j] {
				at[form(name)] = append(at[form(name)], j)
			}
		}
		for i, name := range names {
			if places := at[form(name)]; partners[i] < 0 && len(places) > 0 {
				partners[i], at[form(name)] = places[0], places[1:]
				taken[places[0]] = true
			}
		}
	}
	return partners
}

// keys name the elements of a list by what they are: records by their Id, where each has one of its own, anything else
// that is no list or object by itself. Two Ids are the same whatever the case of their letters, as a GUID may be
// written in either.
func keys(list []child) ([]string, bool) {
	names := make([]string, len(list))
	seen := map[string]bool{}
	for i, c := range list {
		n := c.value
		if n.open != 0 {
			n = n.child("Id")
			if n == nil || n.open != 0 || seen[strings.ToLower(n.raw)] {
				return nil, false
			}
			seen[strings.ToLower(n.raw)] = true
		}
		names[i] = n.raw
	}
	return names, true
}

// sortMembers puts the members of the later value, and of the values within it, into the order of the earlier one.
func sortMembers(earlier, later *node) {
	if earlier.open != later.open || earlier.open == 0 {
		return
	}
	if earlier.open == '[' {
		for i := range min(len(earlier.children), len(later.children)) {
			sortMembers(earlier.children[i].value, later.children[i].value)
		}
		return
	}
	place := map[string]int{}
	for i, c := range earlier.children {
		place[c.name] = i
	}
	rank := func(c child) int {
		if i, ok := place[c.name]; ok {
			return i
		}
		return len(earlier.children)
	}
	slices.SortStableFunc(later.children, func(a, b child) int { return rank(a) - rank(b) })
	for _, c := range later.children {
		if i, ok := place[c.name]; ok {
			sortMembers(earlier.children[i].value, c.value)
		}
	}
}
