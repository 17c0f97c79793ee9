package report_test

import (
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("report.json", func() {
	DescribeTable("matches its schema, however the run ended",
		func(make func() *report.Report, verdict string, complete bool) {
			members := decodeValid(writeFiles(make())["report.json"])
			Expect(members["verdict"]).To(Equal(verdict))
			Expect(members["complete"]).To(Equal(complete))
			if verdict == "error" {
				Expect(members["error"]).NotTo(BeEmpty())
			} else {
				Expect(members["error"]).To(BeNil())
			}
		},
		Entry("it passed", func() *report.Report { return closeRun(passEveryRow(readyRun()), nil) }, "pass", true),
		Entry("nothing was seen", func() *report.Report { return closeRun(readyRun(), nil) }, "inconclusive", true),
		Entry("it failed", func() *report.Report {
			return closeRun(addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil), nil)
		}, "fail", true),
		Entry("it was cut off", func() *report.Report {
			return closeRun(addAnswer(readyRun(), `{"Flags":1}`, nil), errors.New("interrupted"))
		}, "error", false),
		Entry("it was cut off after all had passed",
			func() *report.Report {
				return closeRun(passEveryRow(readyRun()),
					errors.New("interrupted"))
			}, "error", false),
		Entry("v5 alone", func() *report.Report {
			return closeRun(passEveryRow(readyRun(func(s *settings.Settings) { s.Versions = []schemas.Version{schemas.V5} })),
				nil)
		}, "pass", true),
		Entry("a filter left rows out", func() *report.Report {
			r := passEveryRow(readyRun())
			r.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V5}: true})
			return closeRun(r, nil)
		}, "pass", false),
		Entry("unfinished", func() *report.Report { return report.Unfinished(readyRun().Contract.Digest, end) },
			"error", false),
		Entry("it could not begin", func() *report.Report {
			return report.Failed(readyRun().Contract.Digest, end, end, "--rate: expected a number")
		}, "error", false),
	)

	It("has what other programs rely on", func() {
		r := addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil)
		members := decodeValid(writeFiles(closeRun(r, nil))["report.json"])
		Expect(members["format"]).To(Equal("1.3"))
		Expect(members["suite"]).To(And(HaveKeyWithValue("name", report.Name),
			HaveKeyWithValue("version", report.Version), HaveKeyWithValue("contract", r.Contract.Digest)))
		Expect(members["suite"]).To(HaveKeyWithValue("files",
			And(HaveKey("authenticator.schema.json"), HaveKey("requirements.yaml"),
				HaveEach(MatchRegexp("^sha256:[0-9a-f]{64}$")))))
		Expect(members["target"]).To(Equal(map[string]any{"v5": "https://target.example/prefix",
			"v6": "https://target.example/prefix"}))
		Expect(members["versions"]).To(Equal([]any{"v5", "v6"}))
		Expect(members["users"]).To(HaveKeyWithValue("count", float64(len(r.Settings.Users))))
		Expect(members["judgedAgain"]).To(BeNil())
		Expect(members["finished"]).To(Equal("2026-06-15T12:00:00Z"))
		Expect(members["volatile"]).To(Equal([]any{}))
		Expect(members["counts"]).To(And(HaveKeyWithValue("requests", 0.0), HaveKeyWithValue("throttled", 0.0)))

		for _, item := range members["requirements"].([]any) {
			row := item.(map[string]any)
			Expect(row["reason"]).To(BeNil())
			if row["id"] != "2.1/Flags" || row["version"] != "v5" {
				continue
			}
			Expect(row["verdict"]).To(Equal("fail"))
			Expect(row["section"]).To(Equal("2.1"))
			Expect(row["operation"]).To(Equal("getUserAuth"))
			Expect(row["findingCount"]).To(Equal(1.0))
			finding := row["findings"].([]any)[0].(map[string]any)
			Expect(finding["exchange"]).To(Equal("e17"))
			Expect(finding["pointer"]).To(Equal("/Flags"))
			Expect(finding["expected"]).To(ContainSubstring("integer"))
			Expect(finding["actual"]).To(ContainSubstring(`"x"`))
			Expect(finding["message"]).To(And(ContainSubstring("getUserAuth"), ContainSubstring("v5"),
				ContainSubstring("u-1001"), ContainSubstring("the first one"),
				ContainSubstring("e17"), ContainSubstring("/Flags"), ContainSubstring("expected"),
				ContainSubstring("integer")))
			Expect(finding["repeat"]).To(And(ContainSubstring("curl"), ContainSubstring("$AUTHN_ACCESS_TOKEN"),
				ContainSubstring("/prefix/api/v5/authenticator/getUserAuth")))
		}
	})

	It("lists each row of the run once, and each open point, and what can't be observed", func() {
		r := passEveryRow(readyRun())
		result := closeRun(r, nil)
		Expect(result.Requirements).To(HaveLen(len(r.Ledger.Rows())))
		Expect(result.Observations).To(HaveLen(len(r.Ledger.Observations())))
		Expect(result.Excluded).To(HaveLen(len(r.Ledger.Excluded())))
		for _, excluded := range result.Excluded {
			Expect(excluded.Reason).NotTo(BeEmpty())
		}
	})

	It("says why a row is inconclusive, and of the others that there is no reason", func() {
		result := closeRun(addAnswer(readyRun(), `{"Flags":1}`, nil), nil)
		Expect(inReport(result, "2.1/Id", schemas.V5).Reason).To(HaveValue(Equal(ledger.NoWitness)))
		Expect(inReport(result, "2.1/Id", schemas.V6).Reason).To(HaveValue(Equal(ledger.NotServed)))
		Expect(inReport(result, "2.1/Flags", schemas.V5).Reason).To(BeNil())
	})

	It("notes that the target may not know a user whom no version served", func() {
		r := readyRun()
		addAnswer(r, `null`, nil)
		result := closeRun(r, nil)
		Expect(inReport(result, "4/getUserAuth/served", schemas.V5).Findings[0].Message).To(
			ContainSubstring("perhaps the target does not know the user"))
	})
})

