package selftest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// report is the part of report.json that other programs rely on (DESIGN section 4).
type report struct {
	Verdict      string
	Complete     bool
	Versions     []string
	Requirements []row
	Observations []struct{ ID, Operation string }
	Volatile     []struct{ Operation, Pointer string }
	Notes        []string
	StaleWaivers []string
	Baseline     *struct {
		New, Known, Stale []struct{ Requirement, Version, Pointer, Kind string }
	}
	Error  *string
	Counts struct{ Requests, Throttled int64 }
}

// row is one requirement in one version.
type row struct {
	ID, Version, Verdict string
	Reason               *string
	Witnesses            int
	Waiver               *struct{ Reason, Until string }
	Notes                []string
	FindingCount         int
	Causes               []struct {
		Kind, Pointer string
		Count         int
	}
	Findings []struct{ Exchange, Pointer, Expected, Actual, Message string }
}

func (r row) String() string { return r.Version + " " + r.ID }

// rows lists the rows that have one of the verdicts.
func (r *report) rows(verdicts ...string) []string {
	var list []string
	for _, row := range r.Requirements {
		for _, v := range verdicts {
			if row.Verdict == v {
				list = append(list, row.String())
			}
		}
	}
	return list
}

// junit is what readers of JUnit files look at.
type junit struct {
	Suites []struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Error   *struct{} `xml:"error"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func (j *junit) count() (cases, errors, failures, skipped int) {
	for _, suite := range j.Suites {
		for _, c := range suite.Cases {
			cases++
			if c.Error != nil {
				errors++
			}
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
	}
	return
}

func reportFile(folder string) string { return filepath.Join(folder, "report.json") }

// readReport reads report.json, and holds it against its schema.
func readReport(folder string) (*report, error) {
	content, err := os.ReadFile(reportFile(folder))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("report.json is no JSON: %w", err)
	}
	schema, err := schemas.ReportSchema()
	if err != nil {
		return nil, err
	}
	if violations := schema.Check(value); len(violations) > 0 {
		return nil, fmt.Errorf("report.json breaks its schema at %s: expected %s", violations[0].Pointer, violations[0].Expected)
	}
	var r report
	return &r, json.Unmarshal(content, &r)
}

func readJUnit(folder string) (*junit, error) {
	content, err := os.ReadFile(filepath.Join(folder, "junit.xml"))
	if err != nil {
		return nil, err
	}
	var j junit
	if err := xml.Unmarshal(content, &j); err != nil {
		return nil, fmt.Errorf("junit.xml is no XML: %w", err)
	}
	return &j, nil
}

// exitCodes are those of the verdicts (DESIGN section 3).
func exitCodes() map[string]int {
	return map[string]int{"pass": 0, "fail": 1, "error": 2, "inconclusive": 3}
}

// sound asserts what holds of every run, whatever its target does: it ends, its exit code and its reports say the same,
// and nothing reaches a terminal that could move its cursor. It gives the report.
func sound(o *outcome) *report {
	GinkgoHelper()
	Expect(o.err).NotTo(HaveOccurred())
	Expect(o.expired).To(BeFalse(), "the process did not end within its bound\n%s", o.said())
	Expect(odd(o.stdout)).To(BeEmpty(), "on the standard output")
	Expect(odd(o.stderr)).To(BeEmpty(), "on the standard error")
	r, err := readReport(o.reports())
	Expect(err).NotTo(HaveOccurred(), o.said())
	j, err := readJUnit(o.reports())
	Expect(err).NotTo(HaveOccurred(), o.said())
	Expect(o.code).To(Equal(exitCodes()[r.Verdict]), "the verdict is %s\n%s", r.Verdict, o.said())
	cases, errors, failures, _ := j.count()
	Expect(cases).To(BeNumerically(">", 0), "junit.xml has no test case")
	Expect(errors > 0).To(Equal(r.Verdict == "error"), "junit.xml has %d errors, the verdict is %s", errors, r.Verdict)
	Expect(r.Error != nil).To(Equal(r.Verdict == "error"), "report.json has an error where the verdict is error")
	switch r.Verdict {
	case "pass":
		Expect(failures).To(BeZero())
	case "fail":
		Expect(failures).To(BeNumerically(">", 0))
	case "error":
		Expect(r.Complete).To(BeFalse())
	}
	return r
}

// odd lists what has no place in a stream that may end on a terminal, a page of a CI server or in a log: control
// characters but line feed and tab, marks that change the direction of text, and what is no UTF-8.
func odd(text string) []string {
	var list []string
	if !utf8.ValidString(text) {
		list = append(list, "invalid UTF-8")
	}
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case r < ' ', r >= 0x7f && r <= 0x9f,
			r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			list = append(list, fmt.Sprintf("%U", r))
		}
		if len(list) > 10 {
			break
		}
	}
	return list
}

// accused lists what a failure's text needs of rows that did not pass.
func (r *report) accused() string {
	var b strings.Builder
	if r.Error != nil {
		fmt.Fprintf(&b, "error: %s\n", *r.Error)
	}
	for _, row := range r.Requirements {
		if row.Verdict == "pass" {
			continue
		}
		fmt.Fprintf(&b, "%s %s", row.Verdict, row)
		if row.Reason != nil {
			fmt.Fprintf(&b, " (%s)", *row.Reason)
		}
		for _, f := range row.Findings[:min(len(row.Findings), 2)] {
			fmt.Fprintf(&b, "\n    %s: expected %s, actual %s", f.Pointer, f.Expected, f.Actual)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
