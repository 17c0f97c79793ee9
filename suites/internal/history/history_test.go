package history_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/history"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

func TestHistory(t *testing.T) { testkit.Specs(t, "history") }

const contract = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// began is the day of the first report.
var began = time.Date(2026, 9, 1, 2, 0, 0, 0, time.UTC)

// reportOn is the text of the report.json of a day on which 2.1/CreatedOn of v6 has a state.
func reportOn(day int, state string, changes ...func(*report.Report)) string {
	GinkgoHelper()
	end := began.AddDate(0, 0, day)
	row := report.Row{ID: "2.1/CreatedOn", Section: "2.1", Kind: "documented", Operation: "getUserAuth", Version: "v6",
		Verdict: ledger.Pass, Notes: []string{}, Findings: []report.Finding{}, Causes: []report.Cause{}}
	r := report.Failed(contract, end, end, "")
	r.Error, r.Verdict, r.Run = nil, ledger.Pass, end.Format(time.DateOnly)
	r.Complete, r.Certifies = true, true
	r.Users = &report.Users{Count: 3, Digest: contract}
	switch state {
	case "fail":
		row.Verdict, r.Verdict, r.Certifies = ledger.Fail, ledger.Fail, false
	case "waived":
		row.Verdict, r.Certifies = ledger.Fail, false
		row.Waiver = &report.Waiver{Reason: "known", Until: "2027-01-31"}
	}
	r.Requirements = []report.Row{row}
	for _, change := range changes {
		change(r)
	}
	var text strings.Builder
	Expect(report.WriteJSON(&text, r)).To(Succeed())
	return text.String()
}

// writeReport writes such a report, and returns its folder.
func writeReport(day int, state string, changes ...func(*report.Report)) string {
	GinkgoHelper()
	text := reportOn(day, state, changes...)
	return filepath.Dir(testkit.Write(GinkgoT().TempDir(), report.JSONFile, []byte(text)))
}

func readHistory(paths ...string) *history.History {
	GinkgoHelper()
	return testkit.Must(history.Read(paths))
}

func pageOf(h *history.History, now time.Time) string {
	GinkgoHelper()
	var text strings.Builder
	Expect(h.WritePage(&text, now)).To(Succeed())
	return text.String()
}

