package gate_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A baseline that was written", func() {
	const userName = "Ada Lovelace"
	var contract *schemas.Contract
	var path string
	BeforeEach(func() {
		contract = testkit.Contract()
		path = filepath.Join(GinkgoT().TempDir(), "baseline.json")
	})
	// taken is a complete report, in whose texts a person stands wherever a report shows answers and users.
	newReport := func() *report.Report {
		r := report.Failed(contract.Digest, time.Now(), time.Now(), "")
		r.Error, r.Verdict, r.Complete, r.Run = nil, ledger.Fail, true, "a7a1d5d3-4b56-4a3c-9f2d-0b1c2d3e4f50"
		failed := failingRow("2.1/CreatedOn", report.Cause{Kind: "not in its form", Pointer: "/CreatedOn", Count: 3,
			Example: userName})
		failed.Findings = []report.Finding{{Actual: userName, Message: userName, Repeat: userName}}
		failed.Notes = []string{userName}
		failed.Waiver = &report.Waiver{Reason: userName, Until: "2027-01-31"}
		open := inconclusiveRow("2.1/Flags", ledger.NoWitness)
		r.Requirements = []report.Row{passingRow("2.1/Id"), failed, open}
		text, status, asked := "Flags "+userName, "200", ledger.NotAsked
		r.Observations = []report.Observation{
			{ID: "open/2/flags", Section: "2", Shows: "values", Operation: schemas.GetUserAuth,
				Seen: report.Seen{schemas.V5: {Text: text}, schemas.V6: {Text: text}}, Compared: true},
			{ID: "open/3/states", Section: "3", Shows: "values", Operation: schemas.GetUserAuth,
				Seen: report.Seen{schemas.V5: {Text: text}}, Compared: true},
			{ID: "open/4.3/status", Section: "4.3", Operation: schemas.GetUserAuth,
				Seen:     report.Seen{schemas.V5: {Text: status}, schemas.V6: {Text: asked}},
				Compared: true},
			{ID: "open/8/latency", Section: "8", Operation: schemas.GetUserAuth,
				Seen: report.Seen{schemas.V5: {Text: text}, schemas.V6: {Text: text}}},
		}
		r.Notes, r.Settings = []string{userName}, []report.Setting{{Name: "users", Value: userName, Source: userName}}
		return r
	}

	It("holds what the gate compares, and nothing of users or answers", func() {
		Expect(gate.Write(path, newReport())).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).NotTo(Or(ContainSubstring("Lovelace"), ContainSubstring("latency"),
			ContainSubstring("settings")))
		decoded, err := strictjson.Decode(text)
		Expect(err).NotTo(HaveOccurred())
		value := decoded.(map[string]any)
		schema, err := schemas.BaselineSchema()
		Expect(err).NotTo(HaveOccurred())
		Expect(schema.Check(value)).To(BeEmpty())
		Expect(value["requirements"]).To(Equal([]any{
			map[string]any{"id": "2.1/Id", "version": "v5", "verdict": "pass"},
			map[string]any{"id": "2.1/CreatedOn", "version": "v5", "verdict": "fail",
				"causes": []any{map[string]any{"kind": "not in its form", "pointer": "/CreatedOn",
					"count": json.Number("3")}}},
			map[string]any{"id": "2.1/Flags", "version": "v5", "verdict": "inconclusive"},
		}))
		Expect(value["observations"]).To(HaveExactElements(
			And(HaveKeyWithValue("v5", HavePrefix("sha256:")), HaveKeyWithValue("v6", HavePrefix("sha256:"))),
			And(HaveKeyWithValue("v5", HavePrefix("sha256:")), HaveKeyWithValue("v6", BeNil())),
			And(HaveKeyWithValue("v5", "200"), HaveKeyWithValue("v6", ledger.NotAsked)),
		))
	})

	It("brings back what is compared: users, key, and what each version did at an open point", func() {
		r := newReport()
		r.Values, r.Key, r.Users = "hide", "0123456789abcdef", &report.Users{Count: 13,
			Digest: "sha256:" + strings.Repeat("1", 64)}
		Expect(gate.Write(path, r)).To(Succeed())
		back := testkit.Must(gate.Read(path, contract))
		Expect(back.Values).To(Equal(r.Values))
		Expect(back.Key).To(Equal(r.Key))
		Expect(back.Users).To(Equal(r.Users))
		seen := map[string]report.Seen{}
		for _, o := range back.Observations {
			seen[o.ID] = o.Seen
		}
		Expect(seen).To(HaveLen(3))
		Expect(seen["open/4.3/status"]).To(Equal(r.Observations[2].Seen))
		Expect(seen["open/2/flags"][schemas.V5].Text).To(HavePrefix("sha256:"), "what shows values is kept as a digest")
	})

	It("keeps that a point was not asked for, also where it shows values", func() {
		r := newReport()
		r.Observations[0].Seen[schemas.V5] = report.SeenBy{Text: ledger.NotAsked}
		Expect(gate.Write(path, r)).To(Succeed())
		for _, o := range testkit.Must(gate.Read(path, contract)).Observations {
			if o.ID == "open/2/flags" {
				Expect(o.Seen[schemas.V5].Text).To(Equal(ledger.NotAsked))
			}
		}
	})

	It("that is a folder is not told to be recorded first", func() {
		_, err := gate.Read(filepath.Dir(path), contract)
		Expect(err).To(MatchError(Not(ContainSubstring("record it first"))))
	})

	It("makes the same run a pass in which all is known", func() {
		Expect(gate.Write(path, newReport())).To(Succeed())
		baseline, err := gate.Read(path, contract)
		Expect(err).NotTo(HaveOccurred())
		Expect(baseline.Run).To(Equal(newReport().Run))
		now := newReport()
		now.Requirements[1].Waiver = nil
		gate.Compare(baseline, now, true)
		Expect(now.Verdict).To(Equal(ledger.Pass))
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(now.Gate).To(Equal(&report.Gate{Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(content)),
			New: []report.Entry{}, Grown: []report.Entry{}, Stale: []report.Entry{}, Changed: []report.Changed{}, Known: []report.Entry{
				{Requirement: "2.1/CreatedOn", Version: schemas.V5, Kind: "not in its form", Pointer: "/CreatedOn",
					Count: 3},
				undecidedEntry("2.1/Flags"),
			}}))
	})

	It("is read if another release with the same format wrote it: unknown members are passed over", func() {
		Expect(gate.Write(path, newReport())).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		newer := strings.NewReplacer(`"baseline 1.1"`, `"baseline 1.9"`, `"run":`, `"extra": {"a": 1}, "run":`,
			`"count": 3`, `"count": 3, "share": 0.5`).Replace(string(text))
		Expect(os.WriteFile(path, []byte(newer), 0o600)).To(Succeed())
		baseline, err := gate.Read(path, contract)
		Expect(err).NotTo(HaveOccurred())
		Expect(baseline.Requirements).To(HaveLen(3))
	})

	It("is refused where it has no end, as far as can be seen", func() {
		Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
		Expect(os.Truncate(path, 65<<20)).To(Succeed())
		_, err := gate.Read(path, contract)
		Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("64 MiB"))))
	})

	DescribeTable("is refused after a change", func(from, to, reason string) {
		Expect(gate.Write(path, newReport())).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(from))
		Expect(os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600)).To(Succeed())
		_, err = gate.Read(path, contract)
		Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring(reason),
			ContainSubstring("--update-baseline"))))
	},
		Entry("of its requirements", `"2.1/CreatedOn"`, `"2.1/CreatedAt"`, `no requirement "2.1/CreatedAt"`),
		Entry("of its verdicts", `"verdict": "fail"`, `"verdict": "error"`,
			`it is not a valid baseline: at "/requirements/1/verdict"`),
		Entry("of its contract", `"contract": "sha256:`, `"contract": "sha256:0`, `at "/contract"`),
		Entry("of its format", `"baseline 1.1"`, `"baseline 2.0"`, `at "/format"`),
	)

	It("is not written of a run that was narrowed or not carried out, and not where it can't be", func() {
		narrowed, broken := newReport(), newReport()
		narrowed.Complete, broken.Verdict = false, ledger.Fault
		for _, r := range []*report.Report{narrowed, broken} {
			Expect(gate.Write(path, r)).To(
				MatchError(And(ContainSubstring("--update-baseline"), ContainSubstring("was not changed"))))
			Expect(path).NotTo(BeAnExistingFile())
		}
		Expect(gate.Write(filepath.Join(path, "below"), newReport())).To(
			MatchError(ContainSubstring("--update-baseline")))
	})
})
