package page_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/history"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// historyPage is the page over the reports of a service that breaks, is waived and is repaired, with a hostile name.
func historyPage() string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	var paths []string
	for i := range 140 {
		end := time.Date(2026, 1, 1+i, 2, 0, 0, 0, time.UTC)
		r := report.Failed("sha256:"+strings.Repeat("0", 64), end, end, "")
		r.Error, r.Verdict, r.Run, r.Certifies = nil, ledger.Pass, strconv.Itoa(i), i%3 == 0
		r.Target["v5"] = "https://access.example.com/" + strings.Repeat("long", 60)
		r.Subject = &report.Subject{Product: `"><img src=x onerror=alert(1)>` + strings.Repeat("wide", 40)}
		row := report.Row{ID: "2.1/CreatedOn", Section: "2.1", Kind: "documented", Operation: "getUserAuth",
			Version: "v6",
			Verdict: ledger.Pass, Notes: []string{}, Findings: []report.Finding{}, Causes: []report.Cause{}}
		if i > 60 && i < 90 {
			row.Verdict = ledger.Fail
		}
		other := row
		other.ID, other.Verdict = "2.1/Id", ledger.Pass
		r.Requirements = []report.Row{row, other}
		var text bytes.Buffer
		Expect(report.WriteJSON(&text, r)).To(Succeed())
		path := filepath.Join(dir, strconv.Itoa(i)+".json")
		Expect(os.WriteFile(path, text.Bytes(), 0o600)).To(Succeed())
		paths = append(paths, path)
	}
	h, err := history.Read(paths)
	Expect(err).NotTo(HaveOccurred())
	var page bytes.Buffer
	Expect(h.WritePage(&page, time.Now())).To(Succeed())
	return page.String()
}
