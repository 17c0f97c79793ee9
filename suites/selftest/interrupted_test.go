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

// disturbedRun runs in a folder with the reports of an earlier pass, and calls do when the nth request arrives. do gets
// the report folder.
func disturbedRun(nth int64, do func(p *os.Process, reports string)) *result {
	t := startTarget(delayAnswers(referenceFor(kit.Users()), answerDelay))
	defer t.Close()
	c := certifyTarget(t.URL)
	c.folder = newFolder()
	reports := filepath.Join(c.folder, defaultReports)
	writePass(reports)
	return t.disturb(c, nth, func(p *os.Process) { do(p, reports) })
}

var _ = Describe("A run", func() {
	noTime := startEarly(&otherJobs, func() *result {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer t.Close()
		return certifyTarget(t.URL, "--deadline", "500ms").run()
	})
	It("whose deadline passes ends in an error that names it", func() {
		report := checkRun(noTime())
		Expect(report.Error).To(HaveValue(And(ContainSubstring("429"), ContainSubstring("deadline"))))
		checkNoDefect(noTime())
	})

	panics := startEarly(&otherJobs, func() *result {
		t := startTarget(referenceFor(kit.Users()))
		defer t.Close()
		c := certifyTarget(t.URL)
		c.folder, c.binary = newFolder(), defectiveBinary
		writePass(filepath.Join(c.folder, defaultReports))
		return c.run()
	})
	It("in which the suite panics ends in an error that says so", func() {
		report := checkRun(panics())
		Expect(report.Error).To(HaveValue(And(ContainSubstring("defect of the suite"), ContainSubstring("panic"))))
		Expect(panics().output()).To(ContainSubstring("defect of the suite"))
	})

	killed := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(p *os.Process, _ string) { sendSignals(syscall.SIGKILL)(p) })
	})
	It("that is killed leaves the report of its start, which says unfinished", func() {
		Expect(killed().exitCode).To(Equal(-1), "%s", killed())
		checkPassReplaced(killed().reports(), "unfinished")
	})

	// The first signal waits for requests in flight. The second one must not wait.
	interruptedTwice := startEarly(&otherJobs, func() *result {
		t := startTarget(delayAnswers(referenceFor(kit.Users()), time.Second))
		defer t.Close()
		return t.disturb(certifyTarget(t.URL), 1, sendSignals(syscall.SIGINT, syscall.SIGINT))
	})
	It("that is interrupted twice ends immediately, with an error", func() {
		Expect(interruptedTwice().exitCode).NotTo(BeZero())
		report, err := readReport(interruptedTwice().reports())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal("error"))
	})

	waiting := startEarly(&otherJobs, func() *result {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer t.Close()
		return t.disturb(certifyTarget(t.URL), 1, sendSignals(syscall.SIGINT))
	})
	It("that is interrupted while it waits for the target ends in an error that says so", func() {
		report := checkRun(waiting())
		Expect(report.Error).To(HaveValue(ContainSubstring("interrupt")))
		Expect(*report.Error).NotTo(ContainSubstring("\n"), "one sentence")
		checkNoDefect(waiting())
	})

	terminated := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(p *os.Process, _ string) { sendSignals(syscall.SIGTERM)(p) })
	})
	It("that is terminated while it sends requests ends in an error that says so", func() {
		report := checkRun(terminated())
		Expect(report.Error).To(HaveValue(ContainSubstring("terminated")))
		checkNoDefect(terminated())
		checkWholeReports(terminated())
	})

	type atTheEnd struct{ whole, interrupted *result }
	late := startEarly(&otherJobs, func() atTheEnd {
		t := startTarget(delayAnswers(referenceFor(kit.Users()), answerDelay))
		defer t.Close()
		first := certifyTarget(t.URL)
		whole := first.run()
		again := certifyTarget(t.URL)
		again.folder = whole.folder
		after := func(p *os.Process) { time.AfterFunc(15*time.Millisecond, func() { sendSignals(syscall.SIGINT)(p) }) }
		return atTheEnd{whole, t.disturb(again, t.requests.Load(), after)}
	})
	It("that is interrupted while it judges and writes passes or ends in an error, with complete files", func() {
		r := late()
		Expect(r.whole.exitCode).To(Equal(0), "%s", r.whole)
		report := checkRun(r.interrupted)
		Expect(report.Verdict).To(BeElementOf("pass", "error"))
		checkWholeReports(r.interrupted)
	})

	removed := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(_ *os.Process, reports string) {
			mustSucceed(os.RemoveAll(reports))
			mustSucceed(os.Mkdir(reports, 0o755))
		})
	})
	It("whose report folder is removed and created again ends in an error", func() {
		checkStreams(removed())
		Expect(removed().exitCode).To(Equal(2), "%s", removed())
		checkNoDefect(removed())
		checkWholeReports(removed())
	})

	taken := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(_ *os.Process, reports string) {
			mustSucceed(os.Remove(filepath.Join(reports, "report.html")))
			mustSucceed(os.MkdirAll(filepath.Join(reports, "report.html", "x"), 0o755))
		})
	})
	It("that finds a folder with the name of a report file ends in an error", func() {
		checkStreams(taken())
		Expect(taken().exitCode).To(Equal(2), "%s", taken())
		checkNoDefect(taken())
		checkWholeReports(taken())
	})
})
