package parity_test

import (
	"fmt"
	"slices"
	"testing"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// FuzzCompare holds three things of any two answers: a document differs from itself in nothing; comparing the other way
// round finds the same, mirrored; and nothing panics.
func FuzzCompare(f *testing.F) {
	seeds := []string{
		`{"Id":"a","Flags":1,"Device":{"Model":"x","IsEnabled":true}}`, `{"Flags":1.0,"Id":"b","Device":null}`,
		`[{"Id":"a","n":1},{"Id":"b","n":[1,2,{}]}]`, `[{"Id":"B","n":1e2},{"Id":"A"}]`, `[{"Id":"a"},{"Id":"a"},{}]`,
		`["` + guidA + `","` + guidAUpper + `","` + guidA + `"]`, `["` + guidAUpper + `","` + guidB + `"]`,
		`[1,1.0,"1",null,true,[],{}]`,
		`["2024-03-01T10:00:00Z","2024-03-01T12:00:00+02:00"]`, `null`, `9007199254740993`, `9007199254740992`, `-0`,
		`""`,
		`[]`, `{}`,
		`{"a/b":{"~":[{"*":1}]}}`, `{"":{"":""}}`, `[{"Id":"a/b","n":1},{"Id":"~"}]`,
	}
	for i, seed := range seeds {
		f.Add([]byte(seed), []byte(seed))
		f.Add([]byte(seed), []byte(seeds[(i+1)%len(seeds)]))
	}
	f.Fuzz(func(t *testing.T, one, other []byte) {
		left, err := strictjson.Decode(one)
		if err != nil {
			return
		}
		right, err := strictjson.Decode(other)
		if err != nil {
			return
		}
		for name, compare := range map[string]func(any, any) []parity.Difference{"records": records,
			"identifiers": identifiers} {
			if found := compare(left, left); len(found) > 0 {
				t.Fatalf("%s: %s differs from itself: %v", name, one, found)
			}
			forward, back := compare(left, right), compare(right, left)
			if !slices.Equal(sortedDifferences(t, forward, false), sortedDifferences(t, back, true)) {
				t.Fatalf("%s: %v one way, %v the other", name, forward, back)
			}
			for _, d := range append(forward, back...) {
				if _, err := strictjson.Tokens(d.Pointer); err != nil {
					t.Fatalf("%s: the pointer of %v: %v", name, d, err)
				}
			}
		}
		checkConclusion(t, one, other)
	})
}

// sortedDifferences writes differences so that both ways can be compared. A place in a list is that of the side where
// the element stands, hence another one the other way; the kinds and values say all that matters.
func sortedDifferences(t *testing.T, differences []parity.Difference, swapped bool) []string {
	var texts []string
	for _, d := range differences {
		if swapped {
			d.Kind, d.Left, d.Right = mirroredKind(d.Kind), d.Right, d.Left
		}
		texts = append(texts, fmt.Sprintf("%s %s %#v %#v", strictjson.General(d.Pointer), d.Kind, d.Left, d.Right))
	}
	slices.Sort(texts)
	return texts
}

// mirroredKind returns the kind with v5 and v6 swapped.
func mirroredKind(kind parity.Kind) parity.Kind {
	switch kind {
	case parity.MemberMissing:
		return parity.MemberAdded
	case parity.MemberAdded:
		return parity.MemberMissing
	case parity.ElementMissing:
		return parity.ElementAdded
	case parity.ElementAdded:
		return parity.ElementMissing
	}
	return kind
}

// checkConclusion holds what a conclusion must say of any two answers that each version gives at every call.
func checkConclusion(t *testing.T, one, other []byte) {
	for _, op := range schemas.Operations() {
		call := func(v schemas.Version, body []byte) parity.Call {
			return parity.Call{Version: v, Served: true, Body: body}
		}
		constant := lookupOf(op, call(schemas.V5, one), call(schemas.V6, other), call(schemas.V6, other),
			call(schemas.V5, one))
		rule := parity.Rule{}
		conclusion := rule.Conclude(constant)
		if len(conclusion.Changes) > 0 || !conclusion.Comparable {
			t.Fatalf("%s: what stands still is called %+v", op, conclusion)
		}
		same := lookupOf(op, call(schemas.V5, one), call(schemas.V6, one))
		for _, r := range []parity.Rule{rule, {ShapeOnly: true}} {
			known, found := r.Identical(same), r.Conclude(same)
			if known.Comparable != found.Comparable || known.Valued != found.Valued || !found.StandsStill() {
				t.Fatalf("%s: Identical says %+v, Conclude %+v", op, known, found)
			}
		}
		for _, d := range (parity.Rule{ShapeOnly: true}).Conclude(constant).Differences {
			if !d.Kind.Shape() {
				t.Fatalf("%s: by shape alone, %v", op, d)
			}
		}
		alternating := lookupOf(op, call(schemas.V5, one), call(schemas.V6, other), call(schemas.V6, one),
			call(schemas.V5, other))
		for _, u := range rule.Conclude(alternating).Changes {
			if !u.From || !u.To || u.Ended {
				t.Fatalf("%s: what changes in both is called %+v", op, u)
			}
		}
	}
}
