package summary_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	sweep "authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/summary"
)

// sweptOf is a sweep of some users who differ, each at a place of its own, with any text.
func sweptOf(users int, text string) *sweep.Summary {
	t := sweep.New(1)
	for i := range users {
		f := sweep.Finding{User: sweep.User{Index: int64(i), ID: text, UserID: text}, Operation: schemas.GetUserAuth,
			Version:     schemas.Parity,
			Requirement: "9.3/getUserAuth/values", Kind: text, Pointer: fmt.Sprintf("/%s%d-", text, i), Count: 1,
			Expected: text, Actual: text}
		t.Add([]sweep.Result{{Outcome: sweep.Different, Findings: []sweep.Finding{f}},
			{Outcome: sweep.NotComparable, Why: fmt.Sprint(text, i)}}, nil, 0)
	}
	t.Add([]sweep.Result{{Outcome: sweep.Equal, Witnessed: true}, {Outcome: sweep.Equal, Witnessed: true}},
		make([]time.Duration, 4), 0)
	s := sweep.Empty(report.Suite{}, time.Unix(0, 0), "")
	s.Error, s.Complete, s.Tally = nil, true, t
	s.Identity.Target[schemas.V5] = "https://" + text
	s.Conclude()
	return s
}

var _ = Describe("The summary of a sweep for a step", func() {
	It("tells verdict, outcomes, grounds and groups", func() {
		text := string(summary.Render(sweptOf(2, "Flags").Document()))
		for _, words := range []string{
			"## ✗ fail: Authenticator API sweep of v5 and v6",
			"2 of 3 users (66.7 %) differ between v5 and v6: 2 differences",
			"| `different` | 2 | 0 |", "| `equal` | 1 | 1 |", "| `not-comparable` | 0 | 2 |",
			"`findByUserIds, not-comparable`: `1 × Flags0`",
			"`9.3/getUserAuth/values v5=v6, getUserAuth`: `Flags at /Flags0-, 1 user`", "Target: `https://Flags`",
			"`sweep.html` to read, `sweep.json` for programs, `findings.ndjson` each finding, `differences.csv` who differs",
		} {
			Expect(text).To(ContainSubstring(words))
		}
	})

	It("says of a sweep that could not be carried out why", func() {
		text := string(summary.Render(sweep.Empty(report.Suite{}, time.Unix(0, 0), "no users").Document()))
		Expect(text).To(And(ContainSubstring("## ! error:"), ContainSubstring("```text\nno users\n```")))
	})

	It("keeps to the groups that there is room for, and counts the others", func() {
		text := string(summary.Render(sweptOf(900, "x").Document()))
		Expect(text).To(MatchRegexp("\\d+ entries are left out here; `sweep.html` has all"))
	})

	It("does nothing, whatever a target sent", func() {
		for _, text := range hostileTexts() {
			expectHarmless(summary.Render(sweptOf(3, text).Document()))
		}
	})
})
