package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
)

// junitOf is junit.xml: a test suite for each section, a test case for each row, named so that no two are alike. What
// failed without a waiver is a failure, what is inconclusive is skipped with its reason, and a run that could not be
// carried out has a case of its own with an error: no reader of JUnit takes it for green.
func junitOf(r *Report) ([]byte, error) {
	var all junit.Testsuites
	all.Name = r.Suite.Name
	add := func(section string, c junit.Testcase) {
		name := "§" + section
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junit.Testsuite{Name: name, ID: n, Time: "0"})
		}
		all.Suites[len(all.Suites)-1].AddTestcase(c)
	}
	for _, row := range r.Requirements {
		add(row.Section, caseOf(r, row))
	}
	verdict := junit.Testcase{Classname: r.Suite.Name, Name: "the run"}
	switch {
	case r.Error != nil:
		verdict.Error = result("error", firstLine(*r.Error), *r.Error)
	case r.Verdict == ledger.Fail:
		verdict.Failure = result("fail", "the target breaks the document, or a waiver or the baseline is stale", strings.Join(slices.Concat(r.Stale, r.Gate.Lines()), "\n"))
	case r.Verdict != ledger.Pass:
		verdict.Skipped = result("", "the verdict is "+string(r.Verdict)+": the target is not certified", "")
	}
	add("run", verdict)
	for i := range all.Suites {
		s := &all.Suites[i]
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func caseOf(r *Report, row Row) junit.Testcase {
	c := junit.Testcase{Classname: r.Suite.Name + "." + string(row.Version), Name: string(row.Version) + " " + row.ID, Time: "0"}
	switch {
	case row.Waiver != nil:
		c.Skipped = result("", fmt.Sprintf("%s, waived until %s: %s", row.Verdict, row.Waiver.Until, row.Waiver.Reason), "")
	case row.Known:
		c.Skipped = result("", "known: it fails in the baseline for the same causes", "")
	case row.Verdict == ledger.Fail:
		var text []string
		for _, f := range row.Findings {
			text = append(text, f.Message, "repeat: "+f.Repeat)
		}
		if more := row.FindingCount - len(row.Findings); more > 0 {
			text = append(text, fmt.Sprintf("and %d more findings", more))
		}
		c.Failure = result("fail", row.Findings[0].Message, row.Statement+"\n"+strings.Join(text, "\n"))
	case row.Verdict == ledger.Inconclusive:
		c.Skipped = result("", "inconclusive: "+Why(*row.Reason), "")
	}
	return c
}

// result is a failure, an error or a skip whose text XML 1.0 can hold: the library writes it as it is.
func result(kind, message, text string) *junit.Result {
	return &junit.Result{Type: kind, Message: redact.Printable(message, 0), Data: redact.PrintableLines(text)}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
