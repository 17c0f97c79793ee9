package parity

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Call is the answer to one well-formed request, as parity needs it.
type Call struct {
	Served bool   // as J1 requires
	Value  any    // decoded; nil if not served, or if Body is decoded for each comparison
	Body   []byte // needed only if Value is nil
}

func (c Call) value() any {
	if c.Value != nil || c.Body == nil {
		return c.Value
	}
	value, err := strictjson.Decode(c.Body)
	if err != nil {
		panic("parity: a body that was served can't be decoded again: " + err.Error())
	}
	return value
}

// Calls are the calls for one user and operation to the versions of a pair, in the order sent. Calls without an answer
// are left out.
type Calls struct {
	Operation schemas.Operation
	From, To  []Call
}

// Rule defines what counts as a difference.
type Rule struct {
	ShapeOnly bool // parity mode `shape`
	Ignored   []*Ignored
	// InOne are patterns, as in Ignored, of the members that the contract of only one version has. They are not
	// compared.
	InOne []string
}

// Ignored is a pattern of places that are not compared.
type Ignored struct {
	Pattern string // JSON Pointer; `*` matches any array index
	used    atomic.Bool
}

// Used reports whether the pattern hid a difference.
func (i *Ignored) Used() bool { return i.used.Load() }

// AllEqual reports whether all calls have the same answer, so that no request must be repeated.
func (r Rule) AllEqual(c Calls) bool {
	return len(r.changed(c.Operation, c.From)) == 0 && len(r.changed(c.Operation, c.To)) == 0 &&
		len(r.compareLast(c)) == 0
}

// OneSided reports whether some path changed between the calls of one version only. The requests must then be repeated
// (J15).
func (r Rule) OneSided(c Calls) bool {
	from, to := r.changed(c.Operation, c.From), r.changed(c.Operation, c.To)
	inFrom, inTo := newPathIndex(from), newPathIndex(to)
	return slices.ContainsFunc(from, func(d Difference) bool { return !inTo.match(d) }) ||
		slices.ContainsFunc(to, func(d Difference) bool { return !inFrom.match(d) })
}

// Conclusion is the result of comparing the versions for one user and operation.
type Conclusion struct {
	Comparable  bool           // some part was compared in shape
	Valued      bool           // some part was compared in value
	Differences []Difference   // between the versions
	Unstable    []UnstablePath // paths that kept changing in one version only
	Volatile    []string       // pointers left out as their values change in both versions
}

// UnstablePath is a path whose value kept changing between identical calls to one version, but not to the other.
type UnstablePath struct {
	To bool // to the later version of the pair
	Difference
}

// Conclude compares the versions. Again holds the calls that were repeated because something changed in one version
// only. Otherwise it is empty.
func (r Rule) Conclude(c, again Calls) Conclusion {
	if len(c.From) == 0 || len(c.To) == 0 {
		return Conclusion{}
	}
	from, to := r.changed(c.Operation, c.From), r.changed(c.Operation, c.To)
	fromAgain := newPathIndex(r.changed(c.Operation, following(c.From, again.From)))
	toAgain := newPathIndex(r.changed(c.Operation, following(c.To, again.To)))

	var out Conclusion
	asked := len(again.From) > 1 && len(again.To) > 1
	var unstable, volatile, changedOnce []Difference
	judge := func(isTo bool, changes []Difference, other, repeated, otherRepeated pathIndex) {
		for _, d := range changes {
			switch {
			case !other.match(d) && repeated.match(d) && !otherRepeated.match(d):
				out.Unstable = append(out.Unstable, UnstablePath{isTo, d})
				unstable = append(unstable, d)
			case !other.match(d) && asked && !otherRepeated.match(d):
				// It changed once, in one version, and has been the same in both since, so it can be compared. Leaving
				// it out would let pass a version that is right at the first call only.
				changedOnce = append(changedOnce, d)
			default:
				volatile = append(volatile, d)
			}
		}
	}
	judge(false, from, newPathIndex(to), fromAgain, toAgain)
	judge(true, to, newPathIndex(from), toAgain, fromAgain)

	all := Calls{Operation: c.Operation, From: slices.Concat(c.From, again.From), To: slices.Concat(c.To, again.To)}
	last := r.compareLast(all)
	lasting := withoutSkipped(r.lastingShapes(all, last, newPathIndex(volatile)), newPathIndex(unstable))
	out.Differences = append(withoutSkipped(last, newPathIndex(slices.Concat(unstable, volatile))), lasting...)
	lastingAt := newPathIndex(lasting)
	volatile = slices.DeleteFunc(volatile, func(d Difference) bool { return lastingAt.at[d.Path] })
	for _, d := range volatile {
		out.Volatile = append(out.Volatile, strictjson.General(d.Pointer))
	}
	differing := newPathIndex(out.Differences)
	for _, d := range changedOnce {
		if !differing.match(d) {
			out.Volatile = append(out.Volatile, strictjson.General(d.Pointer))
		}
	}
	slices.Sort(out.Volatile)
	out.Volatile = slices.Compact(out.Volatile)
	left, right := all.From[len(all.From)-1], all.To[len(all.To)-1]
	skipped := slices.Concat(unstable, volatile)
	out.Comparable = !touchesRoot(skipped) && (left.Served || right.Served)
	// Parts that differ in shape have no values to compare (J14).
	for _, d := range out.Differences {
		if d.Kind.Shape() {
			skipped = append(skipped, d)
		}
	}
	out.Valued = out.Comparable && !r.ShapeOnly && r.hasComparable(c.Operation, left, right, newPathIndex(skipped))
	return out
}

