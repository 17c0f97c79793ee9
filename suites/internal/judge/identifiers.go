package judge

import (
	"strconv"

	"authenticator-conformance/schemas"
)

// identifiers judges the list of identifiers (§2.3, J10): each GUID string is a witness, everything else a finding. An
// empty list is neither.
func (j *Judge) identifiers(result *Judgement, list []any) {
	const id = "2.3/identifiers"
	known := verdicts{schema: j.contract.Identifiers, of: map[any]string{}}
	for start := 0; start < len(list); start += part {
		elements := list[start:min(start+part, len(list))]
		for i, expected := range known.judge(elements) {
			if expected == "" {
				result.Rows.witness(id)
				continue
			}
			result.Rows.find(id, "not "+kind(elements[i]), "/"+strconv.Itoa(start+i), func() Finding {
				return Finding{Probe: result.Answer.Exchange.Probe, Expected: expected, Actual: j.secrets.ShowJSON(elements[i], shown)}
			})
		}
	}
}

// part is how many elements are judged at a time; mostKnown bounds how many verdicts are remembered.
const (
	part      = 1024
	mostKnown = 10_000
)

// verdicts remembers what the schema said of an element, so that a hostile list of millions of equal elements costs
// little: what equals something already judged is not judged again.
type verdicts struct {
	schema *schemas.Schema
	of     map[any]string // "" for a right one, else what was expected
}

// judge gives for each element what was expected of it, or "" where it is right.
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
		// A list of strings has no place below its elements, so a pointer is an index.
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

// scalar tells whether a decoded value can be a key: objects and arrays can't.
func scalar(element any) bool {
	switch element.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
