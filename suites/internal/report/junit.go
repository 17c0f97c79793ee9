package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
)

// Bounds on what one case tells: readers of JUnit make annotations of cases, and GitHub takes 64 KB for the message of
// one and for its details.
const (
	mostMessage = 4000   // characters
	mostDetails = 60_000 // bytes
)

// junitOf is junit.xml: a test suite for each section, a test case for each row, named so that no two are alike. What
// failed without a waiver is a failure, what is inconclusive is skipped with its reason, and a run that could not be
// carried out has a case of its own with an error: no reader of JUnit takes it for green.
//
// What a case tells stands in an attribute and, whole, in the element's content, since GitLab shows the content only.
// GitLab's system-out with its attachments is left out: they need the folder's place in a job's artifacts, and the same
// report would not give the same bytes any more. So is file, as nothing in a repository is the place of a failure.
func junitOf(r *Report) ([]byte, error) {
	var all junit.Testsuites
	all.Name = r.Suite.Name
	add := func(section string, c junit.Testcase) {
		name := redact.Printable("§"+section, 0)
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junit.Testsuite{Name: name, ID: n, Time: "0"})
		}
		all.Suites[len(all.Suites)-1].AddTestcase(c)
	}
	for i := range r.Requirements {
		add(r.Requirements[i].Section, caseOf(r, &r.Requirements[i]))
	}
	add("run", caseOfRun(r))
	properties(&all.Suites[len(all.Suites)-1], r)
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

// properties say what was judged, and by what.
func properties(s *junit.Testsuite, r *Report) {
	for _, p := range [][2]string{
		{"verdict", string(r.Verdict)}, {"complete", strconv.FormatBool(r.Complete)}, {"certifies", strconv.FormatBool(r.Certifies)}, {"contract", r.Suite.Contract}, {"suite", r.Suite.Version},
		{"target v5", r.Target[schemas.V5]}, {"target v6", r.Target[schemas.V6]},
	} {
		if p[1] != "" {
			s.AddProperty(p[0], redact.Printable(p[1], 0))
		}
	}
}

// caseOfRun tells of the run as a whole. It is green only where the run certifies.
func caseOfRun(r *Report) junit.Testcase {
	c := junit.Testcase{Classname: r.Suite.Name, Name: "the run", Time: "0"}
	switch {
	case r.Error != nil:
		lines := strings.Split(*r.Error, "\n")
		c.Error = result("error", lines[0], told(lines[0], lines[1:]))
	case r.Verdict == ledger.Fail:
		var failed []string
		for i := range r.Requirements {
			if row := &r.Requirements[i]; row.Verdict == ledger.Fail && row.Waiver == nil && !row.Known {
				failed = append(failed, "failed: "+nameOf(row))
			}
		}
		why := "the target breaks the document, or a waiver or the baseline is stale"
		c.Failure = result("fail", why, told(why, slices.Concat(failed, r.Stale, r.Gate.Lines())))
	case r.Verdict != ledger.Pass:
		c.Skipped = skipped("the verdict is " + string(r.Verdict) + ": the target is not certified")
	case !r.Certifies:
		c.Skipped = skipped("the verdict is pass, but the target is not certified: " + strings.Join(r.Limits(), "; "))
	}
	return c
}

// caseOf tells of a row. The class ends with the suite's name, not with the version, as readers for GitHub take the
// last part for a file, and a number that stands behind its name in a failure's text for a line: "v5" stands in all of
// them.
func caseOf(r *Report, row *Row) junit.Testcase {
	c := junit.Testcase{Classname: redact.Printable(string(row.Version)+"."+r.Suite.Name, 0), Name: redact.Printable(nameOf(row), 0), Time: "0"}
	switch {
	case row.Waiver != nil:
		c.Skipped = skipped(fmt.Sprintf("%s, waived until %s: %s", row.Verdict, row.Waiver.Until, row.Waiver.Reason))
	case row.Known:
		c.Skipped = skipped(fmt.Sprintf("known: it has the verdict %s in the baseline too", row.Verdict))
	case row.Verdict == ledger.Fail:
		c.Failure = failureOf(row)
	case row.Verdict == ledger.Inconclusive:
		why := "inconclusive"
		if row.Reason != nil {
			why += ": " + Why(*row.Reason)
		}
		c.Skipped = skipped(why, row.Notes...)
	}
	return c
}

// nameOf names a row in junit.xml.
func nameOf(row *Row) string { return string(row.Version) + " " + row.ID }

// failureOf tells the findings of a row, as many as there is room for.
func failureOf(row *Row) *junit.Result {
	message := row.Statement
	if len(row.Findings) > 0 {
		message = row.Findings[0].Message
	}
	text, findings := row.Statement, 0
	for _, f := range row.Findings {
		finding := "\n" + f.Message
		if f.Repeat != "" {
			finding += "\nrepeat: " + f.Repeat
		}
		if len(text)+len(finding) > mostDetails {
			break
		}
		text, findings = text+finding, findings+1
	}
	if more := row.FindingCount - findings; more > 0 {
		text += fmt.Sprintf("\nand %d more findings", more)
	}
	return result("fail", message, text)
}

// skipped is a skip with its reason, and what else is to be said of it.
func skipped(why string, more ...string) *junit.Result { return result("", why, told(why, more)) }

// told is a text of several lines, as many as there is room for.
func told(first string, lines []string) string {
	text := first
	for i, line := range lines {
		if len(text)+len(line) > mostDetails {
			return text + fmt.Sprintf("\nand %d more", len(lines)-i)
		}
		text += "\n" + line
	}
	return text
}

// result is a failure, an error or a skip whose text XML 1.0 can hold: the library writes it as it is.
func result(kind, message, text string) *junit.Result {
	return &junit.Result{Type: kind, Message: redact.Printable(message, mostMessage), Data: redact.PrintableLines(text)}
}
