package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Limits on the text of one case. Readers of JUnit turn cases into annotations, and GitHub accepts 64 KB for the
// message and 64 KB for the details of one.
const (
	maxMessage = 4000   // characters
	maxDetails = 60_000 // bytes
)

// The elements of JUnit's XML, with the members that the suite uses. The root is a testSuite of testSuites. Ginkgo's
// own types have no room for the text of a skip, nor for a name of the whole.
type (
	testSuite struct {
		Name       string      `xml:"name,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Skipped    int         `xml:"skipped,attr"`
		ID         string      `xml:"id,attr,omitempty"`
		Time       string      `xml:"time,attr,omitempty"` // in seconds
		Timestamp  string      `xml:"timestamp,attr,omitempty"`
		Properties *[]property `xml:"properties>property"`
		Suites     []testSuite `xml:"testsuite"`
		Cases      []testCase  `xml:"testcase"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCase struct {
		Name      string      `xml:"name,attr"`
		Classname string      `xml:"classname,attr"`
		Time      string      `xml:"time,attr"`
		Skipped   *caseResult `xml:"skipped"`
		Error     *caseResult `xml:"error"`
		Failure   *caseResult `xml:"failure"`
	}
	caseResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Data    string `xml:",cdata"`
	}
)

// count counts a case.
func (s *testSuite) count(c testCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// WriteJUnit writes junit.xml: a test suite for each section, and a uniquely named test case for each row. An unwaived
// failure is a failure, an inconclusive row is skipped with its reason. The times of the cases are shares of the time
// of their requests, so that they add up. A run that could not be carried out adds a case with an error, so that no
// reader of JUnit shows it green.
//
// The text of a case is in an attribute and, in full, in the element's content, since GitLab shows only the content.
// There is no system-out with GitLab's attachments. It needs the folder's path in the job's artifacts, so the same
// report would give different bytes. There is no file attribute either, as no file of a repository causes a failure.
func WriteJUnit(w io.Writer, r *Report) error {
	all := testSuite{Name: r.Suite.Name}
	if r.Embedded {
		all.Name += ": " + BuiltInReference
	}
	var spent time.Duration
	addCase := func(section string, c testCase, took time.Duration) {
		name := Printable(section, 0)
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, testSuite{Name: name, ID: strconv.Itoa(n),
				Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05")})
			spent = 0
		}
		last := &all.Suites[len(all.Suites)-1]
		spent += took
		last.Time = inSeconds(spent)
		last.Cases = append(last.Cases, c)
		last.count(c)
		all.count(c)
	}
	for i := range r.Requirements {
		addCase(r.sectionName(r.Requirements[i].Section), caseOf(r, &r.Requirements[i]), r.Requirements[i].spent)
	}
	addCase("the run", caseOfRun(r), 0)
	last := &all.Suites[len(all.Suites)-1]
	addProperties(last, r)
	if r.Finished != nil {
		all.Time, last.Time = seconds(r), seconds(r)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.EncodeElement(all, xml.StartElement{Name: xml.Name{Local: "testsuites"}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// addProperties adds what was judged, and by which suite and contract.
func addProperties(s *testSuite, r *Report) {
	var all []property
	list := [][2]string{
		{"verdict", string(r.Verdict)}, {"complete", strconv.FormatBool(r.Complete)},
		{"certifies", strconv.FormatBool(r.Certifies)}, {"contract", r.Suite.Contract}, {"suite", r.Suite.Version},
	}
	for _, v := range schemas.InOrder(r.Target) {
		list = append(list, [2]string{"target " + string(v), r.Target[v]})
	}
	for _, p := range append(list, [2]string{"values", r.Values}) {
		if p[1] != "" {
			all = append(all, property{p[0], Printable(p[1], 0)})
		}
	}
	s.Properties = &all
}

// caseOfRun returns the case for the run as a whole. It is green only if the run certifies.
func caseOfRun(r *Report) testCase {
	c := testCase{Classname: r.Suite.Name, Name: "the run", Time: seconds(r)}
	d := r.Document()
	switch {
	case r.Error != nil:
		lines := strings.Split(*r.Error, "\n")
		c.Error = resultOf("error", lines[0], limited(lines[0], lines[1:]))
	case r.Verdict == ledger.Fail:
		c.Failure = resultOf("fail", d.Sentence, limited(d.Sentence, failing(d.Sections...)))
	case r.Verdict != ledger.Pass, !r.Certifies:
		c.Skipped = skipped(string(r.Verdict) + ": " + d.Sentence + " " + d.Scope)
	}
	return c
}

// failing returns the items that fail the run, each as one line.
func failing(sections ...Section) (lines []string) {
	for _, s := range sections {
		for _, i := range s.Items {
			if i.Level != Failing {
				continue
			}
			text, label := i.Text, s.Label
			if i.Name != "" {
				text = i.Name + ": " + text
			}
			if i.Word != "" {
				label = i.Word + ":"
			}
			lines = append(lines, strings.Join(append([]string{label + " " + text}, i.Lines...), "; "))
		}
	}
	return lines
}

func seconds(r *Report) string {
	if r.Finished == nil {
		return "0"
	}
	return inSeconds(r.Finished.Sub(r.Started))
}

func inSeconds(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}

// caseOf returns the case of a row. Jenkins splits the class name into a tree: the suite, then the section. The dots of
// a section number would add branches.
func caseOf(r *Report, row *Row) testCase {
	class := strings.ReplaceAll(r.sectionName(row.Section), ".", "-")
	c := testCase{Classname: Printable(r.Suite.Name+"."+class, 0),
		Name: Printable(string(row.Version)+" "+row.ID, 0), Time: inSeconds(row.spent)}
	switch {
	case row.Waiver != nil:
		c.Skipped = skipped(fmt.Sprintf("%s, %s", row.Verdict, row.Waiver))
	case row.Known:
		c.Skipped = skipped(fmt.Sprintf("known: it has the verdict %s in the baseline too", row.Verdict))
	case row.Verdict == ledger.Fail:
		c.Failure = failureOf(r, row)
	case row.Verdict == ledger.Inconclusive:
		c.Skipped = skipped(strings.TrimSuffix("inconclusive: "+row.Why(), ": "), row.Notes...)
	}
	return c
}

// failureOf describes each cause of a row once, with one example and the commands that repeat it, as far as there is
// room.
func failureOf(r *Report, row *Row) *caseResult {
	causes := []string{}
	for _, c := range row.Causes {
		text := "\n" + KeyText(c.Key) + ", " + wording.Times(c.Count) + ", for example " + c.Example
		if f := row.example(c); f != nil && f.repeatCommands() != "" {
			text += "\nrepeat: " + f.repeatCommands()
		}
		causes = append(causes, text)
	}
	message := row.Statement
	if len(row.Causes) > 0 {
		message += " " + r.causeLine(row, row.Causes[0])
	}
	return resultOf("fail", message, limited(message, causes))
}

// skipped returns a skip with its reason and further lines.
func skipped(reason string, more ...string) *caseResult {
	return resultOf("", reason, limited(reason, more))
}

// limited joins lines, as many as there is room for.
func limited(first string, lines []string) string {
	text := first
	for i, line := range lines {
		if len(text)+len(line) > maxDetails {
			return text + fmt.Sprintf("\nand %d more", len(lines)-i)
		}
		text += "\n" + line
	}
	return text
}

// resultOf returns a failure, an error or a skip. It removes what XML 1.0 can't hold, because the library writes text
// unchecked.
func resultOf(kind, message, text string) *caseResult {
	return &caseResult{Type: kind, Message: Printable(message, maxMessage), Data: PrintableLines(text)}
}
