package parity_test

import (
	"cmp"
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

// recordCall is a call that was served with the text; the empty text is a call that was refused.
func recordCall(text string) parity.Call {
	if text == "" {
		return parity.Call{}
	}
	return parity.Call{Served: true, Value: decodeText(text), Body: []byte(text)}
}

// callsOfVersions are those of getUserAuth, v5 and v6.
func callsOfVersions(v5, v6 []string) parity.Calls { return callsOf(schemas.GetUserAuth, v5, v6) }

// callsOf are those of an operation, "" for getUserAuth.
func callsOf(op schemas.Operation, v5, v6 []string) parity.Calls {
	c := parity.Calls{Operation: cmp.Or(op, schemas.GetUserAuth)}
	for _, text := range v5 {
		c.From = append(c.From, recordCall(text))
	}
	for _, text := range v6 {
		c.To = append(c.To, recordCall(text))
	}
	return c
}

// ruleIgnoring is a rule that leaves places out.
func ruleIgnoring(patterns ...string) parity.Rule {
	var rule parity.Rule
	for _, pattern := range patterns {
		rule.Ignored = append(rule.Ignored, &parity.Ignored{Pattern: pattern})
	}
	return rule
}

// unstableLines writes unstable paths one to a line: version, pointer.
func unstableLines(list []parity.UnstablePath) []string {
	var texts []string
	for _, r := range list {
		texts = append(texts, map[bool]string{false: "v5", true: "v6"}[r.To]+" "+r.Pointer)
	}
	return texts
}
