package selftest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// reportFiles lists the files of the report folder of a run.
func reportFiles() []string {
	return []string{"evidence.har", "junit.xml", "metrics.prom", "report.html", "report.json", "statement.json",
		"summary.md"}
}

// report is the part of report.json that other programs rely on (DESIGN section 4), and a little more.
type report struct {
	Verdict      string
	Complete     bool
	Requirements []row
	Observations []struct{ ID, Operation, V5, V6 string }
	Notes        []string
	Baseline     *struct {
		New, Known, Stale []struct{ Requirement, Version, Pointer, Kind string }
	}
	Lacking []string // exchanges that are missing in evidence that was judged again
	Run     string
	Suite   struct{ Version string }
	Error   *string
	Counts  struct{ Requests, Throttled int64 }
}

// row is one requirement in one version.
type row struct {
	ID, Version, Verdict string
	Reason               *string
	FindingCount         int
	Causes               []struct {
		Kind, Pointer string
		Count         int
	}
	Findings []struct{ Exchange, Pointer, Expected, Actual, Message string }
}

func (r row) String() string { return r.Version + " " + r.ID }

// rows lists the rows that have one of the verdicts, as "v5 2.1/Id".
func (r *report) rows(verdicts ...string) []string {
	var list []string
	for _, row := range r.Requirements {
		if slices.Contains(verdicts, row.Verdict) {
			list = append(list, row.String())
		}
	}
	return list
}

// String describes the rows that did not pass, for the message of a failed assertion.
func (r *report) String() string {
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

// readReport reads report.json in a report folder, and checks it against its schema.
func readReport(folder string) (*report, error) {
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
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
		first := violations[0]
		return nil, fmt.Errorf("report.json breaks its schema at %s: expected %s", first.Pointer, first.Expected)
	}
	var r report
	return &r, json.Unmarshal(content, &r)
}

// junitCounts are the numbers of test cases in junit.xml: all, those with an error, and those with a failure.
type junitCounts struct{ cases, errors, failures int }

// readJUnit reads junit.xml in a report folder.
func readJUnit(folder string) (c junitCounts, err error) {
	content, err := os.ReadFile(filepath.Join(folder, "junit.xml"))
	if err != nil {
		return c, err
	}
	var file struct {
		Suites []struct {
			Cases []struct {
				Error   *struct{} `xml:"error"`
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(content, &file); err != nil {
		return c, fmt.Errorf("junit.xml is no XML: %w", err)
	}
	for _, suite := range file.Suites {
		for _, one := range suite.Cases {
			c.cases++
			if one.Error != nil {
				c.errors++
			}
			if one.Failure != nil {
				c.failures++
			}
		}
	}
	return c, nil
}

// filesIn returns the content of the files in a folder by name, including hidden ones. A file that can't be read has
// the error as its content. A folder that does not exist has no files.
func filesIn(folder string) map[string]string {
	files := map[string]string{}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			content = []byte(err.Error())
		}
		files[entry.Name()] = string(content)
	}
	return files
}
