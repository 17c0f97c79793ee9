// Package parity compares two decoded answers: by shape and by value, exactly (J14).
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

// membership reports whether a list has an element that the other one lacks.
func (k Kind) membership() bool { return k == ElementMissing || k == ElementAdded }

// Absent stands for a member or an element that is not there.
type Absent struct{}

// Difference is one difference between two answers.
type Difference struct {
	Pointer string // RFC 6901, in the left answer if it is there, else in the right one
	Path    string // like Pointer, but with unique Ids instead of indexes; stable between calls
	Kind    Kind
	Left    any // decoded value, or Absent
	Right   any
}

// position is the place that is being compared.
type position struct{ pointer, path string }

func (p position) member(name string) position {
	return position{strictjson.Pointer(p.pointer, name), strictjson.Pointer(p.path, name)}
}

func (p position) index(i int) position {
	return position{p.pointer + "/" + strconv.Itoa(i), p.path + "/" + strconv.Itoa(i)}
}

// comparison compares two answers. compared, if set, is called for each pair of values that is compared: texts, numbers
// and booleans, and two empty lists or objects. Null has no value.
type comparison struct {
	found    []Difference
	compared func(position)
}

// answers compares two answers to an operation. Records in lists are matched by Id, or by position if an Id is missing
// or not unique. Identifiers are compared as multisets: the order is ignored, but the number of each element counts.
func (c *comparison) answers(op schemas.Operation, left, right any) {
	l, lok := left.([]any)
	r, rok := right.([]any)
	switch {
	case !lok || !rok:
		c.values(position{}, left, right)
	case op == schemas.GetUserAuth:
		c.records(l, r)
	default:
		c.multiset(l, r)
	}
}

func (c *comparison) value(at position) {
	if c.compared != nil {
		c.compared(at)
	}
}

func (c *comparison) add(at position, kind Kind, left, right any) {
	c.found = append(c.found, Difference{Pointer: at.pointer, Path: at.path, Kind: kind, Left: left, Right: right})
}

// values compares two values at one position.
func (c *comparison) values(at position, left, right any) {
	if strictjson.TypeOf(left) != strictjson.TypeOf(right) {
		c.add(at, Type, left, right)
		return
	}
	switch l := left.(type) {
	case map[string]any:
		r := right.(map[string]any)
		if c.objects(at, l, r); len(l)+len(r) == 0 {
			c.value(at)
		}
	case []any:
		r := right.([]any)
		if c.lists(at, l, r); len(l)+len(r) == 0 {
			c.value(at)
		}
	case string:
		c.value(at)
		if r := right.(string); l != r {
			kind := Value
			if isEquivalent(l, r) {
				kind = Representation
			}
			c.add(at, kind, l, r)
		}
	case json.Number:
		c.value(at)
		if r := right.(json.Number); l != r && strictjson.ParseDecimal(l) != strictjson.ParseDecimal(r) {
			c.add(at, Value, l, r)
		}
	case bool:
		c.value(at)
		if r := right.(bool); l != r {
			c.add(at, Value, l, r)
		}
	}
}

func (c *comparison) objects(at position, left, right map[string]any) {
	names := slices.AppendSeq(make([]string, 0, len(left)), maps.Keys(left))
	for name := range right {
		if _, both := left[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		l, inLeft := left[name]
		r, inRight := right[name]
		switch {
		case inLeft && inRight:
			c.values(at.member(name), l, r)
		case inLeft && l == nil:
			c.add(at.member(name), NullAgainst, nil, Absent{})
		case inRight && r == nil:
			c.add(at.member(name), NullAgainst, Absent{}, nil)
		case inLeft:
			c.add(at.member(name), MemberMissing, l, Absent{})
		default:
			c.add(at.member(name), MemberAdded, Absent{}, r)
		}
	}
}

// lists compares arrays within a record by position. The document defines none, so nothing permits another order.
func (c *comparison) lists(at position, left, right []any) {
	if len(left) != len(right) {
		c.add(at, ListLength, json.Number(strconv.Itoa(len(left))), json.Number(strconv.Itoa(len(right))))
	}
	for i := range min(len(left), len(right)) {
		c.values(at.index(i), left[i], right[i])
	}
}

// isEquivalent reports whether two different strings are the same GUID or the same instant. They may differ in
// case, in the offset, or in trailing zeros of the fraction (J14).
func isEquivalent(left, right string) bool {
	if schemas.IsGUID(left) {
		return strings.EqualFold(left, right)
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
