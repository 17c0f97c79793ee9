package parity

import "slices"

// history is what the calls of a lookup show at one place, in the order of time: which of them show the same, and to
// which version they went.
type history []moment

type moment struct {
	class int // equal for equal values
	to    bool
}

// fate is what a history shows (J15).
type fate struct {
	moved          bool
	ended          bool // it moved, or each version settled
	from, to       bool // it changes within the calls of this version
	fromEnd, toEnd int  // the last call of each version
}

// standsStill returns the first value, whether both versions have one, and whether all are the same. Most places stand
// still, and a hostile answer may have a million of them.
func (c *comparison) standsStill(values []any) (first any, both, stands bool) {
	begin := slices.IndexFunc(values, func(value any) bool {
		_, nothing := value.(none)
		return !nothing
	})
	if begin < 0 {
		return nil, false, true
	}
	first, stands = values[begin], true
	for i := begin + 1; i < len(values); i++ {
		if _, nothing := values[i].(none); !nothing {
			stands = stands && c.same(first, values[i])
			both = both || c.Calls[i].Version != c.Calls[begin].Version
		}
	}
	return first, both, stands
}

// history returns what the calls show, and the values, without those that have nothing to compare.
func (c *comparison) history(values []any) (h history, shown []any) {
	for i, value := range values {
		if _, nothing := value.(none); nothing {
			continue
		}
		m := moment{class: len(shown), to: c.Calls[i].Version == c.Pair.To}
		if j := slices.IndexFunc(shown, func(earlier any) bool { return c.same(earlier, value) }); j >= 0 {
			m.class = h[j].class
		}
		h, shown = append(h, m), append(shown, value)
	}
	return h, shown
}

// fate decides whether a place moved or settled, or is unsteady. Both versions have a call.
func (h history) fate() fate {
	from, to := h.of(false), h.of(true)
	f := fate{from: h.changes(from) > 0, to: h.changes(to) > 0, fromEnd: from[len(from)-1], toEnd: to[len(to)-1]}
	f.moved = h.moved()
	f.ended = f.moved || h.settled(from, to) && h.settled(to, from)
	if !f.ended { // a version that was called once is as the other one
		f.from, f.to = f.from || len(from) == 1, f.to || len(to) == 1
	}
	return f
}

// of returns the calls of one version.
func (h history) of(to bool) []int {
	var list []int
	for i, m := range h {
		if m.to == to {
			list = append(list, i)
		}
	}
	return list
}

// moved reports whether one change of the data explains it: before some moment all calls show the old value, since then
// all show the new one, and each version has a call since. Some call shows another value than the first one.
func (h history) moved() bool {
	since := h[slices.IndexFunc(h, func(m moment) bool { return m.class != h[0].class }):]
	isOther := func(m moment) bool { return m.class != since[0].class }
	return !slices.ContainsFunc(since, isOther) &&
		slices.ContainsFunc(since, func(m moment) bool { return m.to != since[0].to })
}

// changes counts how often the value changed within the calls of one version.
func (h history) changes(calls []int) int {
	n := 0
	for i := 1; i < len(calls); i++ {
		if h[calls[i-1]].class != h[calls[i]].class {
			n++
		}
	}
	return n
}

// settled reports whether a version changed at most once, and its last value was seen twice: in its last two calls, or
// in the last two of the other version.
func (h history) settled(calls, others []int) bool {
	switch h.changes(calls) {
	case 0:
		return true
	case 1:
		end := h[calls[len(calls)-1]].class
		return h.endsTwiceWith(calls, end) || h.endsTwiceWith(others, end)
	}
	return false
}

func (h history) endsTwiceWith(calls []int, class int) bool {
	n := len(calls)
	return n > 1 && h[calls[n-2]].class == class && h[calls[n-1]].class == class
}
