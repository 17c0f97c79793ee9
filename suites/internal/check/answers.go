package check

import (
	"strconv"

	"authenticator-conformance/schemas"
)

// IsServed checks the answer to a well-formed request for an enrolled user (J1). An array without records is neither
// witness nor finding; it only gets a note.
func IsServed(a *Answer) Outcome {
	var out Outcome
	switch {
	case !a.Exchange.Probe.User.Enrolled:
		return out
	case a.Served() && a.List && len(a.records) == 0:
		out.note(EmptyArray{a.Exchange.AskedUserID()})
		return out
	case a.Served():
		return witness
	}
	for _, f := range a.broken {
		out.Find(f)
	}
	if a.brokenMore > 0 { // the same cause as the last one: elements that are no records
		out.Count += a.brokenMore
		out.Causes[len(out.Causes)-1].Count += a.brokenMore
	}
	return out
}

// DisclosesNothing checks the answer to a request that must be refused. The form of the refusal is open (J13).
func DisclosesNothing(a *Answer) Outcome {
	if !a.discloses {
		return witness
	}
	p := a.Exchange.Probe
	return finding(Finding{
		Probe: p, Kind: string(p.Kind), Expected: Refusal{p}, Came: Disclosed{a.Exchange.Status, a.Value},
	})
}

// EachMatchesSchema checks the elements of an identifier list against the schema (§2.3, J10). Each GUID string is a
// witness; any other element is a finding. An empty list is neither.
func EachMatchesSchema(a *Answer) Outcome {
	var out Outcome
	known := verdicts{schema: a.reader.identifiers, of: map[any]string{}}
	for start := 0; start < len(a.Identifiers); start += part {
		elements := a.Identifiers[start:min(start+part, len(a.Identifiers))]
		for i, expected := range known.judge(elements) {
			if expected == "" {
				out.Witnesses++
				continue
			}
			_, text := elements[i].(string) // only strings are valid here
			out.Find(Finding{
				Probe: a.Exchange.Probe, Kind: kindOf(elements[i], !text), Pointer: "/" + strconv.Itoa(start+i),
				Expected: expected, Came: elements[i],
			})
		}
	}
	return out
}

// part is how many elements are validated at a time. mostKnown limits how many verdicts are remembered.
const (
	part      = 1024
	mostKnown = 10_000
)

// verdicts caches the schema's verdict for each element. A hostile list of millions of equal elements is then cheap to
// check.
type verdicts struct {
	schema *schemas.Schema
	of     map[any]string // the verdict for each element: "" if it is valid, else what was expected
}

// judge returns one string for each element: "" if it is valid, else what was expected.
func (v *verdicts) judge(elements []any) []string {
	out := make([]string, len(elements))
	var unknown []any
	var at []int
	for i, element := range elements {
		if expected, ok := v.recall(element); ok {
			out[i] = expected
			continue
		}
		unknown, at = append(unknown, element), append(at, i)
	}
	for _, violation := range v.schema.Check(unknown) {
		// The elements are strings, which have no children, so each pointer is just an index.
		if n, err := strconv.Atoi(violation.Pointer[1:]); err == nil {
			out[at[n]] = violation.Expected
		}
	}
	for n, element := range unknown {
		if len(v.of) < mostKnown && scalar(element) {
			v.of[element] = out[at[n]]
		}
	}
	return out
}

func (v *verdicts) recall(element any) (string, bool) {
	if !scalar(element) {
		return "", false
	}
	expected, ok := v.of[element]
	return expected, ok
}

// scalar reports whether a decoded value can be a map key. Objects and arrays can't.
func scalar(element any) bool {
	switch element.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
