package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/testkit"
)

// failing is a command whose reports can't be written.
type failing struct {
	folder.Run
	first, then error
}

func (f failing) Unfinished(*folder.Folder) error { return f.first }

func (f failing) Failed(*folder.Folder, string) error { return f.then }

var _ = DescribeTable("If no report can be written, each cause is said once:", func(says string, then error) {
	at := folder.Place{Dir: GinkgoT().TempDir(), MetricsFile: func() string { return "" }}
	first := &os.PathError{Op: "write", Path: "report.html", Err: syscall.ENOSPC}
	err := folder.Live(at, failing{first: first, then: then}, error.Error, func(*folder.Folder) error { return nil })
	Expect(err).To(MatchError(says))
},
	Entry("The disk is full, also for another file", "write report.html: no space left on device",
		&os.PathError{Op: "write", Path: "junit.xml", Err: syscall.ENOSPC}),
	Entry("The folder may not be written to either", "write report.html: no space left on device; and open junit.xml: "+
		"permission denied", &os.PathError{Op: "open", Path: "junit.xml", Err: syscall.EACCES}),
)

var _ = DescribeTable("What was written stays if something beside the folder can't be written at the end:",
	func(metricsIn string, work error, says string) {
		dir, beside := GinkgoT().TempDir(), GinkgoT().TempDir()
		kind := &folder.Run{Contract: "sha256:", Started: time.Now(), CI: func(*report.Report) error { return nil }}
		at := folder.Place{Dir: dir, MetricsFile: func() string { return filepath.Join(beside, metricsIn) }}
		if metricsIn == "" {
			at.MetricsFile = func() string { return "" }
		}
		err := folder.Live(at, kind, error.Error, func(f *folder.Folder) error {
			Expect(f.Write(folder.Content{Report: &report.Report{Verdict: ledger.Pass}})).To(Succeed())
			Expect(os.RemoveAll(beside)).To(Succeed())
			return work
		})
		Expect(err).To(MatchError(ContainSubstring(says)))
		Expect(string(testkit.Read(filepath.Join(dir, report.JSONFile)))).To(ContainSubstring(`"verdict": "pass"`))
	},
	Entry("the metrics, whose folder is gone", "m.prom", nil, "--metrics-file"),
	Entry("a step summary", "", folder.Reported{Err: errors.New("the summary of the step can't be written")},
		"the summary of the step"),
)

var _ = It("The metrics beside the folder are those of an unfinished run while it is on", func() {
	path := filepath.Join(GinkgoT().TempDir(), "m.prom")
	kind := &folder.Run{Contract: "sha256:", Started: time.Now(), CI: func(*report.Report) error { return nil }}
	at := folder.Place{Dir: GinkgoT().TempDir(), MetricsFile: func() string { return path }}
	Expect(folder.Live(at, kind, error.Error, func(*folder.Folder) error {
		Expect(string(testkit.Read(path))).To(MatchRegexp(`verdict="error"[^}]*} 1`))
		return nil
	})).To(Succeed())
})
