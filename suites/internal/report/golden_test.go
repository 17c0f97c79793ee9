package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// differenceAt is a finding of a row of parity.
func differenceAt(pointer, kind string) check.Finding {
	return check.Finding{Kind: kind, Pointer: pointer,
		Expected: check.Shown{Version: schemas.V5, Exchange: "e1", Value: json.Number("1")},
		Actual:   check.Shown{Version: schemas.V6, Value: json.Number("2")}}
}

// wrongFlags is a run whose first record has Flags of the wrong type, and whose second has a wrong ModeId.
func wrongFlags() *run.Run {
	return addAnswer(addAnswer(passedRun(), `{"Flags":"x"}`, nil), `{"ModeId":"y"}`, nil)
}

// divergingRun is a run in which v6 answers with another status, and in which a value was not compared.
func divergingRun() *run.Run {
	r := passedRun()
	for v, status := range map[schemas.Version]int{schemas.V5: 200, schemas.V6: 203} {
		p := probeOf(r)
		p.Version = v
		ex := &exchange.Exchange{Probe: p, Status: status, Body: []byte("[]")}
		Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
	}
	Expect(r.Ledger.Compare(schemas.GetUserAuth, probeOf(r).User, &check.Comparison{
		Pair: schemas.Pair{From: schemas.V5, To: schemas.V6},
		Conclusion: parity.Conclusion{
			Changes: []parity.Change{{Place: "/Comment", Pointer: "/Comment", From: true, To: true}}}})).To(Succeed())
	return r
}

// breakRows fails the first rows of v5.
func breakRows(r *run.Run, count int) *run.Run {
	for _, row := range r.Ledger.Rows() {
		if row.Version == schemas.V5 && count > 0 {
			addFindings(r, row.ID, row.Version, check.Finding{Kind: "k", Expected: "e", Actual: "a"})
			count--
		}
	}
	return r
}

// knownFailure is a report of which the only failure is known from the baseline.
func knownFailure() *report.Report {
	r := closeRun(addAnswer(passedRun(), `{"Flags":"x"}`, nil), nil)
	findRow(r, "2.1/Flags", schemas.V5).Known = true
	r.Judge()
	return r
}

