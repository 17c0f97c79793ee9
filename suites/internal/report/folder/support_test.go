package folder_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

func TestFolder(t *testing.T) { testkit.Specs(t, "folder") }

const runDigest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

var noonOfSpecs = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// unfinishedContent is what stands in a folder while a run goes on.
func unfinishedContent() folder.Content {
	return folder.Content{Report: report.Unfinished(runDigest, noonOfSpecs)}
}

// passingContent is the content of a run that passed; its archive is a text.
func passingContent(archive string) folder.Content {
	r := report.Failed(runDigest, noonOfSpecs, noonOfSpecs, "")
	r.Error, r.Complete, r.Run = nil, true, "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	r.Requirements = []report.Row{{ID: "2.1/Id", Section: "2.1", Kind: "documented", Statement: "a GUID",
		Operation: "getUserAuth", Version: "v5", Verdict: ledger.Pass, Witnesses: 1, Notes: []string{},
		Findings: []report.Finding{}, Causes: []report.Cause{}}}
	r.Judge()
	return folder.Content{Report: r, Archive: textFile("", archive).Write}
}

// textFile is one that holds a text.
func textFile(name, text string) folder.File {
	return folder.File{Name: name, Write: func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}}
}

func openFolder(dir string) *folder.Folder {
	GinkgoHelper()
	f := testkit.Must(folder.Open(dir))
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
	list := map[string]string{}
	for _, entry := range testkit.Must(os.ReadDir(dir)) {
		list[entry.Name()] = "a folder"
		if !entry.IsDir() {
			list[entry.Name()] = string(testkit.Read(dir, entry.Name()))
		}
	}
	return list
}

// expectWhole asserts that every file is there, can be read by whoever reads such files, and says whether the run
// passed.
func expectWhole(dir string, passed bool) {
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
	faults := 0
	for _, s := range suites.Suites {
		faults += s.Errors
	}
	var statement struct{ Predicate struct{ Result string } }
	Expect(json.Unmarshal([]byte(files[report.StatementFile]), &statement)).To(Succeed())
	Expect(files[report.PageFile]).To(HaveSuffix("</html>\n"))
	summary, _, _ := strings.Cut(files[report.SummaryFile], "\n")
	Expect([]bool{r.Verdict == "pass", faults == 0, statement.Predicate.Result == "PASSED",
		strings.Contains(summary, "pass")}).To(HaveEach(passed))
}

// expectLeak asserts that an error names the file that would have had a secret, and not the secret.
func expectLeak(err error, secret string, files ...string) {
	GinkgoHelper()
	var leak *sanitize.Leak
	Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
	Expect(files).To(ContainElement(leak.File))
	Expect(err.Error()).To(And(ContainSubstring("defect of the suite"), Not(ContainSubstring(secret[:12]))))
}
