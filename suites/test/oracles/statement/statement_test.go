package statement_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/encoding/protojson"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/statement"
	"authenticator-conformance/suites/internal/testkit"
)

func TestStatement(t *testing.T) { testkit.Specs(t, "statement") }

const contract = "9f850a592c96be047e517f55d175e8831daef9cdfdd0f0d8e995ebdadeae3f7d"

// reportOf is a report with these rows.
func reportOf(verdict ledger.Verdict, complete bool, rows ...report.Row) *report.Report {
	return &report.Report{
		Verdict: verdict, Complete: complete, Certifies: verdict == ledger.Pass && complete,
		Suite: report.Suite{Name: "authenticator-conformance", Version: "1.2.3", Contract: "sha256:" + contract},
		Target: map[schemas.Version]string{schemas.V5: "https://access.example.com/8.2",
			schemas.V6: "https://access.example.com/9.2?a=<b>&c"},
		Versions:     schemas.Versions(),
		Requirements: rows,
	}
}

// digestsOf are of files whose content is their name.
func digestsOf(names ...string) map[string]string {
	digests := map[string]string{}
	for _, name := range names {
		digests[name] = exchange.DigestOf([]byte(name))
	}
	return digests
}

// readStatement reads a statement back with the library, and its predicate.
func readStatement(content []byte) (*intoto.Statement, *testresult.TestResult) {
	GinkgoHelper()
	s, predicate := &intoto.Statement{}, &testresult.TestResult{}
	Expect(protojson.Unmarshal(content, s)).To(Succeed())
	Expect(s.Validate()).To(Succeed())
	Expect(protojson.Unmarshal(testkit.Must(protojson.Marshal(s.GetPredicate())), predicate)).To(Succeed())
	for _, d := range predicate.GetConfiguration() {
		Expect(d.Validate()).To(Succeed())
	}
	return s, predicate
}

// predicateOf is the predicate of the statement about a report.
func predicateOf(r *report.Report) *testresult.TestResult {
	GinkgoHelper()
	_, predicate := readStatement(testkit.Must(statement.Marshal(r, digestsOf("report.json"))))
	return predicate
}

var _ = Describe("statement.json", func() {
	It("is a statement of in-toto, version 1, about files and all that the run depended on", func() {
		r := reportOf(ledger.Pass, true)
		Expect(json.Unmarshal(testkit.Read("testdata/report.json"), r)).To(Succeed())
		content := testkit.Must(statement.Marshal(r,
			digestsOf("report.json", "report.html", "junit.xml", "evidence.har", "summary.md")))
		testkit.ExpectGolden("testdata/statement.json", string(content))
		readStatement(content)
	})

	It("has empty lists and no target, of a run that could not begin", func() {
		r := reportOf(ledger.Fault, false)
		r.Target = nil
		testkit.ExpectGolden("testdata/not-begun.json", string(testkit.Must(statement.Marshal(r, digestsOf("a")))))
	})

	DescribeTable("says PASSED only of a run that certifies",
		func(verdict string, complete, certifies bool, expected string) {
			r := reportOf(ledger.Verdict(verdict), complete)
			r.Certifies = certifies
			Expect(predicateOf(r).GetResult()).To(Equal(expected))
		},
		testkit.Entries("results"),
	)

	DescribeTable("names each row once, where it belongs",
		func(verdict string, waived, known bool, list string) {
			row := report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Verdict: ledger.Verdict(verdict), Known: known}
			if waived {
				row.Waiver = &report.Waiver{}
			}
			predicate := predicateOf(reportOf(ledger.Fail, true, row))
			found := map[string][]string{"passed": predicate.GetPassedTests(), "warned": predicate.GetWarnedTests(),
				"failed": predicate.GetFailedTests()}
			Expect(found[list]).To(Equal([]string{"2.1/CreatedOn v5"}))
			delete(found, list)
			Expect(found).To(HaveEach(BeEmpty()))
		},
		testkit.Entries("rows"),
	)

	DescribeTable("is refused", func(digest, target, expected string, files ...string) {
		r := reportOf(ledger.Pass, true)
		r.Suite.Contract, r.Target[schemas.V5] = digest, target
		_, err := statement.Marshal(r, digestsOf(files...))
		Expect(err).To(MatchError(ContainSubstring(expected)))
	},
		Entry("about no file", "sha256:"+contract, "https://a.example", "at least one file"),
		Entry("with text that is not UTF-8", "sha256:"+contract, "\xff", "UTF-8", "a"),
	)
})

func FuzzMarshal(f *testing.F) {
	for _, text := range []string{"2.1/CreatedOn", "", `"`, `\`, "</script>", "\u2028", "\x00", "\xff", "😀",
		strings.Repeat("a", 5000)} {
		f.Add(text, "pass", true)
		f.Add(text, "fail", false)
	}
	f.Fuzz(func(t *testing.T, text, verdict string, complete bool) {
		RegisterTestingT(t)
		r := reportOf(ledger.Verdict(verdict), complete,
			report.Row{ID: text, Version: schemas.V5, Verdict: ledger.Pass},
			report.Row{ID: text, Version: schemas.V6, Verdict: ledger.Verdict(verdict)})
		r.Target[schemas.V5] = "https://access.example.com/" + text
		content, err := statement.Marshal(r, digestsOf("report.json", "x"+text))
		if !utf8.ValidString(text) {
			Expect(err).To(HaveOccurred())
			return
		}
		Expect(err).NotTo(HaveOccurred())
		s, predicate := readStatement(content)
		Expect(s.GetSubject()).To(HaveLen(2))
		Expect(predicate.GetPassedTests()).To(ContainElement(text + " v5"))
		Expect(predicate.GetConfiguration()).To(ContainElement(HaveField("Uri", r.Target[schemas.V5])))
		Expect(predicate.GetResult() == "PASSED").To(Equal(verdict == "pass" && complete))
	})
}
