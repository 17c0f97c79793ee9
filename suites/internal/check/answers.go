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
		out.addNote(EmptyArray{a.Exchange.AskedUserID()})
		return out
	case a.Served():
		return witness
	}
	for _, f := range a.faults {
		out.Find(f)
	}
	if a.moreFaults > 0 { // the same cause as the last one: elements that are no records
		out.Count += a.moreFaults
		out.Causes[len(out.Causes)-1].Count += a.moreFaults
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
		Probe: p, Kind: string(p.Kind), Expected: Refusal{p}, Actual: Disclosed{a.Exchange.Status, a.Value},
	})
}

// EachMatchesSchema checks the elements of an identifier list against the schema (§2.3, J10). Each GUID string is a
// witness; any other element is a finding. An empty list is neither.
func EachMatchesSchema(a *Answer) Outcome {
	var out Outcome
	known := verdicts{schema: a.reader.identifiers, results: map[any]string{}}
	for start := 0; start < len(a.Identifiers); start += batchSize {
		elements := a.Identifiers[start:min(start+batchSize, len(a.Identifiers))]
		for i, expected := range known.judge(elements) {
			if expected == "" {
				out.Witnesses++
				continue
			}
			_, text := elements[i].(string) // only strings are valid here
			out.Find(Finding{
				Probe: a.Exchange.Probe, Kind: kindOf(elements[i], !text), Pointer: "/" + strconv.Itoa(start+i),
				Expected: expected, Actual: elements[i],
			})
		}
	}
	return out
}

// batchSize is how many elements are validated at a time. maxKnown limits how many verdicts are remembered.
const (
	batchSize = 1024
	maxKnown  = 10_000
)

// verdicts caches the schema's verdict for each element. A hostile list of millions of equal elements is then cheap to
// check.
type verdicts struct {
	schema  *schemas.Schema
	results map[any]string // the verdict for each element: "" if it is valid, else what was expected
}

// judge returns one string for each element: "" if it is valid, else what was expected.
func (v *verdicts) judge(elements []any) []string {
	out := make([]string, len(elements))
	var unknown []any
	var indexes []int
	for i, element := range elements {
		if expected, ok := v.lookup(element); ok {
			out[i] = expected
			continue
		}
		unknown, indexes = append(unknown, element), append(indexes, i)
	}
	for _, violation := range v.schema.Check(unknown) {
		// The elements are strings, which have no children, so each pointer is just an index.
		if n, err := strconv.Atoi(violation.Pointer[1:]); err == nil {
			out[indexes[n]] = violation.Expected
		}
	}
	for n, element := range unknown {
		if len(v.results) < maxKnown && scalar(element) {
			v.results[element] = out[indexes[n]]
		}
	}
	return out
}

func (v *verdicts) lookup(element any) (string, bool) {
	if !scalar(element) {
		return "", false
	}
	expected, ok := v.results[element]
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