var _ = Describe("A report", func() {
	DescribeTable("Is on a terminal and in junit.xml as its golden files say, and its report.json matches the schema",
		func(name string, isInJUnit bool, screen report.Screen, made func() *report.Report) {
			r := made()
			testkit.ExpectGolden(filepath.Join("testdata", name+".txt"),
				strings.ReplaceAll(printedOn(screen, r), "\x1b", "ESC"))
			jsonText(r)
			if isInJUnit {
				testkit.ExpectGolden(filepath.Join("testdata", name+".xml"), junitText(r))
			}
		},
		Entry("A run that passed", "passed", true, report.Screen{Colours: true},
			func() *report.Report { return closeRun(passedRun(), nil) }),
		Entry("A run that failed, with rows that nothing witnessed", "failed", true, report.Screen{AllFindings: true},
			func() *report.Report {
				return closeRun(addAnswer(readyRun(), `{"Flags":"x","Id":"y","ModeType":1}`, nil), nil)
			}),
		Entry("A run in which a failure is waived", "waived", true, report.Screen{}, func() *report.Report {
			return closeRun(addAnswer(passedRun(waiveVerdict("2.1/Flags", "fail", end)), `{"Flags":"x"}`, nil), nil)
		}),
		Entry("A run with a stale waiver", "stale", true, report.Screen{}, func() *report.Report {
			return closeRun(passedRun(waiveVerdict("2.1/Flags", "fail", end)), nil)
		}),
		Entry("A run that is inconclusive", "inconclusive", true, report.Screen{Colours: true},
			func() *report.Report { return closeRun(readyRun(), nil) }),
		Entry("A run that was narrowed", "narrowed", true, report.Screen{},
			func() *report.Report { return closeRun(selectRow(passedRun(), "2.1/Id"), nil) }),
		Entry("A run of what failed last", "last-failed", false, report.Screen{}, func() *report.Report {
			return closeRun(selectRow(passedRun(func(s *settings.Settings) {
				s.Effective = []settings.Effective{{Name: "what failed last", Value: "x", Source: "flag --last-failed"}}
			}), "2.1/Id"), nil)
		}),
		Entry("A run that broke off", "broken-off", true, report.Screen{Colours: true}, func() *report.Report {
			return closeRun(passedRun(), errors.New("the target stopped answering"))
		}),
		Entry("A run that broke off after a failure", "broken-off-later", false, report.Screen{},
			func() *report.Report {
				return closeRun(addAnswer(passedRun(), `{"Flags":"x"}`, nil), errors.New("interrupted"))
			}),
		Entry("A run that has not ended", "unfinished", true, report.Screen{},
			func() *report.Report { return report.Unfinished(testkit.Contract().Digest, end) }),
		Entry("A run that could not begin", "failed-to-begin", true, report.Screen{}, func() *report.Report {
			return report.Failed(testkit.Contract().Digest, end, end, "no users file")
		}),
		Entry("A run of v5 alone", "v5", false, report.Screen{}, func() *report.Report {
			return closeRun(passedRun(func(s *settings.Settings) { s.Versions = []schemas.Version{schemas.V5} }), nil)
		}),
		Entry("A run with a failure that is known", "known", false, report.Screen{}, knownFailure),
		Entry("Two failures, with a curl command for the first, at the width of a terminal", "two-failures", false,
			report.Screen{Width: 60}, func() *report.Report { return closeRun(wrongFlags(), nil) }),
		Entry("Two failures in colours", "colours", false, report.Screen{Colours: true},
			func() *report.Report { return closeRun(addAnswer(wrongFlags(), `{"Flags":"z"}`, nil), nil) }),
		Entry("A failure of two causes, with an example of each", "two-causes", false, report.Screen{},
			func() *report.Report {
				return closeRun(addAnswer(addAnswer(passedRun(), `{"Flags":"x"}`, nil), `{"Flags":[1]}`, nil), nil)
			}),
		Entry("Answers that say that there is nothing, and one to a user whom the target does not know", "nothing",
			false,
			report.Screen{}, func() *report.Report {
				r := addAnswer(addAnswer(readyRun(), "null", nil), "", nil)
				ex := &exchange.Exchange{Probe: probeOf(r), Status: 404, Body: []byte("The request is invalid.")}
				Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
				return closeRun(r, nil)
			}),
		Entry("A failure of both versions in one line", "both-versions", false, report.Screen{}, func() *report.Report {
			r, f := passedRun(), check.Finding{Kind: "type", Pointer: "/Flags", Expected: "an integer", Actual: `"x"`}
			return closeRun(addFindings(addFindings(r, "2.1/Flags", schemas.V5, f), "2.1/Flags", schemas.V6, f), nil)
		}),
		Entry("More failures than are listed", "many-failures", false, report.Screen{},
			func() *report.Report { return closeRun(breakRows(passedRun(), 25), nil) }),
		Entry("A difference between the versions, with both requests", "difference", false, report.Screen{},
			func() *report.Report {
				return closeRun(addFindings(passedRun(), "9.3/getUserAuth/values", schemas.Parity,
					differenceAt("/Flags", "value")), nil)
			}),
		Entry("A difference at the place of a failure, beside one at another", "difference-and-failure", false,
			report.Screen{}, func() *report.Report {
				return closeRun(addFindings(addAnswer(passedRun(), `{"Flags":"x"}`, nil), "9.3/getUserAuth/values",
					schemas.Parity, differenceAt("/Flags", "value"), differenceAt("/Flags", "representation"),
					differenceAt("/ModeType", "value"), differenceAt("/ModeType", "representation")), nil)
			}),
		Entry("Versions that diverge, and what was not compared", "diverging", false, report.Screen{},
			func() *report.Report { return closeRun(divergingRun(), nil) }),
	)

	It("Explains rows with all that is needed to understand and repeat them", func() {
		var text strings.Builder
		explain := func(r *run.Run, id string, v schemas.Version) {
			fmt.Fprintf(&text, "%s\n\n", findRow(closeRun(r, nil), id, v).Explain())
		}
		explain(addAnswer(addAnswer(readyRun(), `{"Flags":"x"}`, nil), `{"Flags":"y"}`, nil), "2.1/Flags", schemas.V5)
		explain(addAnswer(readyRun(), `{"flags":1,"ModeType":1}`, nil), "2.1/Flags", schemas.V5)
		explain(addAnswer(readyRun(), `null`, nil), "4/getUserAuth/served", schemas.V5)
		explain(addAnswer(passedRun(waiveVerdict("2.1/Flags", "fail", end)), `{"Flags":"x"}`, nil), "2.1/Flags",
			schemas.V5)
		differences := []check.Finding{{Kind: "representation", Pointer: "/3/Id", Expected: "a", Actual: "b"}}
		for range 10 {
			differences = append(differences, differenceAt("/CreatedBy", "value"))
		}
		explain(addFindings(readyRun(), "9.3/getUserAuth/values", schemas.Parity, differences...),
			"9.3/getUserAuth/values", schemas.Parity)
		const other = "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a"
		explain(addLists(readyRun(), "u-1001: "+guid+" "+other+" | "+guid, "u-1002: "+other+" | "+other), "4.2/user",
			schemas.V5)
		explain(addLists(addAnswer(readyRun(), `{"Id":"`+guid+`"}`, nil), "u-1002 has "+other, "u-1002: "+guid),
			"4.2/user",
			schemas.V5)
		explain(addLists(readyRun(), "u-1001: "+guid, "u-1002: "+guid, "u-1003: "+other), "4.2/user", schemas.V5)
		explain(addLists(readyRun(), "u-1001: "+guid), "4.2/user", schemas.V5)
		Expect(text.String()).NotTo(ContainSubstring(token))
		testkit.ExpectGolden(filepath.Join("testdata", "explained.txt"), text.String())
	})

	It("Has in report.json what other programs rely on", func() {
		var members map[string]any
		r := addAnswer(passedRun(waiveVerdict("2.1/Id", "fail", end)), `{"Flags":"x","Id":"y"}`, nil)
		Expect(json.Unmarshal([]byte(jsonText(closeRun(r, nil))), &members)).To(Succeed())
		suite := members["suite"].(map[string]any)
		Expect(suite["files"]).To(And(HaveKey("authenticator.schema.json"), HaveKey("requirements.yaml"),
			HaveEach(MatchRegexp("^sha256:[0-9a-f]{64}$"))))
		Expect([]any{suite["name"], suite["version"], suite["contract"]}).To(
			Equal([]any{report.Name, report.Version, r.Contract.Digest}))
		Expect([]int{len(members["requirements"].([]any)), len(members["observations"].([]any)),
			len(members["excluded"].([]any))}).To(
			Equal([]int{len(r.Ledger.Rows()), len(r.Ledger.Observations()), len(r.Ledger.Excluded())}))
		rows := []any{}
		for _, row := range members["requirements"].([]any) {
			if row := row.(map[string]any); row["verdict"] != "pass" || row["id"] == "4.1/user" {
				rows = append(rows, row)
			}
		}
		members["requirements"] = rows
		for _, name := range []string{"suite", "observations", "excluded", "run"} {
			delete(members, name)
		}
		text := strings.ReplaceAll(string(testkit.Must(json.MarshalIndent(members, "", "  "))), r.Contract.Digest,
			"$contract")
		testkit.ExpectGolden(filepath.Join("testdata", "report.json"), text+"\n")
	})

	It("Offers a waiver for what no record showed, ready to be pasted", func() {
		Expect(printedOn(report.Screen{}, closeRun(addAnswer(readyRun(), `{"Flags":1}`, nil), nil))).To(MatchRegexp(
			`  waivers:\n    - \{version: v5, verdict: inconclusive, reason: [^,]+, until: 2026-09-13,\n` +
				`       requirement: \[2\.1/[^\]]*\]\}\n`))
	})

	DescribeTable("Folds long sections if the log supports it", func(folds report.Folds, expected string) {
		Expect(printedOn(report.Screen{Folds: folds}, closeRun(addAnswer(readyRun(), `{"Flags":1}`, nil), nil))).To(
			MatchRegexp(expected))
	},
		Entry("GitHub", report.GitHub, `(?s)::group::What could not be decided\n.*INCONCLUSIVE.*::endgroup::\n`),
		Entry("GitLab", report.GitLab, `(?s)\x1b\[0Ksection_start:\d+:(\w+)\[collapsed=true\]\r`+
			`\x1b\[0KWhat could not be decided\n.*INCONCLUSIVE.*\x1b\[0Ksection_end:\d+:\w+\r\x1b\[0K\n`),
	)

	It("Says of each reason for which a row is inconclusive what it means", func() {
		for _, reason := range []ledger.Reason{ledger.NoWitness, ledger.NotServed, ledger.NoControl,
			ledger.NotComparable, ledger.NotRun} {
			Expect((&report.Row{Reason: &reason}).Why()).To(MatchRegexp("^%s: .{20}", reason))
		}
	})

	It("Keeps fifty findings of a hundred, and counts all", func() {
		r := closeRun(addFindings(passedRun(), "2.1/Id", schemas.V5, make([]check.Finding, 100)...), nil)
		row := findRow(r, "2.1/Id", schemas.V5)
		Expect([]int{row.FindingCount, len(row.Findings), len(row.Causes), row.Causes[0].Count}).To(
			Equal([]int{100, 50, 1, 100}))
		Expect(row.Explain()).To(ContainSubstring("and 50 more findings"))
		Expect(strings.Count(printedOn(report.Screen{}, r), "\n")).To(BeNumerically("<", 30), "it is one screen")
		failure := casesByName(parseJUnit(junitText(r)))["v5 2.1/Id"].Failure
		Expect(failure.Data).To(ContainSubstring(", 100 times, for example getUserAuth of v5"))
		Expect(strings.Count(failure.Data, "curl")).To(Equal(1))
	})
})