var _ = Describe("The history of reports", func() {
	It("Has the states of each requirement by time, whatever the order of the files, and reads as it was", func() {
		dirs := []string{writeReport(4, "pass"), writeReport(1, "fail"), writeReport(0, "pass"), writeReport(2, "fail"),
			writeReport(3, "waived")}
		h := readHistory(append(dirs, dirs[0])...)
		Expect(h.Reports).To(HaveLen(5), "one that is named twice counts once")
		Expect(h.Requirements).To(HaveLen(1))
		q, last := h.Requirements[0], began.AddDate(0, 0, 4)
		Expect([]any{q.States, q.Changes, q.FailingSince, q.LastPassed}).To(
			Equal([]any{[]string{"pass", "fail", "fail", "waived", "pass"}, 3, (*time.Time)(nil), &last}))
		var text strings.Builder
		Expect(h.WriteJSON(&text)).To(Succeed())
		var again history.History
		Expect(json.Unmarshal([]byte(text.String()), &again)).To(Succeed())
		Expect(again.Requirements).To(Equal(h.Requirements))
		Expect(again.Format).To(Equal("1.0"))
	})

	It("Says since when a requirement fails, and when it last passed", func() {
		q := readHistory(writeReport(0, "pass"), writeReport(1, "fail"), writeReport(2, "fail")).Requirements[0]
		Expect(*q.FailingSince).To(Equal(began.AddDate(0, 0, 1)))
		Expect(*q.LastPassed).To(Equal(began))
		never := readHistory(writeReport(1, "fail"))
		Expect(never.Requirements[0].LastPassed).To(BeNil())
		Expect(pageOf(never, began)).To(ContainSubstring("never"))
	})

	It("Tells reports apart that can't be compared, and counts nothing of them", func() {
		h := readHistory(writeReport(0, "pass"),
			writeReport(1, "fail", func(r *report.Report) { r.Users.Digest = contract[:60] + "0000ffff000" }),
			writeReport(2, "fail", func(r *report.Report) {
				r.Suite.Contract = strings.Replace(contract, "0123", "ffff", 1)
			}),
			writeReport(3, "pass", func(r *report.Report) {
				r.Verdict, r.Error, r.Requirements, r.Users = ledger.Fault, new(string), []report.Row{}, nil
				r.Complete, r.Certifies = false, false
			}), writeReport(4, "pass"))
		comparable := []bool{}
		for _, r := range h.Reports {
			comparable = append(comparable, r.Comparable)
		}
		Expect(comparable).To(Equal([]bool{true, false, false, false, true}))
		Expect(h.Requirements[0].States).To(Equal([]string{"pass", "fail", "fail", "", "pass"}))
		Expect(h.Requirements[0].Changes).To(BeZero())
	})

	It("Lists certificates with their product and their end, the newest first", func() {
		until := "2026-11-30"
		h := readHistory(writeReport(0, "pass", func(r *report.Report) {
			r.ValidUntil, r.Subject = &until, &report.Subject{Product: `<script>alert("x")</script>`, Build: "b7"}
		}), writeReport(1, "fail"), writeReport(2, "pass"))
		Expect(h.Certificates()).To(HaveLen(2))
		Expect(h.Certificates()[1].ValidUntil).To(Equal(until))
		Expect(pageOf(h, began)).To(And(ContainSubstring("&lt;script&gt;"), ContainSubstring("build b7"),
			Not(ContainSubstring("<script")), ContainSubstring("2026-11-30"), Not(ContainSubstring("(ended)"))))
		Expect(pageOf(h, began.AddDate(1, 0, 0))).To(ContainSubstring("(ended)"))
	})

	It("Reads reports of any year, and of a release that knew no subject", func() {
		for _, end := range []time.Time{time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
			until := "9999-12-31"
			dir := writeReport(0, "pass",
				func(r *report.Report) { r.Started, r.Finished, r.ValidUntil = end, &end, &until })
			Expect(pageOf(readHistory(dir), end)).To(ContainSubstring(end.Format(time.DateOnly)))
		}
		var members map[string]any
		Expect(json.Unmarshal([]byte(reportOn(0, "pass")), &members)).To(Succeed())
		for _, name := range []string{"subject", "validUntil", "fingerprints", "embedded"} {
			delete(members, name)
		}
		members["format"] = "1.0"
		path := testkit.Write(GinkgoT().TempDir(), report.JSONFile, testkit.Must(json.Marshal(members)))
		Expect(readHistory(path).Reports[0].Certifies).To(BeTrue())
	})

	It("Reads sweeps beside runs", func() {
		var text bytes.Buffer
		Expect(stats.Write(&text, stats.Empty(report.SuiteOf(contract), began, "interrupted"))).To(Succeed())
		h := readHistory(testkit.Write(GinkgoT().TempDir(), stats.SummaryFile, text.Bytes()), writeReport(1, "pass"))
		Expect([]any{h.Reports[0].Command, h.Reports[0].Verdict}).To(Equal([]any{"sweep", ledger.Fault}))
		Expect(h.Requirements).To(HaveLen(1))
	})

	DescribeTable("Refuses what is no report, in one sentence", func(name, content, fault string) {
		dir := GinkgoT().TempDir()
		if name != "" {
			testkit.Write(dir, name, []byte(content))
		}
		_, err := history.Read([]string{writeReport(0, "pass"), dir})
		Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring(fault), Not(ContainSubstring("\n")))))
	},
		Entry("An empty folder", "", "", "neither report.json nor sweep.json"),
		Entry("Another file", "report.json", `{"a": "<b>"}`, "not a valid report"),
		Entry("A page", "report.json", "<html>\n", "no report"),
		Entry("A report that is cut", "report.json", `{"verdict": "pass", "requi`, "no report"),
		Entry("A sweep of another kind", "sweep.json", `{"sweep": 7}`, "not a valid summary"),
	)

	It("Refuses a device, and a path that is not there", func() {
		_, err := history.Read([]string{os.DevNull})
		Expect(err).To(MatchError(ContainSubstring("neither a folder nor a file")))
		_, err = history.Read([]string{filepath.Join(GinkgoT().TempDir(), "nothing")})
		Expect(err).To(MatchError(ContainSubstring("name report folders")))
	})
})
