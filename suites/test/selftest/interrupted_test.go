package selftest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// answerDelay makes a run long enough to be interrupted.
const answerDelay = 3 * time.Millisecond

// sendSignals returns a function that sends signals to a process, which may have ended already.
func sendSignals(signals ...syscall.Signal) func(*os.Process) {
	return func(p *os.Process) {
		for _, s := range signals {
			_ = p.Signal(s)
			time.Sleep(20 * time.Millisecond)
		}
	}
}

var _ = Describe("A run", func() {
	// disturb runs in a folder with the reports of an earlier pass, and calls do with it when the 60th request arrives.
	disturb := func(do func(p *os.Process, reports string)) *result {
		GinkgoHelper()
		t := startTarget(delayAnswers(referenceFor(kit.Users()), answerDelay))
		c := certifyTarget(t.url)
		c.folder = newFolder()
		reports := filepath.Join(c.folder, defaultReports)
		writePass(reports)
		return t.disturbRun(c, 60, func(p *os.Process) { do(p, reports) })
	}

	It("that is killed leaves the report of its start, which says unfinished", func() {
		r := disturb(func(p *os.Process, _ string) { sendSignals(syscall.SIGKILL)(p) })
		Expect(r.exitCode).To(Equal(-1), "%s", r)
		r.exitCode = exitCodes()["error"]
		Expect(checkRun(r).Error).To(HaveValue(ContainSubstring("unfinished")))
	})

	// The first signal waits for requests in flight. The second one must not wait.
	It("that is interrupted twice ends immediately, with an error", func() {
		t := startTarget(delayAnswers(referenceFor(kit.Users()), time.Second))
		r := t.disturbRun(certifyTarget(t.url), 1, sendSignals(syscall.SIGINT, syscall.SIGINT))
		Expect(r.exitCode).NotTo(BeZero())
		Expect(filesIn(r.reportFolder())["report.json"]).To(ContainSubstring(`"verdict": "error"`))
	})

	It("that is interrupted while it waits for the target ends in an error of one sentence that says so", func() {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		r := t.disturbRun(certifyTarget(t.url), 1, sendSignals(syscall.SIGINT))
		Expect(checkRun(r).Error).To(HaveValue(And(ContainSubstring("SIGINT"), Not(ContainSubstring("\n")))))
	})

	It("that is terminated while it sends requests ends in an error that says so", func() {
		r := disturb(func(p *os.Process, _ string) { sendSignals(syscall.SIGTERM)(p) })
		Expect(checkRun(r).Error).To(HaveValue(ContainSubstring("SIGTERM")))
		checkWholeReports(r)
	})

	It("that is interrupted while it judges and writes passes or ends in an error, with complete files", func() {
		t := startTarget(delayAnswers(referenceFor(kit.Users()), answerDelay))
		c := certifyTarget(t.url)
		c.folder = newFolder()
		whole := c.runToEnd()
		Expect(whole.exitCode).To(Equal(0), "%s", whole)
		checkWholeReports(whole)
		r := t.disturbRun(c, t.requests.Load(), func(p *os.Process) {
			time.AfterFunc(15*time.Millisecond, func() { sendSignals(syscall.SIGINT)(p) })
		})
		Expect(checkRun(r).Verdict).To(BeElementOf("pass", "error"))
		checkWholeReports(r)
	})

	DescribeTable("ends in an error if its report folder", func(do func(reports string)) {
		r := disturb(func(_ *os.Process, reports string) { do(reports) })
		Expect(r.exitCode).To(Equal(2), "%s", r)
		checkWholeReports(r)
	},
		Entry("is removed and created again", func(reports string) {
			mustSucceed(os.RemoveAll(reports))
			mustSucceed(os.Mkdir(reports, 0o755))
		}),
		Entry("gets a folder with the name of a report file", func(reports string) {
			mustSucceed(os.Remove(filepath.Join(reports, "report.html")))
			mustSucceed(os.MkdirAll(filepath.Join(reports, "report.html", "x"), 0o755))
		}),
	)
})
