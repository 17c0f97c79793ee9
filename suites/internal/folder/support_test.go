package folder_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

func noonOfSpecs() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

// unfinishedContent is what stands in a folder while a run goes on.
func unfinishedContent() folder.Content {
	return folder.Content{Report: report.Unfinished(digest, noonOfSpecs())}
}

// passingContent is the content of a run that passed; its archive is a text.
func passingContent(archive string) folder.Content {
	r := report.Failed(digest, noonOfSpecs(), noonOfSpecs(), "")
	r.Error, r.Complete, r.Run = nil, true, "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	r.Requirements = []report.Row{{
		ID: "2.1/Id", Section: "2.1", Kind: "documented", Statement: "a GUID", Operation: "getUserAuth", Version: "v5",
		Verdict:   ledger.Pass,
		Witnesses: 1, Notes: []string{}, Findings: []report.Finding{}, Causes: []report.Cause{},
	}}
	r.Judge()
	return folder.Content{Report: r, Archive: func(w io.Writer) error {
		_, err := io.WriteString(w, archive)
		return err
	}}
}

func openFolder(dir string) *folder.Folder {
	GinkgoHelper()
	f, err := folder.Open(dir)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(f.Close) // before what the folder stands in is taken away
	return f
}

// begunFolder is a folder in which the report of a run's beginning stands.
func begunFolder() (*folder.Folder, string) {
	GinkgoHelper()
	dir := filepath.Join(GinkgoT().TempDir(), "reports")
	f := openFolder(dir)
	Expect(f.Write(unfinishedContent())).To(Succeed())
	return f, dir
}

// contentsOf are the files of a folder by name; hidden ones too, so that nothing is left behind unseen.
func contentsOf(dir string) map[string]string {
	GinkgoHelper()
	entries, err := os.ReadDir(dir)
	Expect(err).NotTo(HaveOccurred())
	list := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() {
			list[entry.Name()] = "a folder"
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		Expect(err).NotTo(HaveOccurred())
		list[entry.Name()] = string(content)
	}
	return list
}

// expectWhole asserts that every file is there and can be read by whoever reads such files, and gives what each says of
// the run.
func expectWhole(dir string) (verdicts []string) {
	GinkgoHelper()
	files := contentsOf(dir)
	var r struct{ Verdict string }
	Expect(json.Unmarshal([]byte(files[report.JSONFile]), &r)).To(Succeed())
	var suites struct {
		Suites []struct {
			Errors int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	Expect(xml.Unmarshal([]byte(files[report.JUnitFile]), &suites)).To(Succeed())
	var statement struct {
		Subject   []struct{ Name string }
		Predicate struct{ Result string }
	}
	Expect(json.Unmarshal([]byte(files[report.StatementFile]), &statement)).To(Succeed())
	Expect(files[report.PageFile]).To(HaveSuffix("</html>\n"))
	errors := 0
	for _, s := range suites.Suites {
		errors += s.Errors
	}
	marker := func(pass bool) string {
		if pass {
			return "pass"
		}
		return "no pass"
	}
	return []string{
		marker(r.Verdict == "pass"), marker(errors == 0), marker(statement.Predicate.Result == "PASSED"),
		marker(strings.Contains(strings.SplitN(files[report.SummaryFile], "\n", 2)[0], "pass")),
	}
}

// sameVerdict are the four times the same verdict.
func sameVerdict(verdict string) []string { return []string{verdict, verdict, verdict, verdict} }
