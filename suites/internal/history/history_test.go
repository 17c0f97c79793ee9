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
)

func TestHistory(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "history")
}

const contract = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// began is the day of the first report.
var began = time.Date(2026, 9, 1, 2, 0, 0, 0, time.UTC)

// writeReport writes the report.json of a day on which 2.1/CreatedOn of v6 has a state, and returns its path.
func writeReport(day int, state string, change func(*report.Report)) string {
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
	if change != nil {
		change(r)
	}
	var text bytes.Buffer
	Expect(report.WriteJSON(&text, r)).To(Succeed())
	dir := GinkgoT().TempDir()
	Expect(os.WriteFile(filepath.Join(dir, report.JSONFile), text.Bytes(), 0o600)).To(Succeed())
	return dir
}

func readHistory(paths ...string) *history.History {
	GinkgoHelper()
	h, err := history.Read(paths)
	Expect(err).NotTo(HaveOccurred())
	return h
}

func pageOf(h *history.History, now time.Time) string {
	GinkgoHelper()
	var text bytes.Buffer
	Expect(h.WritePage(&text, now)).To(Succeed())
	return text.String()
}

var _ = Describe("The history of reports", func() {
	It("has the states of each requirement in the order of time, whatever the order of the files", func() {
		dirs := []string{writeReport(4, "pass", nil), writeReport(1, "fail", nil), writeReport(0, "pass", nil),
			writeReport(2, "fail", nil),
			writeReport(3, "waived", nil)}
		h := readHistory(append(dirs, dirs[0])...)
		Expect(h.Reports).To(HaveLen(5), "one that is named twice counts once")
		Expect(h.Requirements).To(HaveLen(1))
		q := h.Requirements[0]
		Expect(q.States).To(Equal([]string{"pass", "fail", "fail", "waived", "pass"}))
		Expect(q.Changes).To(Equal(3))
		Expect(q.FailingSince).To(BeNil())
		Expect(*q.LastPassed).To(Equal(began.AddDate(0, 0, 4)))
	})

	It("says since when a requirement fails, and when it last passed", func() {
		q := readHistory(writeReport(0, "pass", nil), writeReport(1, "fail", nil), writeReport(2, "fail",
			nil)).Requirements[0]
		Expect(*q.FailingSince).To(Equal(began.AddDate(0, 0, 1)))
		Expect(*q.LastPassed).To(Equal(began))
		never := readHistory(writeReport(1, "fail", nil))
		Expect(never.Requirements[0].LastPassed).To(BeNil())
		Expect(pageOf(never, began)).To(ContainSubstring("never"))
	})

	It("tells reports apart that can't be compared, and counts nothing of them", func() {
		h := readHistory(writeReport(0, "pass", nil), writeReport(1, "fail",
			func(r *report.Report) { r.Users.Digest = contract[:60] + "0000ffff000" }),
			writeReport(2, "fail", func(r *report.Report) {
				r.Suite.Contract = strings.Replace(contract, "0123", "ffff",
					1)
			}),
			writeReport(3, "pass", func(r *report.Report) {
				why := "no answer"
				r.Verdict, r.Error, r.Requirements, r.Users, r.Complete, r.Certifies = ledger.Fault, &why, []report.Row{}, nil, false, false
			}), writeReport(4, "pass", nil))
		comparable := []bool{}
		for _, r := range h.Reports {
			comparable = append(comparable, r.Comparable)
		}
		Expect(comparable).To(Equal([]bool{true, false, false, false, true}))
		Expect(h.Requirements[0].States).To(Equal([]string{"pass", "fail", "fail", "", "pass"}))
		Expect(h.Requirements[0].Changes).To(BeZero())
	})

	It("lists certificates with their product and their end, the newest first", func() {
		until := "2026-11-30"
		h := readHistory(writeReport(0, "pass", func(r *report.Report) {
			r.ValidUntil, r.Subject = &until, &report.Subject{Product: `<script>alert("x")</script>`, Build: "b7"}
		}), writeReport(1, "fail", nil), writeReport(2, "pass", nil))
		Expect(h.Certificates()).To(HaveLen(2))
		Expect(h.Certificates()[1].ValidUntil).To(Equal(until))
		page := pageOf(h, began)
		Expect(page).To(And(ContainSubstring("&lt;script&gt;"), ContainSubstring("build b7"),
			Not(ContainSubstring("<script")),
			ContainSubstring("2026-11-30"), Not(ContainSubstring("(ended)"))))
		Expect(pageOf(h, began.AddDate(1, 0, 0))).To(ContainSubstring("(ended)"))
	})

	It("reads reports of any year, and of a release that knew no subject", func() {
		for _, end := range []time.Time{time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
			until := "9999-12-31"
			dir := writeReport(0, "pass", func(r *report.Report) {
				r.Started, r.Finished, r.ValidUntil = end, &end,
					&until
			})
			Expect(pageOf(readHistory(dir), end)).To(ContainSubstring(end.Format("2006-01-02")))
		}
		dir := writeReport(0, "pass", nil)
		path := filepath.Join(dir, report.JSONFile)
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		var members map[string]any
		Expect(json.Unmarshal(content, &members)).To(Succeed())
		for _, name := range []string{"subject", "validUntil", "fingerprints", "embedded"} {
			delete(members, name)
		}
		members["format"] = "1.0"
		content, err = json.Marshal(members)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
		Expect(readHistory(path).Reports[0].Certifies).To(BeTrue())
	})

	It("reads sweeps beside runs", func() {
		var text bytes.Buffer
		Expect(stats.Write(&text, stats.Empty(report.SuiteOf(contract), began, "interrupted"))).To(Succeed())
		path := filepath.Join(GinkgoT().TempDir(), stats.SummaryFile)
		Expect(os.WriteFile(path, text.Bytes(), 0o600)).To(Succeed())
		h := readHistory(path, writeReport(1, "pass", nil))
		Expect(h.Reports[0].Command).To(Equal("sweep"))
		Expect(h.Reports[0].Verdict).To(Equal(ledger.Fault))
		Expect(h.Requirements).To(HaveLen(1))
	})

	It("writes history.json, which reads as it was", func() {
		h := readHistory(writeReport(0, "pass", nil), writeReport(1, "fail", nil))
		var text bytes.Buffer
		Expect(h.WriteJSON(&text)).To(Succeed())
		var again history.History
		Expect(json.Unmarshal(text.Bytes(), &again)).To(Succeed())
		Expect(again.Requirements).To(Equal(h.Requirements))
		Expect(again.Format).To(Equal("1.0"))
	})

	DescribeTable("refuses what is no report, in one sentence", func(name, content, fault string) {
		dir := GinkgoT().TempDir()
		if name != "" {
			Expect(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)).To(Succeed())
		}
		_, err := history.Read([]string{writeReport(0, "pass", nil), dir})
		Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring(fault), Not(ContainSubstring("\n")))))
	},
		Entry("an empty folder", "", "", "neither report.json nor sweep.json"),
		Entry("another file", "report.json", `{"a": "<b>"}`, "not a valid report"),
		Entry("a page", "report.json", "<html>\n", "no report"),
		Entry("a report that is cut", "report.json", `{"verdict": "pass", "requi`, "no report"),
		Entry("a sweep of another kind", "sweep.json", `{"sweep": 7}`, "not a valid summary"),
	)

	It("refuses a device", func() {
		_, err := history.Read([]string{os.DevNull})
		Expect(err).To(MatchError(ContainSubstring("neither a folder nor a file")))
	})

	It("refuses a path that is not there", func() {
		_, err := history.Read([]string{filepath.Join(GinkgoT().TempDir(), "nothing")})
		Expect(err).To(MatchError(ContainSubstring("name report folders")))
	})
})
