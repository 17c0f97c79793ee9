package gate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

// members changes the JSON of a report.
type members func(map[string]any)

// writeBaseline writes a baseline, with a row that failed, as a run would, and changes it. The result is its path.
func writeBaseline(contract *schemas.Contract, change members) string {
	GinkgoHelper()
	r := report.Failed(contract.Digest, time.Now(), time.Now(), "")
	r.Error, r.Verdict, r.Complete, r.Run = nil, ledger.Fail, true, "a7a1d5d3-4b56-4a3c-9f2d-0b1c2d3e4f50"
	r.Versions, r.Target = schemas.Versions(), map[schemas.Version]string{schemas.V5: "http://a.test",
		schemas.V6: "http://a.test"}
	for _, id := range []string{"2.1/CreatedOn", "2.1/Id"} {
		q, known := contract.Requirement(id)
		Expect(known).To(BeTrue())
		r.Requirements = append(r.Requirements, report.Row{
			ID: id, Section: q.Section, Kind: q.Kind, Statement: q.Statement, Operation: schemas.GetUserAuth,
			Version: schemas.V5,
			Verdict: ledger.Fail, Notes: []string{}, FindingCount: 3, Findings: []report.Finding{},
			Causes: []report.Cause{{Kind: "k", Pointer: "/a", Count: 3}},
		})
	}
	var written bytes.Buffer
	Expect(report.WriteJSON(&written, r)).To(Succeed())
	var value map[string]any
	Expect(json.Unmarshal(written.Bytes(), &value)).To(Succeed())
	change(value)
	text, err := json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
	Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
	return path
}

func asWritten(map[string]any) {}

var _ = Describe("A baseline", func() {
	var contract *schemas.Contract
	BeforeEach(func() { contract = testkit.Contract() })

	It("is read as it was written, after a byte order mark too", func() {
		path := writeBaseline(contract, asWritten)
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, append([]byte("\xef\xbb\xbf"), text...), 0o600)).To(Succeed())
		baseline, err := gate.Read(path, contract)
		Expect(err).NotTo(HaveOccurred())
		Expect(baseline.Requirements).To(HaveLen(2))
		Expect(baseline.Requirements[0].Causes).To(Equal([]report.Cause{{Kind: "k", Pointer: "/a", Count: 3}}))
	})

	It("brings nothing to a terminal that does something there", func() {
		baseline, err := gate.Read(writeBaseline(contract, func(r map[string]any) {
			row := r["requirements"].([]any)[0].(map[string]any)
			row["causes"] = []any{map[string]any{"kind": "\x1b[31mred", "pointer": "/a\x1b]0;x\a", "count": 1,
				"example": ""}}
		}), contract)
		Expect(err).NotTo(HaveOccurred())
		c := baseline.Requirements[0].Causes[0]
		Expect(c.Kind + c.Pointer).NotTo(ContainSubstring("\x1b"))
		Expect(c.Pointer).To(Equal(`/a\u001b]0;x\u0007`))
	})

	It("is taken if it was recorded with earlier files that say the same", func() {
		path := writeBaseline(contract, func(r map[string]any) {
			r["suite"].(map[string]any)["contract"] = "sha256:981951cabfc92e0726a33c6aeeacc9468aefe927f358f2148f14d7d985bcd317"
		})
		_, err := gate.Read(path, contract)
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("is refused", func(change members, reason string) {
		path := writeBaseline(contract, change)
		_, err := gate.Read(path, contract)
		Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring(reason),
			ContainSubstring("--update-baseline"))))
	},
		Entry("of another contract", func(r map[string]any) {
			r["suite"].(map[string]any)["contract"] = "sha256:" + strings.Repeat("0", 64)
		}, "another contract"),
		Entry("of a run that was not complete", func(r map[string]any) { r["complete"] = false }, "incomplete"),
		Entry("of a run that ended as an error", func(r map[string]any) { r["verdict"], r["error"] = "error", "why" },
			"could not be carried out"),
		Entry("with a requirement that the catalogue does not have", func(r map[string]any) {
			r["requirements"].([]any)[0].(map[string]any)["id"] = "2.1/Colour"
		}, `"2.1/Colour"`),
		Entry("without its requirements", func(r map[string]any) { delete(r, "requirements") }, "/requirements"),
		Entry("with a verdict that is none", func(r map[string]any) { r["verdict"] = "passed" }, "/verdict"),
		Entry("that names a format of baselines", func(r map[string]any) { r["format"] = "baseline 1.0" },
			"is not a valid baseline"),
		Entry("that names a later format of baselines", func(r map[string]any) { r["format"] = "baseline 2.0" },
			"/contract"),
	)

	DescribeTable("is refused if it is no report at all", func(content, reason string) {
		path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
		Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		_, err := gate.Read(path, contract)
		Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("report"), ContainSubstring(reason))))
	},
		Entry("empty", "", ""),
		Entry("another text", "verdict: pass", ""),
		Entry("with something after it", "{} {}", ""),
		Entry("a list", "[]", "expected"),
		Entry("with a member twice", `{"verdict":"pass","verdict":"pass"}`, "verdict"),
	)

	It("that is not there is an error that says how to record it", func() {
		path := filepath.Join(GinkgoT().TempDir(), "none.json")
		_, err := gate.Read(path, contract)
		Expect(err).To(MatchError(And(HavePrefix("baseline "+path+": "),
			HaveSuffix("record it first with: conformance run --update-baseline "+path))))
	})

	It("that is another file is an error that names no command to overwrite it", func() {
		path := filepath.Join(GinkgoT().TempDir(), "users.yaml")
		Expect(os.WriteFile(path, []byte("- id: a\n"), 0o600)).To(Succeed())
		_, err := gate.Read(path, contract)
		Expect(err).To(MatchError(And(ContainSubstring("it is neither a baseline nor a report.json of a run"),
			Not(ContainSubstring("--update-baseline "+path)))))
	})
})

var _ = Describe("A baseline covers a run", func() {
	rows := func(keys ...ledger.Key) []*ledger.Row {
		var list []*ledger.Row
		for _, k := range keys {
			list = append(list, &ledger.Row{Key: k})
		}
		return list
	}
	created, id := ledger.Key{ID: "2.1/CreatedOn", Version: schemas.V5}, ledger.Key{ID: "2.1/Id", Version: schemas.V5}
	baseline := reportOf(passingRow(created.ID), passingRow(id.ID))

	It("that judges the same rows", func() {
		Expect(gate.CheckCoverage("b.json", baseline, rows(created, id))).To(Succeed())
	})

	It("names the rows that the run lacks, sorted", func() {
		many := reportOf(passingRow("2.1/Id"), passingRow("2.1/Flags"), passingRow("2.1/CreatedOn"),
			passingRow("2.1/Device"))
		Expect(gate.CheckCoverage("b.json", many, rows())).To(MatchError(ContainSubstring(
			"it has 2.1/CreatedOn v5, 2.1/Device v5, 2.1/Flags v5, 2.1/Id v5, which")))
	})

	DescribeTable("but not one", func(reason string, keys ...ledger.Key) {
		Expect(gate.CheckCoverage("b.json", baseline, rows(keys...))).To(
			MatchError(And(ContainSubstring("b.json"), ContainSubstring(reason))))
	},
		Entry("with a row more", "it lacks 2.1/Flags v5", created, id,
			ledger.Key{ID: "2.1/Flags", Version: schemas.V5}),
		Entry("with a row less", "it has 2.1/Id v5, which this run does not judge", created),
		Entry("with another version", "it lacks 2.1/Id v6", created, ledger.Key{ID: "2.1/Id", Version: schemas.V6}),
	)
})