// Identical returns the conclusion for calls whose answers are equal byte for byte. It compares nothing.
func (r Rule) Identical(c Calls) Conclusion {
	if len(c.From) == 0 || len(c.To) == 0 {
		return Conclusion{}
	}
	served := c.From[0].Served
	return Conclusion{Comparable: served, Valued: served && !r.ShapeOnly &&
		r.hasComparable(c.Operation, c.From[0], c.From[0], pathIndex{})}
}

// compareLast compares the last calls to both versions.
func (r Rule) compareLast(c Calls) []Difference {
	if len(c.From) == 0 || len(c.To) == 0 {
		return nil
	}
	return r.compareCalls(c.Operation, c.From[len(c.From)-1], c.To[len(c.To)-1])
}

// lastingShapes returns the lasting differences of shape at or below volatile places: there or above, every call of one
// version differs in shape from every call of the other. So only the value changes, not the difference (J14). It starts
// with the differences of the last calls. An element that comes and goes has no shape to compare.
func (r Rule) lastingShapes(c Calls, last []Difference, volatile pathIndex) []Difference {
	var lasting []Difference
	for _, d := range last {
		if d.Kind.Shape() && volatile.covers(d.Path) {
			lasting = append(lasting, d)
		}
	}
	for _, left := range slices.Backward(c.From) {
		for _, right := range slices.Backward(c.To) {
			if len(lasting) == 0 {
				return nil
			}
			found := slices.DeleteFunc(r.compareCalls(c.Operation, left, right),
				func(d Difference) bool { return !d.Kind.Shape() })
			foundAt, lastingAt := newPathIndex(found), newPathIndex(lasting)
			lasting = slices.DeleteFunc(lasting, func(d Difference) bool { return !foundAt.covers(d.Path) })
			for _, d := range found {
				if lastingAt.covers(d.Path) && !lastingAt.at[d.Path] {
					lasting = append(lasting, d) // this pair differs only further below
				}
			}
		}
	}
	return lasting
}

// changed lists the differences between consecutive calls of one version.
func (r Rule) changed(op schemas.Operation, calls []Call) []Difference {
	var found []Difference
	seen := map[string]bool{}
	for i := 1; i < len(calls); i++ {
		for _, d := range r.compareCalls(op, calls[i-1], calls[i]) {
			if !seen[d.Path] {
				seen[d.Path] = true
				found = append(found, d)
			}
		}
	}
	return found
}

func (r Rule) compareCalls(op schemas.Operation, left, right Call) []Difference {
	var found []Difference
	switch {
	case left.Served != right.Served:
		found = []Difference{{Kind: Served, Left: left.value(), Right: right.value()}}
		if !left.Served {
			found[0].Left = Absent{}
		} else {
			found[0].Right = Absent{}
		}
	case !left.Served:
		return nil
	default:
		var all comparison
		all.answers(op, left.value(), right.value())
		found = all.found
	}
	return slices.DeleteFunc(found, func(d Difference) bool {
		return r.ShapeOnly && !d.Kind.Shape() || r.ignores(d.Pointer, true)
	})
}

// ignores reports whether a place is not compared. It notes the patterns that hide a difference there.
func (r Rule) ignores(pointer string, differs bool) bool {
	ignores := slices.ContainsFunc(r.InOne, func(pattern string) bool { return Matches(pattern, pointer) })
	for _, i := range r.Ignored {
		if Matches(i.Pattern, pointer) {
			ignores = true
			if differs {
				i.used.Store(true)
			}
		}
	}
	return ignores
}

// Matches reports whether a JSON Pointer is at or below a pattern, in which `*` matches any array index.
func Matches(pattern, pointer string) bool {
	wanted, tokens := strings.Split(pattern, "/"), strings.Split(pointer, "/")
	if len(tokens) < len(wanted) {
		return false
	}
	for i, token := range wanted {
		if token == tokens[i] {
			continue
		}
		if _, err := strconv.ParseUint(tokens[i], 10, 64); token != "*" || err != nil {
			return false
		}
	}
	return true
}

func touchesRoot(list []Difference) bool {
	return slices.ContainsFunc(list, func(d Difference) bool { return d.Path == "" })
}

// hasComparable reports whether two answers have a value in common to compare that is neither skipped nor ignored. Null
// is none, nor is an empty list of records (J14).
func (r Rule) hasComparable(op schemas.Operation, left, right Call, skipped pathIndex) bool {
	if len(skipped.at)+len(r.Ignored)+len(r.InOne) == 0 && (len(left.Body) > 256<<10 || schemas.HoldsGUID(left.Body)) {
		return true // without decoding it
	}
	found := false
	c := comparison{compared: func(at position) {
		found = found || !skipped.covers(at.path) && !r.ignores(at.pointer, false)
	}}
	c.answers(op, left.value(), right.value())
	return found
}

// following returns the later calls, preceded by the last of the earlier ones, with which the first later one is
// compared.
func following(earlier, later []Call) []Call {
	return append([]Call{earlier[len(earlier)-1]}, later...)
}
