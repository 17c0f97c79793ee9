package stats_test

import (
	"fmt"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
)

// printed is what a terminal gets.
func printed(s *stats.Summary, coloured bool) string {
	var b strings.Builder
	s.Document().Print(&b, "reports", report.Screen{Colours: coloured})
	return b.String()
}

var _ = Describe("What the terminal gets", func() {
	It("are users, requests, outcomes, verdict, what it proves, and where the files are", func() {
		text := printed(summary(counted(equal(), equal(), unserved()),
			func(s *stats.Summary) { s.Traffic.Requests = 12 }), false)
		Expect(text).To(ContainSubstring("3 users, 12 requests, 3.5s"))
		Expect(text).To(ContainSubstring("verdict: pass: all alike, and within the contract"))
		Expect(text).To(ContainSubstring("what it proves: it covers every one of the 3 users of the population"))
		Expect(text).To(ContainSubstring(filepath.Join("reports", "sweep.html")))
		Expect(text).To(ContainSubstring("and beside it sweep.json, findings.ndjson\n"))
		Expect(text).NotTo(ContainSubstring("throttled"))
		Expect(text).NotTo(ContainSubstring("left alone"))
		Expect(text).NotTo(ContainSubstring("note:"))
	})

	It("begins with how many users differ, and ends with where they are listed", func() {
		text := printed(summary(counted(equal(), different(difference(1, "/Flags"), difference(1, "/Comment")),
			different(difference(2, "/Flags", waived)))), false)
		Expect(text).To(HavePrefix("\n1 of 3 users (33.3 %) differs\n"))
		Expect(text).To(ContainSubstring(", differences.csv, differences.har\nverdict: fail: "))
		text = printed(summary(counted(different(difference(0, "/Flags")),
			showing(stats.Result{Outcome: stats.BothViolate, Findings: []stats.Finding{violation(1, "/Id")}}))), false)
		Expect(text).To(HavePrefix("\n1 of 2 users (50.0 %) differs\n"),
			"a breach of the contract in both is no difference")
		text = printed(summary(counted(equal())), false)
		Expect(text).To(HavePrefix("\n0 of 1 user (0 %) differ\n"))
		Expect(text).NotTo(ContainSubstring("differences.csv"))
	})

	It("is every outcome of both operations, those of nobody too", func() {
		t := counted(population(400, 31)...)
		lines := map[string][]string{}
		for _, line := range strings.Split(printed(summary(t), false), "\n") {
			if fields := strings.Fields(line); len(fields) == 3 {
				lines[fields[0]] = fields[1:]
			}
		}
		for _, o := range stats.Outcomes() {
			var want []string
			for _, op := range schemas.Operations() {
				want = append(want, fmt.Sprint(t.Outcomes[op][o].Count))
			}
			Expect(lines).To(HaveKeyWithValue(string(o), want))
		}
		text := printed(summary(stats.New(1)), false)
		for _, o := range stats.Outcomes() {
			Expect(text).To(MatchRegexp(`(?m)^ *%s +0 +0 *$`, o))
		}
	})

	It("are the reasons of an outcome that has several", func() {
		text := printed(summary(counted(incomparable(0, "timeout of v6"), incomparable(1, "timeout of v6"),
			incomparable(2, "reset of v5"))), false)
		Expect(text).To(ContainSubstring("getUserAuth, not-comparable: 2 × timeout of v6\n"))
		Expect(text).To(ContainSubstring("getUserAuth, not-comparable: 1 × reset of v5\n"))
	})

	It("are the groups of findings with a user each, and where the whole answer differs", func() {
		text := printed(summary(counted(
			different(difference(0, "/3/Flags")), different(difference(1, "/4/Flags")),
			different(difference(2, "", func(f *stats.Finding) {
				f.Kind, f.Expected, f.Actual = "type", "what v5 shows: []", "v6 shows: {}"
			})),
			different(violation(3, "/Id", waived)),
		)), false)
		Expect(text).To(ContainSubstring("9.3/getUserAuth/values v5=v6, getUserAuth: value at /*/Flags, 2 users\n"))
		Expect(text).To(ContainSubstring(
			"type, the whole answer, 1 user\n  user u-2 (id-2), u2.2: expected what v5 shows: []; v6 shows: {}\n"))
		Expect(text).To(ContainSubstring("\nWAIVED 2.1/Id v6, getUserAuth: value at /Id, 1 user\n"))
		Expect(text).To(
			ContainSubstring("verdict: fail: 3 of 4 users (75.0 %) differ between v5 and v6: 3 differences"))
	})

	It("is no more of the groups than can be read, with how many there are, and what no group has", func() {
		groups := func(n int) string {
			t := stats.New(1)
			for i := range n {
				add(t, different(difference(int64(i), fmt.Sprintf("/Member%d", i))))
			}
			return printed(summary(t), false)
		}
		Expect(strings.Count(groups(20), "9.3/getUserAuth/values")).To(Equal(20))
		Expect(groups(20)).NotTo(ContainSubstring("others"))
		Expect(strings.Count(groups(23), "9.3/getUserAuth/values")).To(Equal(20))
		Expect(groups(23)).To(ContainSubstring("FAIL and 3 others, in " + filepath.Join("reports", "sweep.html")))
		Expect(groups(maxGroups + 4)).To(And(ContainSubstring("FAIL and 980 others"),
			ContainSubstring("and 4 findings of groups beyond the first 1,000; each is a line of findings.ndjson")))
	})

	DescribeTable("shows throttling and outages", func(traffic stats.Traffic, want string) {
		Expect(printed(summary(counted(equal()), func(s *stats.Summary) { s.Traffic = traffic }), false)).To(
			ContainSubstring(want))
	},
		Entry("throttling", stats.Traffic{Requests: 9, Throttled: 3}, "1 user, 9 requests, throttled 3 times"),
		Entry("one outage", stats.Traffic{Requests: 1, Outages: 1},
			"1 user, 1 request, left alone once without answers"),
		Entry("several", stats.Traffic{Outages: 2}, "left alone 2 times without answers"),
	)

	It("are the notes", func() {
		Expect(printed(summary(counted(equal()), func(s *stats.Summary) { s.Notes = []string{"one", "two"} }), false)).
			To(ContainSubstring("note: one\nnote: two\n"))
	})

	DescribeTable("has colour for the verdict only where it is wanted",
		func(code string, users []timedResults, changes ...func(*stats.Summary)) {
			s := summary(counted(users...), changes...)
			Expect(printed(s, false)).NotTo(ContainSubstring("\x1b"))
			coloured := printed(s, true)
			Expect(coloured).To(ContainSubstring("\x1b[" + code + ";1m" + string(s.Verdict)))
			Expect(coloured).NotTo(ContainSubstring("\x1b[0m\x1b"))
		},
		Entry("pass", "32", []timedResults{equal()}),
		Entry("inconclusive", "33", nil),
		Entry("fail", "31", []timedResults{different(difference(0, "/Flags"))}),
		Entry("error", "31", []timedResults{equal()}, failed),
	)

	It("moves no cursor, of whatever kind of summary", func() {
		for name, s := range everyKind() {
			text := printed(s, false)
			Expect(sanitize.PrintableLines(text)).To(Equal(text), name)
		}
	})
})
