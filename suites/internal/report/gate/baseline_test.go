package gate_test

import (
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/testkit"
)

// userName stands in a report wherever one shows answers and users.
const userName = "Ada Lovelace"

// newReport is the report of a run without a filter. A row is not decided.
func newReport() *report.Report {
	GinkgoHelper()
	at := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	r := report.Failed(testkit.Contract().Digest, at, at, "")
	r.Error, r.Verdict, r.Complete, r.Run = nil, ledger.Fail, false, "a7a1d5d3-4b56-4a3c-9f2d-0b1c2d3e4f50"
	r.Versions, r.Target = schemas.Versions(), map[schemas.Version]string{schemas.V5: "http://a.test",
		schemas.V6: "http://a.test"}
	r.Requirements = parseRows("pass, fail form@/CreatedOn*3, inconclusive no-witness")
	for i, id := range []string{"2.1/Id", "2.1/CreatedOn", "2.1/Flags"} {
		q, known := testkit.Contract().Requirement(id)
		Expect(known).To(BeTrue())
		row := &r.Requirements[i]
		row.ID, row.Section, row.Kind, row.Statement = id, q.Section, q.Kind, q.Statement
		row.Operation, row.Notes, row.Findings = schemas.GetUserAuth, []string{}, []report.Finding{}
	}
	failed := &r.Requirements[1]
	failed.Notes, failed.Waiver = []string{userName}, &report.Waiver{Reason: userName, Until: "2027-01-31"}
	failed.Findings = []report.Finding{{Actual: userName, Message: userName, Repeat: userName}}
	failed.FindingCount, failed.Causes[0].Example = 3, userName
	observe := func(id, shows string, compared bool, seen report.Seen) {
		r.Observations = append(r.Observations, report.Observation{ID: id, Section: "2", Shows: shows,
			Operation: schemas.GetUserAuth, Compared: compared, Seen: seen})
	}
	text := report.SeenBy{"Flags " + userName}
	observe("open/2/flags", "values", true, report.Seen{schemas.V5: text, schemas.V6: text})
	observe("open/3/states", "values", true, report.Seen{schemas.V5: text, schemas.V6: {ledger.NotAsked}})
	observe("open/4.3/status", "", true, report.Seen{schemas.V5: {"200"}})
	observe("open/8/latency", "", false, report.Seen{schemas.V5: text, schemas.V6: text})
	r.Notes, r.Settings = []string{userName}, []report.Setting{{Name: "users", Value: userName, Source: userName}}
	r.Values = "hide"
	r.Users = &report.Users{Count: 13, Digest: "sha256:" + strings.Repeat("1", 64)}
	return r
}

