package parity

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
)

// Call is what one well-formed request brought, as far as parity is concerned.
type Call struct {
	Served bool   // by J1
	Value  any    // decoded; nil where not served, or to be decoded from Body when it is compared
	Body   []byte // needed only where Value is nil
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

// Calls are those of one user and operation, by version, in the order sent; calls that brought no answer are left out.
type Calls struct {
	Operation schemas.Operation
	V5, V6    []Call
}

// Rule says what counts as a difference.
type Rule struct {
	ShapeOnly bool // parity mode `shape`
	Ignored   []*Ignored
}

// Ignored is a place that is not compared.
type Ignored struct {
	Pattern string // JSON Pointer; `*` stands for any array index
	hid     atomic.Bool
}

// Hid tells whether a difference stood there.
func (i *Ignored) Hid() bool { return i.hid.Load() }

// Alike tells whether all calls brought the same: then nothing more need be asked.
func (r Rule) Alike(c Calls) bool {
	return len(r.changed(c.Operation, c.V5)) == 0 && len(r.changed(c.Operation, c.V6)) == 0 && len(r.against(c)) == 0
}

// OneSided tells whether some path changed between the calls of one version only: then it is to be asked for again
// (J15).
func (r Rule) OneSided(c Calls) bool {
	v5, v6 := r.changed(c.Operation, c.V5), r.changed(c.Operation, c.V6)
	in5, in6 := placesOf(v5), placesOf(v6)
	return slices.ContainsFunc(v5, func(d Difference) bool { return !in6.match(d) }) ||
		slices.ContainsFunc(v6, func(d Difference) bool { return !in5.match(d) })
}

// Conclusion is what parity says of one user and operation.
type Conclusion struct {
	Comparable  bool         // something was left to compare in shape
	Valued      bool         // something was left to compare in value
	Differences []Difference // between v5 and v6
	Restless    []Restless   // paths that kept changing in one version only
	Volatile    []string     // pointers that were left out
}

// Restless is a path whose value kept changing between identical calls to one version, and stood still in the other.
type Restless struct {
	Version schemas.Version
	Difference
}

// Conclude compares the versions. Again holds the calls that were made because something had changed in one version
// only; it is empty where nothing had.
func (r Rule) Conclude(c, again Calls) Conclusion {
	if len(c.V5) == 0 || len(c.V6) == 0 {
		return Conclusion{}
	}
	v5, v6 := r.changed(c.Operation, c.V5), r.changed(c.Operation, c.V6)
	again5, again6 := placesOf(r.changed(c.Operation, following(c.V5, again.V5))),
		placesOf(r.changed(c.Operation, following(c.V6, again.V6)))

	var out Conclusion
	asked := len(again.V5) > 1 && len(again.V6) > 1
	var skipped, settled []Difference
	judge := func(version schemas.Version, mine []Difference, other, mineAgain, otherAgain places) {
		for _, d := range mine {
			switch {
			case !other.match(d) && mineAgain.match(d) && !otherAgain.match(d):
				out.Restless = append(out.Restless, Restless{version, d})
			case !other.match(d) && asked && !mineAgain.match(d) && !otherAgain.match(d):
				// It changed once, in one version, and has stood still in both since: it can be compared, and a version
				// that is right at the first call only does not go free.
				settled = append(settled, d)
				continue
			default:
				out.Volatile = append(out.Volatile, strictjson.General(d.Pointer))
			}
			skipped = append(skipped, d)
		}
	}
	judge(schemas.V5, v5, placesOf(v6), again5, again6)
	judge(schemas.V6, v6, placesOf(v5), again6, again5)
	skippedAt := placesOf(skipped)

	all := Calls{Operation: c.Operation, V5: slices.Concat(c.V5, again.V5), V6: slices.Concat(c.V6, again.V6)}
	out.Differences = beside(r.against(all), skippedAt)
	differing := placesOf(out.Differences)
	for _, d := range settled {
		if !differing.match(d) {
			out.Volatile = append(out.Volatile, strictjson.General(d.Pointer))
		}
	}
	out.Volatile = distinct(out.Volatile)
	left, right := all.V5[len(all.V5)-1], all.V6[len(all.V6)-1]
	out.Comparable = !touchesRoot(skipped) && (left.Served || right.Served)
	// Values were compared only where both answers have some in common: what differs in shape has none (J14).
	for _, d := range out.Differences {
		if d.Kind.Shape() {
			skipped = append(skipped, d)
		}
	}
	out.Valued = out.Comparable && !r.ShapeOnly && left.Served && right.Served && !touchesRoot(out.Differences) &&
		r.anyLeft(c.Operation, left.value, placesOf(skipped))
	return out
}

// Identical is the conclusion of calls that all brought the same, byte for byte: nothing need be decoded to know it.
func (r Rule) Identical(c Calls) Conclusion {
	if len(c.V5) == 0 || len(c.V6) == 0 {
		return Conclusion{}
	}
	served := c.V5[0].Served
	return Conclusion{Comparable: served, Valued: served && !r.ShapeOnly &&
		r.anyLeft(c.Operation, c.V5[0].value, places{})}
}

// against compares the last call of v5 with the last of v6.
func (r Rule) against(c Calls) []Difference {
	if len(c.V5) == 0 || len(c.V6) == 0 {
		return nil
	}
	return r.between(c.Operation, c.V5[len(c.V5)-1], c.V6[len(c.V6)-1])
}

// changed lists where consecutive calls of one version differ.
func (r Rule) changed(op schemas.Operation, calls []Call) []Difference {
	var found []Difference
	seen := map[string]bool{}
	for i := 1; i < len(calls); i++ {
		for _, d := range r.between(op, calls[i-1], calls[i]) {
			if !seen[d.Path] {
				seen[d.Path] = true
				found = append(found, d)
			}
		}
	}
	return found
}

func (r Rule) between(op schemas.Operation, left, right Call) []Difference {
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
	case op == schemas.GetUserAuth:
		found = Records(left.value(), right.value())
	default:
		found = Identifiers(left.value(), right.value())
	}
	kept := found[:0]
	for _, d := range found {
		if (!r.ShapeOnly || d.Kind.Shape()) && !r.ignores(d.Pointer) {
			kept = append(kept, d)
		}
	}
	return kept
}

