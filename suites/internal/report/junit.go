package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
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
		name := redact.Printable(section, 0)
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junit.Testsuite{Name: name, ID: n, Time: "0",
				Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05")})
		}
		all.Suites[len(all.Suites)-1].AddTestcase(c)
	}
	for i := range r.Requirements {
		add(r.sectionName(r.Requirements[i].Section), caseOf(r, &r.Requirements[i]))
	}
	add("the run", caseOfRun(r))
	properties(&all.Suites[len(all.Suites)-1], r)
	if r.Finished != nil {
		all.Time, all.Suites[len(all.Suites)-1].Time = seconds(r), seconds(r)
	}
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
		{"verdict", string(r.Verdict)}, {"complete", strconv.FormatBool(r.Complete)},
		{"certifies", strconv.FormatBool(r.Certifies)}, {"contract", r.Suite.Contract}, {"suite", r.Suite.Version},
		{"target v5", r.Target[schemas.V5]}, {"target v6", r.Target[schemas.V6]},
	} {
		if p[1] != "" {
			s.AddProperty(p[0], redact.Printable(p[1], 0))
		}
	}
}

// caseOfRun tells of the run as a whole. It is green only if the run certifies.
func caseOfRun(r *Report) junit.Testcase {
	c := junit.Testcase{Classname: r.Suite.Name, Name: "the run", Time: "0"}
	d := r.Document()
	if r.Finished != nil {
		c.Time = seconds(r)
	}
	switch {
	case r.Error != nil:
		lines := strings.Split(*r.Error, "\n")
		c.Error = result("error", lines[0], limited(lines[0], lines[1:]))
	case r.Verdict == ledger.Fail:
		var failing []string
		for _, s := range d.Sections {
			for _, item := range s.Items {
				if item.Level == Failing {
					failing = append(failing, item.line(s.Label))
				}
			}
		}
		c.Failure = result("fail", d.Sentence, limited(d.Sentence, failing))
	case r.Verdict != ledger.Pass, !r.Certifies:
		c.Skipped = skipped(string(r.Verdict) + ": " + d.Sentence + " " + d.Scope)
	}
	return c
}

// line is an item in one line.
func (i *Item) line(label string) string {
	text := i.Text
	if i.Name != "" {
		text = i.Name + ": " + text
	}
	if i.Word != "" {
		label = i.Word + ":"
	}
	return label + " " + text
}

func seconds(r *Report) string {
	return strconv.FormatFloat(r.Finished.Sub(r.Started).Seconds(), 'f', 3, 64)
}

// caseOf tells of a row. Jenkins makes a tree of the class: the suite, then the section, whose dots would be branches.
func caseOf(r *Report, row *Row) junit.Testcase {
	class := strings.ReplaceAll(r.sectionName(row.Section), ".", "-")
	c := junit.Testcase{Classname: redact.Printable(r.Suite.Name+"."+class, 0), Name: redact.Printable(nameOf(row), 0),
		Time: "0"}
	switch {
	case row.Waiver != nil:
		c.Skipped = skipped(fmt.Sprintf("%s, waived until %s: %s", row.Verdict, row.Waiver.Until, row.Waiver.Reason))
	case row.Known:
		c.Skipped = skipped(fmt.Sprintf("known: it has the verdict %s in the baseline too", row.Verdict))
	case row.Verdict == ledger.Fail:
		c.Failure = failureOf(r, row)
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

// failureOf tells each cause of a row once, with one example and the lines that repeat it, as many as there is room for.
func failureOf(r *Report, row *Row) *junit.Result {
	causes := []string{}
	for _, c := range row.Causes {
		text := "\n" + causeLine(c)
		if f := row.example(c); f != nil && f.again() != "" {
			text += "\nrepeat: " + f.again()
		}
		causes = append(causes, text)
	}
	message := row.Statement
	if len(row.Causes) > 0 {
		message = r.wrong(row, row.Causes)
	}
	return result("fail", message, limited(message+"\n"+row.Statement, causes))
}

// skipped is a skip with its reason, and what else is to be said of it.
func skipped(why string, more ...string) *junit.Result { return result("", why, limited(why, more)) }

// limited is a text of several lines, as many as there is room for.
func limited(first string, lines []string) string {
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
