package selftest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// answerDelay gives a run a middle.
const answerDelay = 3 * time.Millisecond

// send sends a signal to a process, which may have ended already.
func send(signals ...syscall.Signal) func(*os.Process) {
	return func(p *os.Process) {
		for _, s := range signals {
			_ = p.Signal(s)
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// disturbedRun runs where an earlier run passed, and does something when the nth request arrives. The report folder is
// given to do.
func disturbedRun(nth int64, do func(p *os.Process, reports string)) *result {
	t := startTarget(slow(reference(knownUsers()), answerDelay))
	defer t.Close()
	c := certify(t.URL)
	c.folder = newFolder()
	reports := filepath.Join(c.folder, defaultReports)
	writePass(reports)
	return t.disturb(c, nth, func(p *os.Process) { do(p, reports) })
}

var _ = Describe("A run that can't go on", func() {
	noTime := startEarly(&otherJobs, func() *result {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer t.Close()
		return certify(t.URL, "--deadline", "500ms").run()
	})
	It("as its deadline passes ends in an error that names it", func() {
		report := checkRun(noTime())
		Expect(report.Error).To(HaveValue(And(ContainSubstring("429"), ContainSubstring("deadline"))))
		checkNoDefect(noTime())
	})

	panics := startEarly(&otherJobs, func() *result {
		t := startTarget(reference(knownUsers()))
		defer t.Close()
		c := certify(t.URL)
		c.folder, c.binary = newFolder(), defectiveBinary
		writePass(filepath.Join(c.folder, defaultReports))
		return c.run()
	})
	It("as the suite has a defect ends in an error that says so", func() {
		report := checkRun(panics())
		Expect(report.Error).To(HaveValue(And(ContainSubstring("defect of the suite"), ContainSubstring("panic"))))
		Expect(panics().output()).To(ContainSubstring("defect of the suite"))
	})

	killed := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(p *os.Process, _ string) { send(syscall.SIGKILL)(p) })
	})
	It("as it is killed leaves the report of its beginning", func() {
		Expect(killed().exitCode).To(Equal(-1), "%s", killed())
		checkPassReplaced(killed().reports(), "unfinished")
	})

	// Requests that do not end would delay the end of a run that waits for them. The second signal must not wait.
	interruptedTwice := startEarly(&otherJobs, func() *result {
		t := startTarget(slow(reference(knownUsers()), time.Second))
		defer t.Close()
		return t.disturb(certify(t.URL), 1, send(syscall.SIGINT, syscall.SIGINT))
	})
	It("as it is interrupted twice ends at once, with an error", func() {
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
		return t.disturb(certify(t.URL), 1, send(syscall.SIGINT))
	})
	It("as it is interrupted while it waits for the target ends in an error that says so", func() {
		report := checkRun(waiting())
		Expect(report.Error).To(HaveValue(ContainSubstring("interrupt")))
		Expect(*report.Error).NotTo(ContainSubstring("\n"), "one sentence")
		checkNoDefect(waiting())
	})

	terminated := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(p *os.Process, _ string) { send(syscall.SIGTERM)(p) })
	})
	It("as it is terminated while it sends ends in an error that says so", func() {
		report := checkRun(terminated())
		Expect(report.Error).To(HaveValue(ContainSubstring("terminated")))
		checkNoDefect(terminated())
		checkWholeReports(terminated())
	})

	type atTheEnd struct{ whole, interrupted *result }
	late := startEarly(&otherJobs, func() atTheEnd {
		t := startTarget(slow(reference(knownUsers()), answerDelay))
		defer t.Close()
		first := certify(t.URL)
		whole := first.run()
		again := certify(t.URL)
		again.folder = whole.folder
		after := func(p *os.Process) { time.AfterFunc(15*time.Millisecond, func() { send(syscall.SIGINT)(p) }) }
		return atTheEnd{whole, t.disturb(again, t.requests.Load(), after)}
	})
	It("as it is interrupted while it judges and writes either passes or ends in an error, with whole files", func() {
		r := late()
		Expect(r.whole.exitCode).To(Equal(0), "%s", r.whole)
		report := checkRun(r.interrupted)
		Expect(report.Verdict).To(BeElementOf("pass", "error"))
		checkWholeReports(r.interrupted)
	})

	removed := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(_ *os.Process, reports string) {
			must(os.RemoveAll(reports))
			must(os.Mkdir(reports, 0o755))
		})
	})
	It("as its folder is removed and created again ends in an error", func() {
		checkStreams(removed())
		Expect(removed().exitCode).To(Equal(2), "%s", removed())
		checkNoDefect(removed())
		checkWholeReports(removed())
	})

	taken := startEarly(&otherJobs, func() *result {
		return disturbedRun(60, func(_ *os.Process, reports string) {
			must(os.Remove(filepath.Join(reports, "report.html")))
			must(os.MkdirAll(filepath.Join(reports, "report.html", "x"), 0o755))
		})
	})
	It("as a folder takes the place of a report ends in an error", func() {
		checkStreams(taken())
		Expect(taken().exitCode).To(Equal(2), "%s", taken())
		checkNoDefect(taken())
		checkWholeReports(taken())
	})
})
