// Package parity compares the answers of two versions for one user and operation, by shape and by value, exactly (J14),
// and tells what moved, settled or is unsteady from call to call (J15). It is pure: calls in, a conclusion out.
//
// It uses no library, because J14 requires what wI2L/jsondiff, nsf/jsondiff, r3labs/diff and google/go-cmp do not do.
// Each of them compares numbers as float64 or as text, matches list elements only by position, or does not distinguish
// null from absent and a type from a value.
package parity

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Kind is how two answers differ.
type Kind string

// The kinds. Missing means that v5 has it and v6 does not; Added means that v6 has it and v5 does not.
const (
	MemberMissing  Kind = "member missing"
	MemberAdded    Kind = "member added"
	NullAgainst    Kind = "null against absent"
	Type           Kind = "type"
	Value          Kind = "value"
	Representation Kind = "representation"
	ListLength     Kind = "list length"
	ElementMissing Kind = "element missing"
	ElementAdded   Kind = "element added"
	Served         Kind = "served against refused"
)

// Shape reports whether the kind is a difference of shape, not of value (J14).
func (k Kind) Shape() bool {
	switch k {
	case MemberMissing, MemberAdded, NullAgainst, Type, Served:
		return true
	}
	return false
}

// Absent stands for a member or an element that is not there. Of an element it has how many elements the list has, and
// how many that of the other version; both are 0 for a member.
type Absent struct {
	Elements, Other int
	Fewer           bool // the list has an equal element, but fewer of them
}

// What a call shows at a place besides JSON values and Absent.
type (
	none     struct{}    // nothing to compare: what is above is null, absent or of another type
	refused  struct{}    // in the place of an answer that did not serve
	length   json.Number // of a list, which alone is nothing to compare (J14)
	elements struct {    // of a list, as one value
		key  string // the same for lists of the same elements
		list []any
	}
)

// Difference is one difference between two answers.
type Difference struct {
	Pointer string // RFC 6901, in the left answer if it is there, else in the right one
	Kind    Kind
	Left    any // decoded value, or Absent
	Right   any
}

// position is the place that is being compared: where it is in an answer, and without the indexes of lists.
type position struct{ pointer, place string }

// ofList is the place of how the list that is the answer is made up.
const ofList = "/*"

func (p position) member(name string) position {
	return position{strictjson.Pointer(p.pointer, name), strictjson.Pointer(p.place, name)}
}

func (p position) index(i int) position {
	return position{p.pointer + "/" + strconv.Itoa(i), p.place + "/*"}
}

// ofRecord returns the position of a record in the list that is the answer: its members have the same places as those
// of a record alone.
func ofRecord(i int) position { return position{pointer: "/" + strconv.Itoa(i)} }

// comparison compares all calls of a lookup at once, place by place.
type comparison struct {
	Rule
	Lookup
	out *Conclusion
}

// answers compares whole answers: one value for each call.
func (c *comparison) answers(values []any) {
	c.judge(position{}, values, c.difference)
	if lists := only[[]any](values); c.Operation == schemas.FindByUserIDs {
		c.identifiers(lists)
	} else {
		c.records(lists)
	}
	c.members(position{}, only[map[string]any](values))
}

// values compares values at one position, and what is below.
func (c *comparison) values(at position, values []any) {
	c.judge(at, values, c.difference)
	c.members(at, only[map[string]any](values))
	c.list(at, only[[]any](values))
}

// each returns what a function makes of each value of one type, and none in the place of the others.
func each[T any](values []any, what func(i int, value T) any) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = none{}
		if value, is := value.(T); is {
			list[i] = what(i, value)
		}
	}
	return list
}

// only returns the values of one type, with none in the place of the others; nil if fewer than two are left.
func only[T any](values []any) []any {
	n := 0
	list := each(values, func(_ int, value T) any {
		n++
		return value
	})
	if n < 2 {
		return nil
	}
	return list
}