var _ = Describe("The verdict of a run", func() {
	// a run whose rows all pass but for 2.1/Id of v5: f fails it, i leaves it open, n was left out by a filter.
	state := func(state string, change ...func(*settings.Settings)) *run.Run {
		r := passEveryRow(readyRun(change...))
		switch state {
		case "f":
			addAnswer(r, `{"Id":1}`, nil)
		case "i":
			findRow(r, "2.1/Id", schemas.V5).Witnesses = 0
		case "n":
			keys := map[ledger.Key]bool{}
			for _, row := range r.Ledger.Rows() {
				keys[row.Key] = row.ID != "2.1/Id"
			}
			r.Select(keys)
		}
		return r
	}
	waived := func(verdict string, until time.Time) func(*settings.Settings) {
		return func(s *settings.Settings) {
			s.Waivers = []settings.Waiver{{Requirement: "2.1/Id", Verdict: verdict, Reason: "the owner knows",
				Until: until, Where: "conformance.yaml:7"}}
		}
	}
	DescribeTable("follows from its rows and waivers (DESIGN section 3)",
		func(make func() *run.Run, err error, verdict ledger.Verdict) {
			Expect(closeRun(make(), err).Verdict).To(Equal(verdict))
		},
		Entry("all pass", func() *run.Run { return state("") }, nil, ledger.Pass),
		Entry("one fails", func() *run.Run { return state("f") }, nil, ledger.Fail),
		Entry("one is open", func() *run.Run { return state("i") }, nil, ledger.Inconclusive),
		Entry("one was left out", func() *run.Run { return state("n") }, nil, ledger.Pass),
		Entry("none was witnessed", func() *run.Run { return readyRun() }, nil, ledger.Inconclusive),
		Entry("all pass, but the run could not be carried out", func() *run.Run { return state("") },
			errors.New("interrupted"), ledger.Fault),
		Entry("a failure that is waived", func() *run.Run { return state("f", waived("fail", end)) }, nil, ledger.Pass),
		Entry("a failure that was waived until yesterday",
			func() *run.Run { return state("f", waived("fail", end.AddDate(0, 0, -1).Truncate(24*time.Hour))) }, nil,
			ledger.Fail),
		Entry("an open row that is waived", func() *run.Run { return state("i", waived("inconclusive", end)) }, nil,
			ledger.Pass),
		Entry("an open row whose waiver is of failures, and passes in v6: stale there",
			func() *run.Run { return state("i", waived("fail", end)) }, nil, ledger.Fail),
		Entry("a waiver of a failure that passes is stale", func() *run.Run { return state("", waived("fail", end)) },
			nil, ledger.Fail),
	)

	It("is inconclusive where only what was left out passes", func() {
		r := passEveryRow(readyRun())
		r.Select(map[ledger.Key]bool{{ID: "open/2/flags", Version: schemas.V5}: true})
		result := closeRun(r, nil)
		Expect(result.Verdict).To(Equal(ledger.Inconclusive))
		Expect(result.Complete).To(BeFalse())
	})

	It("shows waivers with their reason and date", func() {
		result := closeRun(state("f", waived("fail", end)), nil)
		Expect(inReport(result, "2.1/Id", schemas.V5).Waiver).To(
			Equal(&report.Waiver{Reason: "the owner knows", Until: "2026-06-15"}))
		Expect(inReport(result, "2.1/Id", schemas.V5).Verdict).To(Equal(ledger.Fail), "the row's own verdict stays")
		Expect(inReport(result, "2.1/Id", schemas.V6).Waiver).To(BeNil())
	})

	It("names waivers that are stale, past or without use", func() {
		Expect(closeRun(state("", waived("fail", end)), nil).Stale).To(
			HaveExactElements(And(ContainSubstring("2.1/Id"), ContainSubstring("conformance.yaml:7"))))
		Expect(closeRun(state("", waived("inconclusive", end)), nil).Notes).To(HaveLen(1))
		Expect(closeRun(state("f", waived("fail", end.AddDate(-1, 0, 0))), nil).Notes).To(
			HaveExactElements(ContainSubstring("2025-06-15")))
	})

	It("of one hundred findings keeps fifty and counts all", func() {
		r := passEveryRow(readyRun())
		outcome := check.Outcome{}
		for range 100 {
			outcome.Find(check.Finding{Probe: probeOf(r), Kind: "k", Expected: "x", Actual: "y"})
		}
		Expect(r.Ledger.Merge(ledger.Key{ID: "2.1/Id", Version: schemas.V5}, outcome)).To(Succeed())
		found := inReport(closeRun(r, nil), "2.1/Id", schemas.V5)
		Expect(found.FindingCount).To(Equal(100))
		Expect(found.Findings).To(HaveLen(50))
		Expect(found.Causes).To(HaveLen(1))
		Expect(found.Causes[0].Count).To(Equal(100))
	})
})
