package spec_test

import (
	"strings"
	"testing"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// checkInvariants holds what every judgement must keep: findings within their bound and counted, pointers that can be
// read, texts that can be shown.
func checkInvariants(t testing.TB, result *spec.Judgement) {
	for id, row := range result.Rows {
		requirement, known := testkit.Contract().Requirement(id)
		if !known || requirement.Kind != schemas.Documented {
			t.Fatalf("%s is no documented requirement", id)
		}
		if len(row.Findings) != min(row.Count, check.MaxFindings) {
			t.Fatalf("%s: %d findings kept of %d", id, len(row.Findings), row.Count)
		}
		causes := 0
		for _, c := range row.Causes {
			causes += c.Count
		}
		if causes != row.Count {
			t.Fatalf("%s: causes for %d of %d findings", id, causes, row.Count)
		}
		for _, finding := range row.Findings {
			expectShowable(t, id, expectedText(finding), actualText(finding))
			if expectedText(finding) == "" || actualText(finding) == "" || finding.Kind == "" {
				t.Fatalf("%s: a finding without words: %+v", id, finding)
			}
		}
		expectShowable(t, id, notesText(row)...)
	}
	for _, fact := range allFacts(result) {
		expectShowable(t, fact.ID, check.Text(fact.Seen, (*sanitize.Output)(nil)))
		if requirement, known := testkit.Contract().Requirement(fact.ID); !known || requirement.Kind != schemas.Open {
			t.Fatalf("%s is no open point", fact.ID)
		}
	}
}

func expectShowable(t testing.TB, id string, texts ...string) {
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 ||
				r == 0x202e
		}) {
			t.Fatalf("%s: %q is not fit to be shown", id, text)
		}
	}
}
