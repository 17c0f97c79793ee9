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

// Records compares two answers of getUserAuth. Records in lists are matched by Id, or by position if an Id is missing
// or not unique.
func Records(left, right any) []Difference { return compareAnswers(left, right, (*comparison).records) }

// Identifiers compares two answers of findByUserIds as multisets: the order is ignored, but the number of each element
// counts.
func Identifiers(left, right any) []Difference {
	return compareAnswers(left, right, (*comparison).multiset)
}

func compareAnswers(left, right any, compareLists func(c *comparison, left, right []any)) []Difference {
	var c comparison
	l, lok := left.([]any)
	r, rok := right.([]any)
	if lok && rok {
		compareLists(&c, l, r)
	} else {
		c.values(position{}, left, right)
	}
	return c.found
}

// position is the place that is being compared.
type position struct{ pointer, path string }

func (p position) member(name string) position {
	return position{strictjson.Pointer(p.pointer, name), strictjson.Pointer(p.path, name)}
}

func (p position) index(i int) position {
	return position{p.pointer + "/" + strconv.Itoa(i), p.path + "/" + strconv.Itoa(i)}
}

type comparison struct{ found []Difference }

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
		c.objects(at, l, right.(map[string]any))
	case []any:
		c.lists(at, l, right.([]any))
	case string:
		if r := right.(string); l != r {
			kind := Value
			if isEquivalent(l, r) {
				kind = Representation
			}
			c.add(at, kind, l, r)
		}
	case json.Number:
		if r := right.(json.Number); l != r && strictjson.ParseDecimal(l) != strictjson.ParseDecimal(r) {
			c.add(at, Value, l, r)
		}
	case bool:
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
