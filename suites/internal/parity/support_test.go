package parity_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/strictjson"
)

// decoded is a text as the suite reads it.
func decoded(text string) any {
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

// lines writes differences one to a line: pointer, kind, both values.
func lines(differences []parity.Difference) []string {
	list := []string{}
	for _, d := range differences {
		list = append(list, fmt.Sprintf("%s | %s | %s | %s", d.Pointer, d.Kind, jsonText(d.Left), jsonText(d.Right)))
	}
	return list
}

// record is a call that was served with the text; the empty text is a call that was refused.
func record(text string) parity.Call {
	if text == "" {
		return parity.Call{}
	}
	return parity.Call{Served: true, Value: decoded(text), Body: []byte(text)}
}

// calls are those of getUserAuth, v5 and v6.
func calls(v5, v6 []string) parity.Calls { return callsOf(schemas.GetUserAuth, v5, v6) }

func callsOf(op schemas.Operation, v5, v6 []string) parity.Calls {
	c := parity.Calls{Operation: op}
	for _, text := range v5 {
		c.From = append(c.From, record(text))
	}
	for _, text := range v6 {
		c.To = append(c.To, record(text))
	}
	return c
}

// ignoring is a rule that leaves places out.
func ignoring(patterns ...string) parity.Rule {
	var rule parity.Rule
	for _, pattern := range patterns {
		rule.Ignored = append(rule.Ignored, &parity.Ignored{Pattern: pattern})
	}
	return rule
}

// unstable writes unstable paths one to a line: version, pointer.
func unstable(list []parity.UnstablePath) []string {
	texts := []string{}
	for _, r := range list {
		texts = append(texts, map[bool]string{false: "v5", true: "v6"}[r.To]+" "+r.Pointer)
	}
	return texts
}