func (c *comparison) members(at position, objects []any) {
	names := map[string]bool{}
	for _, value := range objects {
		object, _ := value.(map[string]any)
		for name := range object {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.values(at.member(name), each(objects, func(_ int, object map[string]any) any {
			if member, has := object[name]; has {
				return member
			}
			return Absent{}
		}))
	}
}

// list compares arrays within a record by position. The document defines none, so nothing permits another order.
func (c *comparison) list(at position, lists []any) {
	longest := 0
	lengths := each(lists, func(_ int, list []any) any {
		longest = max(longest, len(list))
		return length(strconv.Itoa(len(list)))
	})
	c.judge(at, lengths, func(at position, left, right any) {
		c.differ(Difference{at.pointer, ListLength, shownValue(left), shownValue(right)})
	})
	for i := range longest {
		c.values(at.index(i), elementsAt(lists, i))
	}
}

// elementsAt returns the element of each list at an index, none where it has no such element.
func elementsAt(lists []any, index int) []any {
	return each(lists, func(_ int, list []any) any {
		if index < len(list) {
			return list[index]
		}
		return none{}
	})
}

// judge judges what the calls show at one place. differ adds the differences of two values that the versions ended
// with.
func (c *comparison) judge(at position, values []any, differ func(at position, left, right any)) {
	switch first, both, stands := c.standsStill(values); {
	case !both:
		return // one version has nothing there, which is found above
	case stands:
		c.value(at, first)
		return
	case c.ignores(at.pointer, true):
		return
	}
	h, shown := c.history(values)
	f := h.fate()
	left, right := shown[f.fromEnd], shown[f.toEnd]
	equal := h[f.fromEnd].class == h[f.toEnd].class
	if f.ended && c.sameType(left, right) {
		c.value(at, left)
	}
	if f.ended && !equal || differInShape(h, shown) {
		differ(at, left, right)
		return
	}
	c.out.Changes = append(c.out.Changes, change(at, h, shown, f))
}

// differInShape reports whether all calls of one version have one JSON type, or null, or absent, and no call of the
// other one has it: a difference, however unsteady (J15).
func differInShape(h history, shown []any) bool {
	types := map[bool]map[string]bool{false: {}, true: {}}
	for i, m := range h {
		types[m.to][typeOf(shown[i])] = true
	}
	one := func(a, b map[string]bool) bool {
		for name := range a {
			return len(a) == 1 && !b[name]
		}
		return false
	}
	return one(types[false], types[true]) || one(types[true], types[false])
}

// change returns a place that changes, with the first change within a version.
func change(at position, h history, shown []any, f fate) Change {
	u := Change{Place: at.place, Pointer: at.pointer, From: f.from, To: f.to, Moved: f.moved, Ended: f.ended}
	for _, to := range []bool{false, true} {
		calls := h.of(to)
		for i := 1; i < len(calls); i++ {
			was, then := shown[calls[i-1]], shown[calls[i]]
			u.Shape = u.Shape || typeOf(was) != typeOf(then)
			if u.Was == nil && u.Then == nil && h[calls[i-1]].class != h[calls[i]].class {
				u.Was, u.Then = shownValue(was), shownValue(then)
			}
		}
	}
	return u
}

// shownValue returns a value as findings have it.
func shownValue(value any) any {
	switch value := value.(type) {
	case refused:
		return Absent{}
	case elements:
		return value.list
	case length:
		return json.Number(value)
	}
	return value
}

// value notes that values were compared at a place. Null is none, nor is an object or a list with something in it: what
// is in it counts.
func (c *comparison) value(at position, value any) {
	if c.ShapeOnly || c.out.Valued {
		return
	}
	switch value := value.(type) {
	case nil, Absent, refused, length:
		return
	case map[string]any:
		if len(value) > 0 || at.place == "" {
			return
		}
	case []any:
		if len(value) > 0 || at.place == "" {
			return
		}
	case elements:
		if len(value.list) == 0 {
			return
		}
	}
	c.out.Valued = !c.ignores(at.pointer, false)
}

func (c *comparison) differ(d Difference) {
	if !c.ignores(d.Pointer, true) {
		c.out.Differences = append(c.out.Differences, d)
	}
}

// difference adds the difference of two values at a place.
func (c *comparison) difference(at position, left, right any) {
	_, leftAbsent := left.(Absent)
	_, rightAbsent := right.(Absent)
	l, _ := left.(string)
	r, _ := right.(string)
	kind := Value
	switch {
	case typeOf(left) == "refused" || typeOf(right) == "refused":
		kind = Served
	case leftAbsent && right == nil || rightAbsent && left == nil:
		kind = NullAgainst
	case leftAbsent:
		kind = MemberAdded
	case rightAbsent:
		kind = MemberMissing
	case !c.sameType(left, right):
		kind = Type
	case isEquivalent(l, r):
		kind = Representation
	}
	c.differ(Difference{at.pointer, kind, shownValue(left), shownValue(right)})
}

// typeOf returns the JSON type of a value, or a word for what is none.
func typeOf(value any) string {
	switch value.(type) {
	case Absent:
		return "absent"
	case refused:
		return "refused"
	case elements:
		return "array"
	case length:
		return "number"
	}
	return strictjson.TypeOf(value)
}

func (c *comparison) sameType(a, b any) bool { return typeOf(a) == typeOf(b) }

// same reports whether two values are the same at their place. Of an object or an array that is its type: what is in
// them is compared for itself. Numbers compare by value, strings by code point.
func (c *comparison) same(a, b any) bool {
	if !c.sameType(a, b) || c.ShapeOnly {
		return c.sameType(a, b)
	}
	switch a := a.(type) {
	case json.Number:
		b := b.(json.Number)
		return a == b || strictjson.ParseDecimal(a) == strictjson.ParseDecimal(b)
	case elements:
		return a.key == b.(elements).key
	case map[string]any, []any:
		return true
	}
	return a == b
}

// isEquivalent reports whether two different strings are the same GUID or the same instant. They may differ in
// the form of the GUID, in the offset, or in trailing zeros of the fraction (J14).
func isEquivalent(left, right string) bool {
	if digits, ok := guidDigits(left); ok {
		others, _ := guidDigits(right)
		return digits == others
	}
	l, lfraction, lok := instant(left)
	r, rfraction, rok := instant(right)
	return lok && rok && l.Equal(r) && lfraction == rfraction
}

// instant splits a date-time with an offset into its whole second and its fraction without trailing zeros. A time.Time
// alone would cut the fraction after nine digits.
func instant(s string) (second time.Time, fraction string, ok bool) {
	local, fraction, offset, _ := schemas.SplitDateTime(s)
	second, err := time.Parse(time.RFC3339, local+offset)
	return second, strings.TrimRight(fraction, ".0"), err == nil
}
