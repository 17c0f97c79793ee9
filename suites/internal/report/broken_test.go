package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("Print on one screen", func() {
	on := func(r *run.Run, result *report.Report, screen report.Screen) string {
		var b bytes.Buffer
		report.Print(&b, result, "d", screen)
		return b.String()
	}

	It("has the sentence of each broken requirement with a line for each cause, and a curl command for the first",
		func() {
			r := addAnswer(addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil), `{"ModeId":"y"}`, nil)
			text := on(r, closeRun(r, nil), report.Screen{})
			Expect(regexp.MustCompile(`(?m)^(FAIL|  -) .*`).FindAllString(text, -1)).To(HaveExactElements(
				"FAIL 2.1/Flags in v5: Flags, if present and not null, is an integer.",
				`  - 1 of 1 user, at /Flags: got "x", expected an integer`,
				"FAIL 2.1/ModeId in v5: ModeId, if present and not null, is a GUID string.",
				`  - 1 of 1 user, at /ModeId: got "y", expected a string that is a GUID`))
			Expect(strings.Count(text, "curl")).To(Equal(1))
			Expect(text).To(ContainSubstring("and 1 other finding: see d/report.html, or run with --all-findings"))
		})

	It("has one line where both versions break a requirement alike", func() {
		r := passEveryRow(readyRun())
		for _, v := range schemas.Versions() {
			outcome := check.Outcome{}
			outcome.Find(check.Finding{Probe: probeOf(r), Kind: "type", Pointer: "/Flags", Expected: "an integer",
				Actual: `"x"`})
			Expect(r.Ledger.Merge(ledger.Key{ID: "2.1/Flags", Version: v}, outcome)).To(Succeed())
		}
		Expect(on(r, closeRun(r, nil), report.Screen{})).To(ContainSubstring("FAIL 2.1/Flags in v5 and v6: "))
	})

	It("has twenty such lines, and counts the others", func() {
		r := passEveryRow(readyRun())
		broken := 0
		for _, row := range r.Ledger.Rows() {
			if broken < 25 && row.Version == schemas.V5 {
				outcome := check.Outcome{}
				outcome.Find(check.Finding{Probe: probeOf(r), Kind: "k", Expected: "e", Actual: "a"})
				Expect(r.Ledger.Merge(row.Key, outcome)).To(Succeed())
				broken++
			}
		}
		text := on(r, closeRun(r, nil), report.Screen{})
		Expect(strings.Count(text, "FAIL ")).To(Equal(21))
		Expect(text).To(ContainSubstring("FAIL and 5 others, in d/report.html"))
	})

	It("shows both requests of a difference", func() {
		r := passEveryRow(readyRun())
		outcome := check.Outcome{}
		outcome.Find(check.Finding{Probe: probeOf(r), Against: probeOf(r), Kind: "value", Pointer: "/Flags",
			Expected: check.Shown{Version: schemas.V5, Exchange: "e1",
				Value: json.Number("1")}, Actual: check.Shown{Version: schemas.V6, Value: json.Number("2")}})
		Expect(r.Ledger.Merge(ledger.Key{ID: "9.3/getUserAuth/values", Version: schemas.Parity}, outcome)).To(Succeed())
		text := on(r, closeRun(r, nil), report.Screen{})
		Expect(text).To(ContainSubstring("- at /Flags: v5 has 1, v6 has 2\n"))
		Expect(strings.Count(text, "curl")).To(Equal(2))
	})

	It("has every finding if all findings are asked for", func() {
		r := addAnswer(addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil), `{"Flags":"y"}`, nil)
		text := on(r, closeRun(r, nil), report.Screen{AllFindings: true})
		Expect(text).To(And(ContainSubstring("finding 1 of 2"), ContainSubstring("finding 2 of 2")))
	})

	It("has a line for each row that is waived or known, and counts them apart", func() {
		r := addAnswer(passEveryRow(readyRun(func(s *settings.Settings) {
			s.Waivers = []settings.Waiver{{Requirement: "2.1/Flags", Verdict: "fail", Reason: "ticket 17", Until: end}}
		})), `{"Flags":"x"}`, nil)
		text := on(r, closeRun(r, nil), report.Screen{})
		Expect(text).To(And(ContainSubstring("WAIVED 2.1/Flags v5: fail until 2026-06-15: ticket 17"),
			MatchRegexp(`§2\.1 Authenticator record +15 pass, 1 waived`),
			Not(ContainSubstring("FAIL ")), ContainSubstring(
				"verdict: pass (certifies nothing: 1 check waived (until 2026-06-15))")))

		r = addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil)
		result := closeRun(r, nil)
		for i := range result.Requirements {
			row := &result.Requirements[i]
			row.Known = row.Verdict == ledger.Fail
		}
		result.Judge()
		Expect(on(r, result, report.Screen{})).To(And(MatchRegexp(`§2\.1 Authenticator record +15 pass, 1 known`),
			Not(ContainSubstring("FAIL "))))
	})

	It("lists a difference between the versions with the failure at the same place, and not beside it", func() {
		r := addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil)
		outcome := check.Outcome{}
		for _, place := range []string{"/Flags", "/ModeType"} {
			for _, kind := range []string{"value", "representation"} {
				outcome.Find(check.Finding{Probe: probeOf(r), Against: probeOf(r), Kind: kind, Pointer: place,
					Expected: check.Shown{Version: schemas.V5, Exchange: "e1", Value: json.Number("1")},
					Actual:   check.Shown{Version: schemas.V6, Value: json.Number("2")}})
			}
		}
		Expect(r.Ledger.Merge(ledger.Key{ID: "9.3/getUserAuth/values", Version: schemas.Parity}, outcome)).To(Succeed())
		text := on(r, closeRun(r, nil), report.Screen{})
		Expect(regexp.MustCompile(`(?m)^(FAIL|  -) .*`).FindAllString(text, -1)).To(HaveExactElements(
			HavePrefix("FAIL 2.1/Flags in v5: "), HavePrefix("  - 1 of 1 user, at /Flags: "),
			"  - so v5 and v6 differ there: 9.3/getUserAuth/values",
			HavePrefix("FAIL 9.3/getUserAuth/values in v5=v6: "), "  - at /ModeType: v5 has 1, v6 has 2"))
	})

	It("breaks lines between words at the width of a terminal, cuts only the names in the table, and ends with the verdict",
		func() {
			r := addAnswer(addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil), `{"ModeId":"y"}`, nil)
			text := on(r, closeRun(r, nil), report.Screen{Width: 60})
			for line := range strings.Lines(text) {
				if !strings.Contains(line, "curl") {
					Expect(len([]rune(strings.TrimRight(line, "\n")))).To(BeNumerically("<=", 72), "%q", line)
				}
			}
			Expect(text).To(MatchRegexp(`(?m)^§5\.1 Authent.*… +2 pass`))
			Expect(text).To(MatchRegexp(`\nverdict: fail [^\n]*\n?[^\n]*\n$`))
		})

	It("offers a waiver for what no record showed, ready to be pasted", func() {
		r := addAnswer(readyRun(), `{"Flags":1}`, nil)
		text := on(r, closeRun(r, nil), report.Screen{})
		Expect(text).To(MatchRegexp(`  waivers:\n    - \{version: v5, verdict: inconclusive, reason: [^,]+, until: 2026-09-13,\n       requirement: \[2\.1/[^\]]*\]\}\n`))
	})

	DescribeTable("folds long sections if the log supports it",
		func(folds report.Folds, expected string) {
			r := addAnswer(readyRun(), `{"Flags":1}`, nil)
			Expect(on(r, closeRun(r, nil), report.Screen{Folds: folds})).To(MatchRegexp(expected))
		},
		Entry("GitHub", report.GitHub, `(?s)::group::What could not be decided\n.*INCONCLUSIVE.*::endgroup::\n`),
		Entry("GitLab", report.GitLab,
			`(?s)\x1b\[0Ksection_start:\d+:(\w+)\[collapsed=true\]\r\x1b\[0KWhat could not be decided\n.*INCONCLUSIVE.*\x1b\[0Ksection_end:\d+:\w+\r\x1b\[0K\n`),
	)

	It("is one screen", func() {
		r := passEveryRow(readyRun())
		for i := range 40 {
			addAnswer(r, fmt.Sprintf(`{"Flags":"%d","ModeId":"%d"}`, i, i), nil)
		}
		Expect(strings.Count(on(r, closeRun(r, nil), report.Screen{}), "\n")).To(BeNumerically("<", 30))
	})
})
