package stats_test

import (
	"fmt"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
)

// printSummary is what a terminal gets.
func printSummary(s *stats.Summary, coloured bool) string {
	var b strings.Builder
	s.Document().Print(&b, "reports", report.Screen{Colours: coloured})
	return b.String()
}

var _ = Describe("The terminal gets of a sweep", func() {
	It("first how many users differ, last the files and the verdict, and no cursor movement between", func() {
		for name, s := range everyKind() {
			text := printSummary(s, false)
			Expect(sanitize.PrintableLines(text)).To(Equal(text), name)
			if s.Tally.Users > 0 {
				Expect(text).To(MatchRegexp(`^\n[0-9,]+ of [0-9,]+ users? \([0-9.]+ %\) differs?\n`), name)
			}
			Expect(text).To(ContainSubstring(filepath.Join("reports", "sweep.html")), name)
			Expect(text).To(ContainSubstring("verdict: "+string(s.Verdict)+": "+strings.Split(s.Reason, "\n")[0]), name)
		}
	})

	It("no more groups than can be read, with how many there are, and what no group has", func() {
		groups := func(n int) string {
			t := stats.New(1)
			for i := range n {
				addUsers(t, differentUser(differenceFinding(int64(i), fmt.Sprintf("/Member%d", i))))
			}
			return printSummary(concludedSummary(t), false)
		}
		Expect(strings.Count(groups(20), "9.3/getUserAuth/values")).To(Equal(20))
		Expect(groups(20)).NotTo(ContainSubstring("others"))
		Expect(strings.Count(groups(23), "9.3/getUserAuth/values")).To(Equal(20))
		Expect(groups(23)).To(ContainSubstring("FAIL and 3 others, in " + filepath.Join("reports", "sweep.html")))
		Expect(groups(maxGroups + 4)).To(And(ContainSubstring("FAIL and 980 others"),
			ContainSubstring("and 4 findings of groups beyond the first 1,000; each is a line of findings.ndjson")))
	})

	DescribeTable("colour for the verdict only if it is wanted",
		func(code string, users []timedResults, changes ...func(*stats.Summary)) {
			s := concludedSummary(countUsers(users...), changes...)
			Expect(printSummary(s, false)).NotTo(ContainSubstring("\x1b"))
			coloured := printSummary(s, true)
			Expect(coloured).To(ContainSubstring("\x1b[" + code + ";1m" + string(s.Verdict)))
			Expect(coloured).NotTo(ContainSubstring("\x1b[0m\x1b"))
		},
		Entry("pass", "32", []timedResults{equalUser()}),
		Entry("inconclusive", "33", nil),
		Entry("fail", "31", []timedResults{differentUser(differenceFinding(0, "/Flags"))}),
		Entry("error", "31", []timedResults{equalUser()}, setFailed),
	)
})
