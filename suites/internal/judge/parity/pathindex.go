package parity

import (
	"slices"
	"strings"
)

// pathIndex is an index of paths for fast lookups. A hostile answer may have a hundred thousand differences.
type pathIndex struct {
	at         map[string]bool // the paths
	above      map[string]bool // all ancestors of the paths
	membership bool            // an element was added or removed
}

func newPathIndex(list []Difference) pathIndex {
	p := pathIndex{at: make(map[string]bool, len(list)), above: map[string]bool{}}
	for _, d := range list {
		p.at[d.Path] = true
		p.membership = p.membership || d.Kind.membership()
		for path := d.Path; path != ""; {
			path = path[:strings.LastIndexByte(path, '/')]
			if p.above[path] {
				break
			}
			p.above[path] = true
		}
	}
	return p
}

// covers reports whether one of the places is the path or an ancestor of it.
func (p pathIndex) covers(path string) bool {
	for {
		if p.at[path] {
			return true
		}
		if path == "" {
			return false
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
}

// match reports whether a place that changed in one version also changed in the other: the same place, an ancestor or a
// descendant. An added or removed element matches any other one, since lists with new elements at each call have none
// in common.
func (p pathIndex) match(d Difference) bool {
	return p.covers(d.Path) || p.above[d.Path] || d.Kind.membership() && p.membership
}

// withoutSkipped leaves out differences at or below a skipped place. It keeps those above: a member that changes within
// an object must not hide that v6 lacks the object.
func withoutSkipped(list []Difference, skipped pathIndex) []Difference {
	return slices.DeleteFunc(list, func(d Difference) bool { return skipped.covers(d.Path) })
}
