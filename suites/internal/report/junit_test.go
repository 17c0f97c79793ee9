package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
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

// reportedTo lists what a case has of failure, error and skip.
func (c testcase) reportedTo() (list []*result) {
	for _, r := range []*result{c.Failure, c.Error, c.Skipped} {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}

var _ = Describe("junit.xml", func() {
	It("Counts in its attributes what it holds, suite by suite, and names each suite once", func() {
		r := addAnswer(readyRun(), `{"Flags":"x","Id":"y","ModeType":1}`, nil)
		all := parseJUnit(junitText(closeRun(r, nil)))
		names, total := map[string]int{}, [4]int{}
		for _, s := range all.Suites {
			names[s.Name]++
			counted := [4]int{}
			for _, c := range s.Cases {
				counted[0]++
				for i, r := range []*result{c.Failure, c.Error, c.Skipped} {
					if r != nil {
						counted[i+1]++
					}
				}
			}
			Expect([4]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(Equal(counted), s.Name)
			for i, n := range counted {
				total[i] += n
			}
		}
		Expect(names).To(HaveEach(1))
		Expect([4]int{all.Tests, all.Failures, all.Errors, all.Skipped}).To(Equal(total))
		Expect(all.Failures).To(Equal(3), "two rows and the run")
	})

	It("Repeats the message in each element's content, because GitLab shows only the content", func() {
		r := addAnswer(passedRun(waiveVerdict("2.1/Id", "fail", end)),
			`{"Flags":"2019-03-06T21:00:21.51Z","Id":"y","IsLocked":1,"created_on":"x"}`, nil)
		failing := closeRun(r, nil)
		findRow(failing, "2.1/IsLocked", schemas.V5).Known = true
		open := closeRun(addAnswer(readyRun(), `{"Flags":1,"created_on":"x"}`, nil), nil)
		for _, made := range []*report.Report{failing, open, closeRun(passedRun(), errors.New("broken off")),
			report.Unfinished("sha256:0", end)} {
			for _, c := range casesByName(parseJUnit(junitText(made))) {
				for _, r := range c.reportedTo() {
					Expect(r.Message).NotTo(BeEmpty(), c.Name)
					Expect(r.Data).To(ContainSubstring(r.Message), c.Name)
				}
				Expect(strconv.ParseFloat(c.Time, 64)).To(BeNumerically(">=", 0), "none is no number to some readers")
				if parts := strings.Split(c.Class, "."); c.Failure != nil {
					// A reader for GitHub looks for a line number so, and would take the seconds of a time for one.
					line := regexp.MustCompile(` [^ ]*` + regexp.QuoteMeta(parts[len(parts)-1]) + `.*?:\d+`)
					Expect(line.FindString(c.Failure.Data)).To(BeEmpty())
				}
			}
		}
		failure := casesByName(parseJUnit(junitText(failing)))["the run"].Failure
		Expect(failure.Data).To(ContainSubstring("\nFAIL 2.1/Flags in v5: Flags, if present and not null, is an " +
			"integer.; 1 of 1 user, at /Flags"))
		Expect(failure.Data).NotTo(MatchRegexp("2.1/(Id|IsLocked)"), "what is waived or known does not fail the run")
		skipped := casesByName(parseJUnit(junitText(open)))["v5 2.1/CreatedOn"].Skipped
		Expect(skipped.Data).To(ContainSubstring(`"created_on" was seen`), "notes too")
	})

	It("Has no text that GitHub would refuse for its length, and says how much is left out", func() {
		made := closeRun(addAnswer(passedRun(), `{"Flags":"x"}`, nil), nil)
		row := findRow(made, "2.1/Flags", schemas.V5)
		row.Causes = nil
		for i := range 1000 {
			row.Causes = append(row.Causes, report.Cause{Key: check.Key{Kind: fmt.Sprint(i)}, Count: 1,
				Example: strings.Repeat("m", 5000)})
		}
		made.Gate = &report.Gate{Stale: make([]report.Entry, 10_000)}
		byName := casesByName(parseJUnit(junitText(made)))
		failure := byName["v5 2.1/Flags"].Failure
		Expect(len(failure.Data)).To(And(BeNumerically("<", 64_000), BeNumerically(">", 50_000)))
		Expect(failure.Data).To(MatchRegexp(`\nand 98\d more$`))
		Expect(len(failure.Message)).To(BeNumerically("<", 5000))
		Expect(len(byName["the run"].Failure.Data)).To(BeNumerically("<", 64_000))
		Expect(byName["the run"].Failure.Data).To(MatchRegexp(`\nand \d+ more$`))

		long := report.Failed(made.Suite.Contract, end, end, strings.Repeat("a line\n", 50_000))
		Expect(len(casesByName(parseJUnit(junitText(long)))["the run"].Error.Data)).To(BeNumerically("<", 64_000))
	})
})

// FuzzJUnit holds of junit.xml that it is XML with the same cases, whatever a text holds.
func FuzzJUnit(f *testing.F) {
	for _, text := range []string{"", "words", hostile, "a ]]> b ]]]]><![CDATA[> c", "]]>", "<![CDATA[", "<x/>", `"'`,
		`<a href="x">&amp;'</a>`, "&amp;&#0;&x;", "a \ufffe \uffff \ufdd0 b", "\u0085", "\x00\x08\x0b\x1f\x7f",
		"\xff\xfe", "\ud7ff\ue000", "a\nb\r\nc\td", "[[ATTACHMENT|/etc/passwd]]", `<?xml version="1.1"?>`,
		`<!DOCTYPE x [<!ENTITY a "b">]>`, "😀", strings.Repeat("]", 5000)} {
		f.Add(text, "fail")
		f.Add(text, "inconclusive")
	}
	f.Fuzz(func(t *testing.T, text, verdict string) {
		RegisterTestingT(t)
		reason := ledger.Reason(text)
		row := report.Row{ID: "2.1/Id", Section: "2.1", Version: schemas.V5, Statement: text,
			Verdict: ledger.Verdict(verdict), Reason: &reason, Notes: []string{text},
			FindingCount: 2, Findings: []report.Finding{{Message: text, Repeat: text}}}
		waived, odd := row, row
		waived.ID, waived.Waiver = "2.1/Flags", &report.Waiver{Reason: text, Until: text}
		odd.ID, odd.Version, odd.Section, odd.Findings, odd.Reason = text, schemas.Version(text), text, nil, nil
		r := &report.Report{
			Verdict: ledger.Verdict(verdict), Suite: report.Suite{Name: text, Version: text, Contract: text},
			Target:       map[schemas.Version]string{schemas.V5: text},
			Requirements: []report.Row{row, waived, odd}, Stale: []string{text},
			Gate: &report.Gate{New: []report.Entry{{Requirement: text, Key: check.Key{Kind: text, Pointer: text}}}},
		}
		if verdict == "error" {
			r.Error = &text
		}
		var out strings.Builder
		Expect(report.WriteJUnit(&out, r)).To(Succeed())
		var all suites
		Expect(xml.Unmarshal([]byte(out.String()), &all)).To(Succeed())
		Expect(all.Tests).To(Equal(4))
		count := 0
		for _, s := range all.Suites {
			shown := s.Name
			for _, c := range s.Cases {
				count++
				shown += c.Name
				for _, r := range c.reportedTo() {
					shown += r.Message + r.Data
				}
			}
			Expect(strings.ContainsFunc(shown, func(r rune) bool {
				return unicode.IsControl(r) && r != '\n' || r == '\u202e'
			})).To(BeFalse(), "%q", shown)
		}
		Expect(count).To(Equal(4))
	})
}
