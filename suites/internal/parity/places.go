package parity

import "strings"

// places are the paths of differences, made for asking many times: a hostile answer may differ in a hundred thousand.
type places struct {
	at         map[string]bool // the paths
	above      map[string]bool // all places above them
	membership bool            // an element came or went
}

func placesOf(list []Difference) places {
	p := places{at: make(map[string]bool, len(list)), above: map[string]bool{}}
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

// cover tells whether one of the places is a path or stands above it.
func (p places) cover(path string) bool {
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

// match tells whether a place that changed in one version has its like among those that changed in the other: the same
// place or one above or below it; for an element that came or went, any other that did, since a list of new elements at
// each call has no two the same.
func (p places) match(d Difference) bool {
	return p.cover(d.Path) || p.above[d.Path] || d.Kind.membership() && p.membership
}

// beside leaves out what stands at or below a skipped place. What stands above one is seen all the same: a member that
// changes within an object does not hide that v6 has no such object.
func beside(list []Difference, skipped places) []Difference {
	var kept []Difference
	for _, d := range list {
		if !skipped.cover(d.Path) {
			kept = append(kept, d)
		}
	}
	return kept
}