var _ = Describe("A baseline", func() {
	var path string
	BeforeEach(func() { path = filepath.Join(GinkgoT().TempDir(), "baseline.json") })
	writeText := func(text string) { testkit.Write(filepath.Dir(path), filepath.Base(path), []byte(text)) }
	read := func() (*report.Report, error) { return gate.Read(path, testkit.Contract()) }

	It("That is written has what the gate compares, and nothing of users or answers", func() {
		Expect(gate.Write(path, newReport())).To(Succeed())
		text := testkit.Read(path)
		Expect(string(text)).NotTo(ContainSubstring("Lovelace"))
		Expect(schemas.OutputSchema("baseline").Check(testkit.Must(strictjson.Decode(text)))).To(BeEmpty())
		testkit.ExpectGolden(filepath.Join("testdata", "baseline.json"),
			strings.ReplaceAll(string(text), testkit.Contract().Digest, "$contract"))
	})

	It("Makes the same run a pass in which all is known", func() {
		Expect(gate.Write(path, newReport())).To(Succeed())
		back, now := testkit.Must(read()), newReport()
		Expect([]any{back.Run, back.Values, back.Users}).To(
			Equal([]any{now.Run, now.Values, now.Users}))
		Expect(back.Observations[2].Seen).To(Equal(now.Observations[2].Seen))
		now.Requirements[1].Waiver = nil
		gate.Compare(back, now, true)
		Expect(describeGate(now)).To(Equal("pass; row v5 2.1/CreatedOn is known; row v5 2.1/Flags is known; " +
			"known: v5 2.1/CreatedOn form@/CreatedOn*3; known: v5 2.1/Flags inconclusive@*1"))
		Expect(now.Gate.Digest).To(Equal(exchange.DigestOf(testkit.Read(path))))
	})

	It("Of a run that decided all rows and compared no open point is valid, and can be read", func() {
		r := newReport()
		r.Requirements, r.Observations, r.Complete = r.Requirements[:2], nil, true
		Expect(gate.Write(path, r)).To(Succeed())
		written := testkit.Must(strictjson.Decode(testkit.Read(path)))
		Expect(schemas.OutputSchema("baseline").Check(written)).To(BeEmpty())
		Expect(testkit.Must(read()).Requirements).To(HaveLen(2))
	})

	It("Can be a report.json with a byte order mark, and brings nothing to a terminal that acts there", func() {
		r := newReport()
		r.Requirements[1].Causes[0] = report.Cause{Key: check.Key{Kind: "\x1b[31mred", Pointer: "/a\x1b]0;x\a",
			Off: "\x1b[0m"}, Count: 1}
		var text strings.Builder
		Expect(report.WriteJSON(&text, r)).To(Succeed())
		writeText("\xef\xbb\xbf" + text.String())
		Expect(testkit.Must(read()).Requirements[1].Causes).To(Equal([]report.Cause{{Count: 1,
			Key: check.Key{Kind: `\u001b[31mred`, Pointer: `/a\u001b]0;x\u0007`, Off: `\u001b[0m`}}}))
	})

	DescribeTable("That was changed is read if it says the same, and else refused with the file and what to do",
		func(what, from, to, says string) {
			Expect(gate.Write(path, newReport())).To(Succeed())
			if what == "report" {
				var written strings.Builder
				Expect(report.WriteJSON(&written, newReport())).To(Succeed())
				writeText(written.String())
			}
			text := strings.Replace(string(testkit.Read(path)), testkit.Contract().Digest, "$contract", 1)
			Expect(text).To(ContainSubstring(from))
			text = strings.Replace(text, from, to, 1)
			text = strings.Replace(text, "$contract", testkit.Contract().Digest, 1)
			writeText(text)
			back, err := read()
			if says == "" {
				Expect(err).NotTo(HaveOccurred())
				Expect(back.Requirements).To(HaveLen(3))
				return
			}
			Expect(err).To(MatchError(And(HavePrefix("baseline "+path+": "), ContainSubstring(says),
				ContainSubstring("--update-baseline"))))
		}, testkit.Entries("changed"))

	DescribeTable("Is refused if it is no report at all, with no command that would overwrite the file",
		func(text, says string) {
			writeText(text)
			_, err := read()
			Expect(err).To(MatchError(And(
				HavePrefix("baseline "+path+": it is neither a baseline nor a report.json of a run"),
				ContainSubstring(says), Not(ContainSubstring("--update-baseline "+path)))))
		},
		Entry("Empty", "", ""), Entry("Another text", "verdict: pass", ""), Entry("A users file", "- id: a\n", ""),
		Entry("Something after it", "{} {}", ""), Entry("A list", "[]", "expected"),
		Entry("A member twice", `{"verdict":"pass","verdict":"pass"}`, "verdict"),
	)

	It("That can't be read is an error, which says how to record it only if it is not there", func() {
		_, err := read()
		Expect(err).To(MatchError(And(HavePrefix("baseline "+path+": "),
			ContainSubstring("the same command with --update-baseline "+path+" in the place"))))
		_, err = gate.Read(filepath.Dir(path), testkit.Contract())
		Expect(err).To(MatchError(Not(ContainSubstring("record it first"))))
	})

	It("Is not written of a run that was narrowed or not carried out, and not where it can't be", func() {
		narrowed, broken := newReport(), newReport()
		reason := ledger.NotRun
		narrowed.Requirements[2].Reason, broken.Verdict = &reason, ledger.Fault
		for _, r := range []*report.Report{narrowed, broken} {
			Expect(gate.Write(path, r)).To(
				MatchError(ContainSubstring("--update-baseline: " + path + " was not changed")))
			Expect(path).NotTo(BeAnExistingFile())
		}
		Expect(gate.Write(filepath.Join(path, "below"), newReport())).To(
			MatchError(ContainSubstring("--update-baseline")))
	})

	DescribeTable("Is not written in place of another file, and of no baseline that can't be read here",
		func(content, says string) {
			writeText(content)
			if says == "" {
				Expect(gate.CheckPlace(path)).To(Succeed())
				return
			}
			Expect(gate.CheckPlace(path)).To(MatchError("--update-baseline: " + path + " " + says +
				", and is not replaced: name another file"))
		},
		Entry("Nothing", "", ""), Entry("A baseline of another release", `{"format": "baseline 7.0"}`, ""),
		Entry("A report of another release", `{"format": "1.3", "requirements": []}`, ""),
		Entry("A summary of a sweep of another release", `{"format": "1.2", "tally": {}}`, "is no baseline"),
		Entry("A users file", "- {id: a, userId: b}\n", "is no baseline"),
		Entry("Users in JSON", `[{"id": "a", "userId": "b"}]`, "is no baseline"),
		Entry("Another file with requirements", `{"format": "2.0", "requirements": []}`, "is no baseline"),
		Entry("Another report", `{"format": "sweep 1.0"}`, "is no baseline"),
	)

	It("Is written in place of a baseline or of a copy of report.json, and not into a folder that does not exist",
		func() {
			Expect(gate.CheckPlace(path)).To(Succeed())
			Expect(gate.Write(path, newReport())).To(Succeed())
			Expect(gate.CheckPlace(path)).To(Succeed())
			var text strings.Builder
			Expect(report.WriteJSON(&text, newReport())).To(Succeed())
			writeText(text.String())
			Expect(gate.CheckPlace(path)).To(Succeed())
			Expect(gate.CheckPlace(filepath.Join(path, "below"))).To(
				MatchError(ContainSubstring("the folder does not exist")))
		})

	It("Can be of a whole run only, and not of one from which a filter left out a row", func() {
		rows := []*ledger.Row{{Selected: true}, {Selected: true}}
		Expect(gate.CheckWhole(rows)).To(Succeed())
		rows[1].Selected = false
		Expect(gate.CheckWhole(rows)).To(MatchError(HavePrefix("--update-baseline: only a whole run can be a")))
	})

	DescribeTable("Covers a run that judges the same rows, and no other", func(had, judged []string, says string) {
		baseline, rows := &report.Report{}, []*ledger.Row{}
		key := func(text string) ledger.Key {
			id, version, _ := strings.Cut(text, " ")
			return ledger.Key{ID: id, Version: schemas.Version(version)}
		}
		for _, text := range had {
			baseline.Requirements = append(baseline.Requirements,
				report.Row{ID: key(text).ID, Version: key(text).Version})
		}
		for _, text := range judged {
			rows = append(rows, &ledger.Row{Key: key(text)})
		}
		err := gate.CheckCoverage("b.json", baseline, rows)
		if says == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(HavePrefix("baseline b.json: it " + says)))
	}, testkit.Entries("covers"))
})
