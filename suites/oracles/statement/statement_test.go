package statement_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/encoding/protojson"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/statement"
)

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
func digestsOf(names ...string) []statement.File {
	var files []statement.File
	for _, name := range names {
		files = append(files, statement.File{Name: name, Digest: sha256.Sum256([]byte(name))})
	}
	return files
}

// readStatement reads a statement back with the library, and its predicate.
func readStatement(content []byte) (*intoto.Statement, *testresult.TestResult) {
	GinkgoHelper()
	s, predicate := &intoto.Statement{}, &testresult.TestResult{}
	Expect(protojson.Unmarshal(content, s)).To(Succeed())
	Expect(s.Validate()).To(Succeed())
	inner, err := protojson.Marshal(s.GetPredicate())
	Expect(err).NotTo(HaveOccurred())
	Expect(protojson.Unmarshal(inner, predicate)).To(Succeed())
	return s, predicate
}

func marshalStatement(r *report.Report, files []statement.File) []byte {
	GinkgoHelper()
	content, err := statement.Marshal(r, files)
	Expect(err).NotTo(HaveOccurred())
	return content
}

var _ = Describe("statement.json", func() {
	It("is a statement of in-toto, version 1, about each file by its digest", func() {
		s, _ := readStatement(marshalStatement(reportOf(ledger.Pass, true),
			digestsOf("summary.md", "evidence.har", "report.json", "report.html", "junit.xml")))
		Expect(s.GetType()).To(Equal("https://in-toto.io/Statement/v1"))
		Expect(s.GetPredicateType()).To(Equal("https://in-toto.io/attestation/test-result/v0.1"))
		var names []string
		for _, subject := range s.GetSubject() {
			names = append(names, subject.GetName())
			Expect(subject.GetDigest()).To(Equal(map[string]string{"sha256": fmt.Sprintf("%x",
				sha256.Sum256([]byte(subject.GetName())))}))
		}
		Expect(names).To(Equal([]string{"evidence.har", "junit.xml", "report.html", "report.json", "summary.md"}))
	})

	It("says WARNED of a run that passed and certifies nothing", func() {
		r := reportOf(ledger.Pass, true)
		r.Certifies = false
		_, predicate := readStatement(marshalStatement(r, digestsOf("report.json")))
		Expect(predicate.GetResult()).To(Equal("WARNED"))
	})

	It("names the users, the baseline, the evidence that was judged again, and what is waived until when", func() {
		r := reportOf(ledger.Pass, true, report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Verdict: ledger.Fail,
			Waiver: &report.Waiver{Until: "2027-01-31"}})
		r.Users = &report.Users{Count: 12, Digest: "sha256:" + strings.Repeat("1", 64)}
		r.Settings = []report.Setting{{Name: "parity", Value: "shape"}, {Name: "rate", Value: "5"}}
		r.Gate = &report.Gate{Digest: "sha256:" + strings.Repeat("3", 64)}
		r.JudgedAgain = &report.JudgedAgain{Evidence: "sha256:" + strings.Repeat("2", 64)}
		_, predicate := readStatement(marshalStatement(r, digestsOf("report.json")))
		named := map[string]string{}
		for _, d := range predicate.GetConfiguration() {
			named[d.GetName()] = d.GetUri() + d.GetDigest()["sha256"]
		}
		Expect(named).To(And(
			HaveKeyWithValue("12 users", strings.Repeat("1", 64)),
			HaveKeyWithValue("parity of shapes only", "setting:parity=shape"),
			HaveKeyWithValue("baseline", strings.Repeat("3", 64)),
			HaveKeyWithValue("evidence, judged again", strings.Repeat("2", 64)),
			HaveKeyWithValue("waiver of 2.1/CreatedOn v5 until 2027-01-31", "requirement:2.1/CreatedOn?version=v5")))
	})

	DescribeTable("says PASSED only of a run that certifies",
		func(verdict ledger.Verdict, complete bool, expected string) {
			_, predicate := readStatement(marshalStatement(reportOf(verdict, complete), digestsOf("report.json")))
			Expect(predicate.GetResult()).To(Equal(expected))
		},
		Entry("pass", ledger.Pass, true, "PASSED"),
		Entry("pass of a narrowed run", ledger.Pass, false, "WARNED"),
		Entry("inconclusive", ledger.Inconclusive, true, "WARNED"),
		Entry("inconclusive and narrowed", ledger.Inconclusive, false, "WARNED"),
		Entry("fail", ledger.Fail, true, "FAILED"),
		Entry("fail of a narrowed run", ledger.Fail, false, "FAILED"),
		Entry("error", ledger.Fault, false, "FAILED"),
		Entry("error of a run that was complete", ledger.Fault, true, "FAILED"),
		Entry("a word that is no verdict", ledger.Verdict("PASSED"), true, "FAILED"),
		Entry("no verdict", ledger.Verdict(""), true, "FAILED"),
	)

	DescribeTable("names each row once, where it belongs",
		func(change func(row *report.Row), passed, warned, failed int) {
			row := report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Verdict: ledger.Pass}
			change(&row)
			_, predicate := readStatement(marshalStatement(reportOf(ledger.Fail, true, row), digestsOf("report.json")))
			Expect([]int{len(predicate.GetPassedTests()), len(predicate.GetWarnedTests()),
				len(predicate.GetFailedTests())}).To(Equal([]int{passed, warned, failed}))
			Expect(append(append(predicate.GetPassedTests(), predicate.GetWarnedTests()...),
				predicate.GetFailedTests()...)).To(Equal([]string{"2.1/CreatedOn v5"}))
		},
		Entry("pass", func(*report.Row) {}, 1, 0, 0),
		Entry("fail", func(row *report.Row) { row.Verdict = ledger.Fail }, 0, 0, 1),
		Entry("fail, waived", func(row *report.Row) { row.Verdict, row.Waiver = ledger.Fail, &report.Waiver{} }, 0, 1,
			0),
		Entry("fail, known", func(row *report.Row) { row.Verdict, row.Known = ledger.Fail, true }, 0, 1, 0),
		Entry("inconclusive", func(row *report.Row) { row.Verdict = ledger.Inconclusive }, 0, 1, 0),
		Entry("inconclusive, waived", func(row *report.Row) {
			row.Verdict, row.Waiver = ledger.Inconclusive,
				&report.Waiver{}
		}, 0, 1, 0),
		Entry("a word that is no verdict", func(row *report.Row) { row.Verdict = "passed" }, 0, 0, 1),
	)

	It("names rows in the report's order, those of parity too", func() {
		_, predicate := readStatement(marshalStatement(reportOf(ledger.Pass, true,
			report.Row{ID: "2.1/Id", Version: schemas.V6, Verdict: ledger.Pass},
			report.Row{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass},
			report.Row{ID: "9.3/getUserAuth/shape", Version: schemas.Parity, Verdict: ledger.Pass},
		), digestsOf("report.json")))
		Expect(predicate.GetPassedTests()).To(Equal([]string{"2.1/Id v6", "2.1/Id v5", "9.3/getUserAuth/shape v5=v6"}))
	})

	It("has a list that is empty, not none", func() {
		var members struct {
			Predicate map[string]json.RawMessage `json:"predicate"`
		}
		Expect(json.Unmarshal(marshalStatement(reportOf(ledger.Pass, true), digestsOf("report.json")),
			&members)).To(Succeed())
		for _, name := range []string{"passedTests", "warnedTests", "failedTests"} {
			Expect(members.Predicate).To(HaveKeyWithValue(name, BeEquivalentTo("[]")))
		}
	})

	It("names the contract by its digest and the targets by their URLs", func() {
		_, predicate := readStatement(marshalStatement(reportOf(ledger.Pass, true), digestsOf("report.json")))
		Expect(predicate.GetConfiguration()).To(HaveExactElements(
			And(HaveField("Name", "contract"), HaveField("Digest", map[string]string{"sha256": contract})),
			And(HaveField("Name", "target v5"), HaveField("Uri", "https://access.example.com/8.2")),
			And(HaveField("Name", "target v6"), HaveField("Uri", "https://access.example.com/9.2?a=<b>&c")),
		))
		for _, descriptor := range predicate.GetConfiguration() {
			Expect(descriptor.Validate()).To(Succeed())
		}
	})

	It("of a run that could not begin names no target", func() {
		r := reportOf(ledger.Fault, false)
		r.Target = nil
		_, predicate := readStatement(marshalStatement(r, digestsOf("report.json")))
		Expect(predicate.GetConfiguration()).To(HaveLen(1))
	})

	It("is the same, byte for byte, for the same report and files", func() {
		row := report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Verdict: ledger.Pass}
		first := marshalStatement(reportOf(ledger.Pass, true, row),
			digestsOf("report.json", "report.html", "junit.xml", "evidence.har", "summary.md"))
		for range 20 {
			Expect(marshalStatement(reportOf(ledger.Pass, true, row),
				digestsOf("summary.md", "evidence.har", "report.html", "junit.xml", "report.json"))).To(Equal(first))
		}
		Expect(string(first)).To(HavePrefix("{\n  \"_type\": \"https://in-toto.io/Statement/v1\",\n  \"subject\": [\n    {\n      \"name\": \"evidence.har\",\n"))
		Expect(string(first)).To(HaveSuffix("\n}\n"))
	})

	It("changes with a file, with the result and with a row", func() {
		row := report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Verdict: ledger.Pass}
		seen := map[string]bool{}
		for _, content := range [][]byte{
			marshalStatement(reportOf(ledger.Pass, true, row), digestsOf("a")),
			marshalStatement(reportOf(ledger.Pass, true, row), digestsOf("b")),
			marshalStatement(reportOf(ledger.Pass, false, row), digestsOf("a")), marshalStatement(reportOf(ledger.Pass,
				true),
				digestsOf("a")),
		} {
			seen[string(content)] = true
		}
		Expect(seen).To(HaveLen(4))
	})

	DescribeTable("is refused",
		func(change func(r *report.Report), files []string, expected string) {
			r := reportOf(ledger.Pass, true)
			change(r)
			_, err := statement.Marshal(r, digestsOf(files...))
			Expect(err).To(MatchError(ContainSubstring(expected)))
		},
		Entry("about no file", func(*report.Report) {}, nil, "at least one file"),
		Entry("with half a digest of the contract",
			func(r *report.Report) { r.Suite.Contract = "sha256:" + contract[:32] }, []string{"a"}, "contract"),
		Entry("with a digest of the contract that is none",
			func(r *report.Report) { r.Suite.Contract = strings.Repeat("z", 64) }, []string{"a"}, "contract"),
		Entry("with text that is not UTF-8", func(r *report.Report) { r.Target[schemas.V5] = "\xff" }, []string{"a"},
			"UTF-8"),
	)
})
