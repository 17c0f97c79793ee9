package parity_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// decodeText is a text as the suite reads it.
func decodeText(text string) any {
	value, err := strictjson.Decode([]byte(text))
	ExpectWithOffset(1, err).NotTo(HaveOccurred(), "the test's own text %s", text)
	return value
}

// jsonText is a value of a difference as JSON text, or "absent".
func jsonText(value any) string {
	if _, absent := value.(parity.Absent); absent {
		return "absent"
	}
	text, err := json.Marshal(value)
	ExpectWithOffset(1, err).NotTo(HaveOccurred())
	return string(text)
}

// differenceLines writes differences one to a line: pointer, kind, both values.
func differenceLines(differences []parity.Difference) []string {
	var list []string
	for _, d := range differences {
		list = append(list, fmt.Sprintf("%s | %s | %s | %s", d.Pointer, d.Kind, jsonText(d.Left), jsonText(d.Right)))
	}
	return list
}

// v5 and v6 are calls to the versions that are served with a text; the empty text is a refusal.
func v5(text string) parity.Call { return callOf(schemas.V5, text) }
func v6(text string) parity.Call { return callOf(schemas.V6, text) }

func callOf(v schemas.Version, text string) parity.Call {
	return parity.Call{Version: v, Served: text != "", Body: []byte(text)}
}

// lookup is the calls of one lookup of getUserAuth.
func lookup(calls ...parity.Call) parity.Lookup { return lookupOf(schemas.GetUserAuth, calls...) }

func lookupOf(op schemas.Operation, calls ...parity.Call) parity.Lookup {
	return parity.Lookup{Operation: op, Pair: schemas.Pair{From: schemas.V5, To: schemas.V6}, Calls: calls}
}

// records compares two answers of getUserAuth, and identifiers two of findByUserIds.
func records(left, right any) []parity.Difference {
	return differences(schemas.GetUserAuth, left, right)
}

func identifiers(left, right any) []parity.Difference {
	return differences(schemas.FindByUserIDs, left, right)
}

func differences(op schemas.Operation, left, right any) []parity.Difference {
	call := func(v schemas.Version, value any) parity.Call {
		return parity.Call{Version: v, Served: true, Value: value}
	}
	return parity.Rule{}.Conclude(lookupOf(op, call(schemas.V5, left), call(schemas.V6, right))).Differences
}

// concluded is a conclusion in texts.
type concluded struct {
	differences []string
	moved       []string // places that ended equal, with the versions in which they changed
	v5, v6      []string // places that are unsteady in this version

	comparable, valued bool
}

func conclude(rule parity.Rule, l parity.Lookup) concluded {
	c := rule.Conclude(l)
	found := concluded{differences: differenceLines(c.Differences), comparable: c.Comparable, valued: c.Valued}
	for _, change := range c.Changes {
		in := map[bool]string{change.From: " v5", false: ""}[true] + map[bool]string{change.To: " v6", false: ""}[true]
		switch {
		case change.Ended:
			found.moved = append(found.moved, change.Place+in)
		default:
			if change.From {
				found.v5 = append(found.v5, change.Place)
			}
			if change.To {
				found.v6 = append(found.v6, change.Place)
			}
		}
	}
	return found
}
