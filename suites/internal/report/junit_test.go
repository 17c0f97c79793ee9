package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// The parts of JUnit's format that its readers rely on.
type (
	suites struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Suites   []suite `xml:"testsuite"`
	}
	suite struct {
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []testcase `xml:"testcase"`
		About     []property `xml:"properties>property"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testcase struct {
		Name    string  `xml:"name,attr"`
		Class   string  `xml:"classname,attr"`
		Time    string  `xml:"time,attr"`
		Failure *result `xml:"failure"`
		Error   *result `xml:"error"`
		Skipped *result `xml:"skipped"`
	}
	result struct {
		Message string `xml:"message,attr"`
		Data    string `xml:",chardata"`
	}
)

// parseJUnit reads a junit.xml to its end, as strictly as its readers do.
func parseJUnit(text string) suites {
	GinkgoHelper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		Expect(err).NotTo(HaveOccurred(), "at %d of %q", decoder.InputOffset(), text)
	}
	var all suites
	Expect(xml.Unmarshal([]byte(text), &all)).To(Succeed())
	return all
}

// casesByName are all of them, by name; their names must be unique.
func casesByName(all suites) map[string]testcase {
	GinkgoHelper()
	byName := map[string]testcase{}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			Expect(byName).NotTo(HaveKey(c.Name))
			byName[c.Name] = c
		}
	}
	return byName
}

func junitOf(r *report.Report) (suites, map[string]testcase) {
	GinkgoHelper()
	all := parseJUnit(writeFiles(r)["junit.xml"])
	return all, casesByName(all)
}

// waivingFlags is a run that waives 2.1/Flags of v5.
func waivingFlags() *run.Run {
	return passEveryRow(readyRun(func(s *settings.Settings) {
		s.Waivers = []settings.Waiver{{Requirement: "2.1/Flags", Version: schemas.V5, Verdict: "fail",
			Reason: "ticket 17", Until: end}}
	}))
}

var _ = Describe("junit.xml", func() {
	DescribeTable("is as its golden file says", func(name string, made func() *report.Report) {
		testkit.ExpectGolden(filepath.Join("testdata", name+".xml"), writeFiles(made())["junit.xml"])
	},
		Entry("of a run that passed", "passed", func() *report.Report {
			return closeRun(passEveryRow(readyRun()), nil)
		}),
		Entry("of a run that failed, with rows that nothing witnessed", "failed", func() *report.Report {
			return closeRun(addAnswer(readyRun(), `{"Flags":"x","Id":"y","ModeType":1}`, nil), nil)
		}),
		Entry("of a run in which a failure is waived", "waived", func() *report.Report {
			return closeRun(addAnswer(waivingFlags(), `{"Flags":"x"}`, nil), nil)
		}),
		Entry("of a run with a stale waiver", "stale", func() *report.Report { return closeRun(waivingFlags(), nil) }),
		Entry("of a run that is inconclusive", "inconclusive", func() *report.Report {
			return closeRun(readyRun(), nil)
		}),
		Entry("of a run that was narrowed", "narrowed", func() *report.Report {
			r := passEveryRow(readyRun())
			r.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V5}: true})
			return closeRun(r, nil)
		}),
		Entry("of a run that broke off", "broken-off", func() *report.Report {
			return closeRun(passEveryRow(readyRun()), errors.New("the target stopped answering"))
		}),
		Entry("of a run that has not ended", "unfinished", func() *report.Report {
			return report.Unfinished(readyRun().Contract.Digest, end)
		}),
		Entry("of a run that could not begin", "failed-to-begin", func() *report.Report {
			return report.Failed(readyRun().Contract.Digest, end, end, "no users file")
		}),
	)

	It("counts in its attributes what it holds, suite by suite, and names each suite once", func() {
		r := addAnswer(readyRun(), `{"Flags":"x","Id":"y","ModeType":1}`, nil)
		all, _ := junitOf(closeRun(r, nil))
		names := map[string]int{}
		var total suite
		for _, s := range all.Suites {
			names[s.Name]++
			var counted suite
			for _, c := range s.Cases {
				counted.Tests++
				if c.Failure != nil {
					counted.Failures++
				}
				if c.Error != nil {
					counted.Errors++
				}
				if c.Skipped != nil {
					counted.Skipped++
				}
			}
			Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(
				Equal([]int{counted.Tests, counted.Failures, counted.Errors, counted.Skipped}), s.Name)
			total.Tests, total.Failures, total.Skipped, total.Errors = total.Tests+s.Tests, total.Failures+s.Failures,
				total.Skipped+s.Skipped, total.Errors+s.Errors
		}
		Expect(names).To(HaveEach(1))
		Expect([]int{all.Tests, all.Failures, all.Errors, all.Skipped}).To(
			Equal([]int{total.Tests, total.Failures, total.Errors, total.Skipped}))
		Expect(all.Failures).To(Equal(3), "two rows and the run")
	})

	It("describes each cause once, however many findings it has", func() {
		r := passEveryRow(readyRun())
		outcome := check.Outcome{}
		for range 70 {
			outcome.Find(check.Finding{Probe: probeOf(r), Kind: "k", Expected: "x", Actual: "y"})
		}
		Expect(r.Ledger.Merge(ledger.Key{ID: "2.1/Id", Version: schemas.V5}, outcome)).To(Succeed())
		_, byName := junitOf(closeRun(r, nil))
		Expect(byName["v5 2.1/Id"].Failure.Data).To(ContainSubstring("\n\nk, 70 times, for example getUserAuth of v5"))
		Expect(strings.Count(byName["v5 2.1/Id"].Failure.Data, "curl")).To(Equal(1))
	})

	It("repeats the message in each element's content, because GitLab shows only the content", func() {
		r := addAnswer(passEveryRow(readyRun(func(s *settings.Settings) {
			s.Waivers = []settings.Waiver{{Requirement: "2.1/Id", Version: schemas.V5, Verdict: "fail",
				Reason: "ticket 17", Until: end}}
		})), `{"Flags":"x","Id":"y","IsLocked":1,"created_on":"x"}`, nil)
		failing := closeRun(r, nil)
		inReport(failing, "2.1/IsLocked", schemas.V5).Known = true
		for _, made := range []*report.Report{failing, closeRun(readyRun(), nil),
			closeRun(passEveryRow(readyRun()), errors.New("broken off")), report.Unfinished(readyRun().Contract.Digest,
				end)} {
			_, byName := junitOf(made)
			for _, c := range byName {
				for _, reportedTo := range []*result{c.Failure, c.Error, c.Skipped} {
					if reportedTo != nil {
						Expect(reportedTo.Message).NotTo(BeEmpty(), c.Name)
						Expect(reportedTo.Data).To(ContainSubstring(reportedTo.Message), c.Name)
					}
				}
			}
		}
		_, byName := junitOf(failing)
		Expect(byName["the run"].Failure.Data).To(And(
			ContainSubstring("\nFAIL 2.1/Flags in v5: Flags, if present and not null, is an integer.; 1 of 1 user, at /Flags"), Not(ContainSubstring("2.1/Id")),
			Not(ContainSubstring("2.1/IsLocked"))), "what is waived or known does not fail the run")
		_, byName = junitOf(closeRun(addAnswer(readyRun(), `{"Flags":1,"created_on":"x"}`, nil), nil))
		Expect(byName["v5 2.1/CreatedOn"].Skipped.Data).To(ContainSubstring(`"created_on" was seen`), "notes too")
	})

	It("says of each case what readers look for", func() {
		all, byName := junitOf(closeRun(addAnswer(readyRun(), `{"Flags":"2019-03-06T21:00:21.51Z"}`, nil), nil))
		for _, c := range byName {
			Expect(strconv.ParseFloat(c.Time, 64)).To(BeNumerically(">=", 0), "none is no number to some of them")
			parts := strings.Split(c.Class, ".")
			// A reader for GitHub looks for the line of a failure so, and would take the seconds of a time for one.
			line := regexp.MustCompile(` [^ ]*` + regexp.QuoteMeta(parts[len(parts)-1]) + `.*?:\d+`)
			if c.Failure != nil {
				Expect(line.FindString(c.Failure.Data)).To(BeEmpty())
			}
		}
		Expect(byName["v5 2.1/Flags"].Class).To(Equal(report.Name+".§2-1 Authenticator record"),
			"Jenkins makes a tree of it")
		Expect(byName["the run"].Time).To(Equal("1.500"))
		Expect([]string{all.Suites[0].Name, all.Suites[0].Timestamp}).To(
			Equal([]string{"§2.1 Authenticator record", "2026-06-15T11:59:58"}))
		Expect(all.Suites[len(all.Suites)-1].About).To(ContainElements(
			property{"verdict", "fail"}, property{"complete", "true"}, property{"contract", readyRun().Contract.Digest},
			property{"target v5", "https://target.example/prefix"}))
	})

	It("has no text that GitHub would refuse for its length, and says how much is left out", func() {
		made := closeRun(addAnswer(passEveryRow(readyRun()), `{"Flags":"x"}`, nil), nil)
		row := inReport(made, "2.1/Flags", schemas.V5)
		row.Causes = nil
		for i := range 1000 {
			row.Causes = append(row.Causes, report.Cause{Kind: fmt.Sprint(i), Count: 1,
				Example: strings.Repeat("m", 5000)})
		}
		made.Gate = &report.Gate{Stale: make([]report.Entry, 10_000)}
		_, byName := junitOf(made)
		failure := byName["v5 2.1/Flags"].Failure
		Expect(len(failure.Data)).To(And(BeNumerically("<", 64_000), BeNumerically(">", 50_000)))
		Expect(failure.Data).To(MatchRegexp(`\nand 98\d more$`))
		Expect(len(failure.Message)).To(BeNumerically("<", 5000))
		Expect(len(byName["the run"].Failure.Data)).To(BeNumerically("<", 64_000))
		Expect(byName["the run"].Failure.Data).To(MatchRegexp(`\nand \d+ more$`))

		_, byName = junitOf(report.Failed(made.Suite.Contract, end, end, strings.Repeat("a line\n", 50_000)))
		Expect(len(byName["the run"].Error.Data)).To(BeNumerically("<", 64_000))
	})

	It("has no output of a case: GitLab would take a text in it for a file to link to", func() {
		Expect(writeFiles(closeRun(hostileRun(), nil))["junit.xml"]).NotTo(
			Or(ContainSubstring("system-out"), ContainSubstring("system-err")))
	})

	DescribeTable("stays valid XML with any text",
		func(text string) {
			_, byName := junitOf(report.Failed("sha256:"+strings.Repeat("0", 64), end, end, text))
			problem := byName["the run"].Error
			Expect(problem).NotTo(BeNil())
			for _, part := range []string{problem.Message, problem.Data} {
				Expect(strings.ContainsFunc(part,
					func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })).To(
					BeFalse(), "%q", part)
			}
		},
		Entry("the end of a CDATA section", "a ]]> b ]]]]><![CDATA[> c"),
		Entry("markup", `<a href="x">&amp;'</a>`),
		Entry("control characters", "a \x1b[31m \x00 \x07 \x7f \u0085 b"),
		Entry("bytes that are not UTF-8", "a \xff\xfe b"),
		Entry("what XML does not allow", "a \ufffe \uffff b"),
		Entry("line breaks", "first\nsecond\r\nthird"),
	)
})
