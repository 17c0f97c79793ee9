package page_test

import (
	"errors"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// facts are those of a page's certificate by their names.
func facts(doc element) map[string]string {
	GinkgoHelper()
	all := map[string]string{}
	for _, fact := range foldedPart(doc, "data").tagged("div") {
		all[only(fact.tagged("dt")).text()] = only(fact.tagged("dd")).text()
	}
	return all
}

var _ = Describe("the page of a sweep", func() {
	DescribeTable("begins with the verdict, why, and what it proves",
		func(s func() *stats.Summary, verdict string, parts ...string) {
			doc := parsed(sweptPage(s()))
			certificate := under(doc, "verdict")
			Expect(strings.Fields(only(certificate.tagged("h1")).text())[1]).To(Equal(verdict))
			for _, part := range parts {
				Expect(certificate.text()).To(ContainSubstring(part))
			}
		},
		Entry("a pass", func() *stats.Summary { return allEqual(300) }, "pass",
			"All alike, and within the contract.", "Complete: every user of the population was checked.",
			"What it proves: it covers every one of the 300 users"),
		Entry("a failure", mixedSweep, "fail",
			"130 of 20,000 users (0.7 %) differ between v5 and v6: 130 differences; the contract is broken for 29 of 20,000 users (0.1 %): 29 findings."),
		Entry("one of a shard that has not ended", stoppedSweep, "error", "Stopped after ", "continue with --resume.",
			"Not complete: not every user of shard 3/16 was checked.", "only the 4,000 users checked so far"),
		Entry("one of a sample", func() *stats.Summary {
			s := allEqual(3000)
			s.Identity.Sample, s.Identity.Seed, s.Read.Users = 3000, 7, 1_000_000
			s.Conclude()
			return s
		}, "pass", "every user of the sample was checked", "fewer than 0.1% of them"),
		Entry("one that could not begin", func() *stats.Summary {
			return stats.Empty(report.Suite{}, ended, "no users\nfile")
		}, "error",
			"could not be carried out", "Why the sweep ended", "no users\nfile", "nothing, as no user was checked"),
		Entry("an empty sentence", func() *stats.Summary {
			s := allEqual(1)
			s.Reason, s.Proves = "", ""
			return s
		}, "pass"),
	)

	It("shows how many users were checked, when, how fast, and how the target coped", func() {
		s := mixedSweep()
		Expect(facts(parsed(sweptPage(s)))).To(Equal(map[string]string{
			"Users who differ":                      "130 of 20,000 (0.7 %)",
			"Users for whom the contract is broken": "29 of 20,000 (0.1 %)",
			"Target of v5":                          "https://old.example", "Target of v6": "https://new.example",
			"Users checked":            "20,000",
			"Population":               "20,000 users",
			"Digest of the population": "sha256:11", "Started": s.Started.Format(time.RFC3339),
			"Finished": "2026-06-15T12:00:00Z", "Time spent": "2m47s",
			"Users per second": "120", "Requests": "80,000", "Throttled: told to come again later": "1,203 times",
			"Pauses because the target was down":                             "once",
			"Sent again, as a kept connection was closed or the target down": "2 times", "Contract": "sha256:00",
			"Suite": "authenticator-conformance 0.0.0", "Commit": "0123abc", "Go": "go1.26", "Sweep": s.Sweep,
			"Digest of findings.ndjson without its last line": "sha256:22",
		}))
	})

	It("says how a sample was drawn", func() {
		s := allEqual(3000)
		s.Identity.Sample, s.Identity.Seed, s.Read.Users = 3000, 7, 1_000_000
		s.Conclude()
		Expect(facts(parsed(sweptPage(s)))).To(
			And(HaveKeyWithValue("Sample", "3,000 users, drawn at random with seed 7"),
				HaveKeyWithValue("Population", "1,000,000 users")))
	})

	It("folds the certificate's data below the outcomes, but on a pass, and explains its words", func() {
		for want, s := range map[bool]*stats.Summary{true: allEqual(10), false: mixedSweep()} {
			doc := parsed(sweptPage(s))
			_, open := attribute(foldedPart(doc, "data"), "open")
			Expect(open).To(Equal(want))
			Expect(words(foldedPart(doc, "legend").tagged("dt"))).To(
				ContainElements("≠ different", "✕ both-violate", "u17.2", "p50, p95, p99"))
		}
	})

	It("says of outcomes that nobody had only that", func() {
		rows := under(parsed(sweptPage(allEqual(10))), "outcomes").classed("nobody")
		Expect(words(rows)).To(HaveLen(6))
		Expect(words(rows)[0]).To(Equal("≈ equal-under-rule 00 %00 %"))
	})

	It("says once what was expected of all users of a group", func() {
		group := under(parsed(sweptPage(mixedSweep())), "findings").classed("group")[1]
		Expect(only(group.tagged("caption")).text()).To(
			Equal("10 users of 29, drawn at random. Expected: an ISO 8601 date-time in UTC with milliseconds"))
		Expect(words(group.tagged("thead"))).To(Equal([]string{"UserExchangeActual"}))
	})

	It("tells of merged shards how many they were, and adds up their time", func() {
		s := allEqual(1000)
		s.Shards = []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}
		s.Findings = ""
		doc := parsed(sweptPage(s))
		Expect(facts(doc)).To(And(HaveKeyWithValue("Merged shards", "2"),
			HaveKeyWithValue("Users per second of one shard, on average", "500"),
			HaveKeyWithValue("Time spent, by all shards together", "2s"),
			Not(HaveKey(ContainSubstring("findings.ndjson")))))
		Expect(under(doc, "time").text()).To(ContainSubstring("from its own beginning on"))
	})

	Describe("of a sweep that has not ended", func() {
		command := func(s *stats.Summary) string {
			GinkgoHelper()
			return only(under(parsed(sweptPage(s)), "resume").tagged("pre")).text()
		}

		It("shows the command that resumes it: with shard, seed and flags, quoted for a shell", func() {
			Expect(command(stoppedSweep())).To(
				Equal("conformance sweep --resume --seed 1 --shard 3/16 --users 'all users.csv'"))
			s := stoppedSweep()
			s.Identity.Shard, s.Identity.Sample, s.Identity.Seed = stats.Shard{Index: 1, Of: 1}, 5000, 7
			s.Settings[0].Value = `$(reboot)'"`
			Expect(command(s)).To(Equal(`conformance sweep --resume --sample 5000 --seed 7 --users '$(reboot)'"'"'"'`))
		})

		It("leaves out flags that can't be shown as they were", func() {
			s := stoppedSweep()
			s.Settings[0].Value = "a\u202eb"
			Expect(command(s)).To(Equal("conformance sweep --resume"))
		})

		It("shows no command if there is nothing to resume", func() {
			for _, s := range []*stats.Summary{allEqual(10), stats.Empty(report.Suite{}, ended, "no users file")} {
				Expect(sweptPage(s)).NotTo(ContainSubstring("How to go on"))
			}
		})
	})

	It("counts the users by outcome and operation, and says what each outcome means", func() {
		rows := words(under(parsed(sweptPage(mixedSweep())), "outcomes").tagged("tr"))
		Expect(rows).To(Equal([]string{
			"OutcomegetUserAuthSharefindByUserIdsShare",
			"✓ equal Both versions answer alike, within the contract.18,89994.5 %19,16895.8 %",
			"≈ equal-under-rule They differ only where a rule says that it does not count: a volatile place, one that is ignored, or an open point.3321.7 %3321.7 %",
			"∅ nothing-alike Both versions say in the same way that the user has no data.5002.5 %5002.5 %",
			"~ drift They differed, but no longer when the requests were repeated: something changed in between.150.1 %00 %",
			"≠ different They differ, also when the requests were repeated.1300.7 %00 %",
			"✕ both-violate They do not differ, and both break the contract.290.1 %00 %",
			"? not-comparable One version gave no answer, or the two answers can't be compared. Repair what the reason names, and sweep again.950.5 %00 %",
			"OutcomeOperationUsersReason",
			"? not-comparable getUserAuth95timeout of v6",
			"~ drift getUserAuth15what differed did not when it was read again",
			"≈ equal-under-rule getUserAuth332J15: volatile /Comment",
			"≈ equal-under-rule findByUserIds332parity.ignore /*",
		}))
	})

	It("never rounds one user in a million to 0 %, or all but one to 100 %", func() {
		s := allEqual(10)
		s.Tally.Users = 1_000_000
		s.Tally.Outcomes[schemas.GetUserAuth][stats.Equal].Count,
			s.Tally.Outcomes[schemas.GetUserAuth][stats.Different].Count = 999_999, 1
		text := strings.Join(words(under(parsed(sweptPage(s)), "outcomes").tagged("tr")), "\n")
		Expect(text).To(And(ContainSubstring("999,99999.9999 %"), ContainSubstring("10.0001 %")))
	})

	It("shows each group at its own anchor, the largest first, with a sample of its users", func() {
		doc := parsed(sweptPage(mixedSweep()))
		found := under(doc, "findings")
		Expect(found.text()).To(ContainSubstring(
			"130 differences between v5 and v6, 29 breaches of the contract, 22 findings waived, and 95 pairs of answers that could not be compared"))
		groups := found.classed("group")
		Expect(words(groups[0].tagged("summary"))).To(
			Equal([]string{"✗ fail 130 users 9.3/getUserAuth/values v5=v6: value at /IsLocked"}))
		Expect(words(groups[1].tagged("summary"))).To(
			Equal([]string{"✗ fail 29 users 2.1/CreatedOn v5: form at /*/CreatedOn"}))
		Expect(words(groups[1].classed("tally"))).To(
			Equal([]string{"getUserAuth, §2.1; 0.1 % of the users, 58 findings."}))
		Expect(words(groups[2].tagged("summary"))).To(
			Equal([]string{"W waived 22 users 2.1/Flags v6: not of its type: number at /Flags"}))
		Expect(words(groups[2].classed("tally"))[0]).To(HaveSuffix("a waiver sets them aside."))
		Expect(only(groups[0].tagged("caption")).text()).To(Equal("10 users of 130, drawn at random."))
		rows := only(groups[0].tagged("tbody")).tagged("tr")
		Expect(rows).To(HaveLen(10))
		Expect(words(rows[0].all(func(e element) bool { return e.Data == "th" || e.Data == "td" }))).To(ConsistOf(
			MatchRegexp(`^LOCAL\\user\d+ [0-9a-f]{8}-0000-4000-8000-000000000000$`), MatchRegexp(`^u\d+\.2$`),
			MatchRegexp(`^what v5 shows \(u\d+\.1\): 1$`), Equal("v6 shows: 2")))
		for i, g := range groups {
			Expect(g.Data).To(Equal("details"))
			Expect(only(g.classed("link")).value("href")).To(Equal("#" + g.value("id")))
			Expect(g.value("data-operation") + g.value("data-version") + g.value("data-kind")).NotTo(BeEmpty())
			_, open := attribute(g, "open")
			Expect(open).To(Equal(i == 0))
		}
	})

	It("says that a finding is of the whole answer, and that all users of a group are shown", func() {
		doc := parsed(sweptPage(sweepSummary(4, 1, func(i int64) []stats.Result {
			return []stats.Result{looked(stats.Different, "",
				foundFor(i, "9.3/getUserAuth/shape", schemas.Parity, "served", "")), looked(stats.Equal, "")}
		})))
		group := only(doc.classed("group"))
		Expect(words(group.tagged("summary"))).To(Equal(
			[]string{"✗ fail 4 users 9.3/getUserAuth/shape v5=v6: served, the whole answer"}))
		Expect(only(group.tagged("caption")).text()).To(Equal("All users who show it."))
	})

	It("shows ungrouped findings, notes, and the settings in effect", func() {
		s := mixedSweep()
		s.Tally.Ungrouped = 1234
		doc := parsed(sweptPage(s))
		Expect(under(doc, "findings").text()).To(ContainSubstring(
			"1,234 findings are of groups beyond these; each is a line of findings.ndjson."))
		Expect(words(under(doc, "notes").tagged("li"))).To(Equal(s.Notes))
		Expect(words(under(doc, "sweep").tagged("tr"))).To(
			ContainElements("usersall users.csvflag --users", "access tokensetenvironment AUTHN_ACCESS_TOKEN"))
		Expect(words(under(doc, "sweep").tagged("dt"))).To(ConsistOf("z.json", "a"))
	})

	It("names in its filter what the groups have", func() {
		doc := parsed(sweptPage(mixedSweep()))
		choices := map[string][]string{}
		for _, control := range only(doc.classed("filter")).tagged("select") {
			choices[control.value("id")] = words(control.tagged("option"))
		}
		Expect(choices).To(Equal(map[string][]string{
			"filter-operation": {"all", "getUserAuth"}, "filter-version": {"all", "v5", "v5=v6", "v6"},
			"filter-kind":    {"all", "form", "not of its type: number", "value"},
			"filter-verdict": {"all", "fail", "waived"},
		}))
	})

	It("returns the error of its writer", func() {
		Expect(page.WriteSweep(brokenPipe{}, allEqual(1))).To(MatchError("broken pipe"))
	})
})

// brokenPipe takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// attribute is the value of an attribute, if it is there.
func attribute(e element, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