func (r Rule) ignores(pointer string) bool {
	ignores := false
	for _, i := range r.Ignored {
		if Matches(i.Pattern, pointer) {
			i.hid.Store(true)
			ignores = true
		}
	}
	return ignores
}

// covered tells whether a place is one that is not compared; unlike ignores it counts as no difference hidden.
func (r Rule) covered(pointer string) bool {
	return slices.ContainsFunc(r.Ignored, func(i *Ignored) bool { return Matches(i.Pattern, pointer) })
}

// Matches tells whether a JSON Pointer stands at or below a pattern, in which `*` stands for any array index.
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
	for _, d := range list {
		if d.Path == "" {
			return true
		}
	}
	return false
}

// anyLeft tells whether an answer has something to compare in value that is neither skipped nor ignored. An answer that
// is empty has nothing else than that to compare, and is compared.
func (r Rule) anyLeft(op schemas.Operation, value func() any, skipped places) bool {
	if len(skipped.at)+len(r.Ignored) == 0 {
		return true
	}
	all := emptied(op, value())
	return len(all) == 0 && len(skipped.at) == 0 ||
		slices.ContainsFunc(beside(all, skipped), func(d Difference) bool { return !r.covered(d.Pointer) })
}

// emptied lists the places of a value, as the differences to a value that has none of it.
func emptied(op schemas.Operation, value any) []Difference {
	list, ok := value.([]any)
	if ok && op == schemas.FindByUserIDs {
		return Identifiers(list, []any{})
	}
	if ok {
		var bare []any
		for _, element := range list {
			record, _ := element.(map[string]any)
			bare = append(bare, map[string]any{"Id": record["Id"]})
		}
		return append(Records(list, bare), Records(list, []any{})...)
	}
	var all comparison
	all.leaves(position{}, value)
	return all.found
}

// leaves lists each value of a record that has none below it.
func (c *comparison) leaves(at position, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			c.leaves(at.member(name), value[name])
		}
		if len(value) > 0 || at == (position{}) {
			return
		}
	case []any:
		for i, element := range value {
			c.leaves(at.index(i), element)
		}
		if len(value) > 0 {
			return
		}
	}
	c.add(at, MemberMissing, value, Absent{})
}

// following are the later calls, after the last of the earlier ones, to compare the first of them with.
func following(earlier, later []Call) []Call {
	if len(later) == 0 {
		return nil
	}
	return append([]Call{earlier[len(earlier)-1]}, later...)
}

func distinct(list []string) []string {
	sort.Strings(list)
	kept := list[:0]
	for i, s := range list {
		if i == 0 || s != list[i-1] {
			kept = append(kept, s)
		}
	}
	return kept
}
