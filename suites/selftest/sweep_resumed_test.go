package selftest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// sweepDelay makes a sweep long enough to be stopped.
const sweepDelay = 2 * time.Millisecond

// killedSweep is an undisturbed sweep, and one that was killed several times and then resumed.
type killedSweep struct {
	whole, resumed *result
	wrong          []string // faults that were found after a kill
	kills          int
	requests       int64 // of the resumed sweep and all killed ones
}

// killAndResume kills a sweep at random moments, as often as attempts says, and then lets it end.
func killAndResume(population changedPopulation, attempts int) (k killedSweep) {
	t := startTarget(delayAnswers(population.handler(), sweepDelay))
	defer t.Close()
	k.whole = population.sweep(t.URL).run()
	before := t.requests.Load()
	c := population.sweep(t.URL, "--resume=if-begun")
	random := rand.New(rand.NewPCG(3, 5))
	kill := func(p *os.Process) { _ = p.Kill() } // it may have ended already
	for i := range attempts {
		if i == 0 {
			// At a time instead of a request, so possibly before the first request.
			soon := c
			soon.onStart = func(p process) { time.AfterFunc(40*time.Millisecond, func() { kill(p.Process) }) }
			k.checkAfterKill(soon.run())
			continue
		}
		k.checkAfterKill(t.disturb(c, 60+random.Int64N(300), kill))
	}
	k.resumed = c.run()
	k.requests = t.requests.Load() - before
	return k
}

// checkAfterKill checks the report of a process that may have been killed: a sweep that was killed must not look
// complete.
func (k *killedSweep) checkAfterKill(r *result) {
	if r.err != nil || r.timedOut {
		k.wrong = append(k.wrong, r.String())
		return
	}
	if r.exitCode >= 0 {
		return // it ended before
	}
	k.kills++
	report, err := readSweep(r.reports())
	if os.IsNotExist(err) {
		return // it had not begun to write
	}
	if err != nil || report.Complete || report.Verdict != "error" {
		k.wrong = append(k.wrong, fmt.Sprintf("after a kill %s says %+v, %v", sweepJSON, report, err))
	}
}

// withReports returns a result with a copy of its reports, so that another process can work in the same folder.
func withReports(r *result) *result {
	copied := *r
	copied.folder = newFolder()
	mustSucceed(os.CopyFS(copied.reports(), os.DirFS(r.reports())))
	return &copied
}

var _ = Describe("A sweep", func() {
	population := newPopulation(200, injectedFaults())

	killed := startEarly(&otherJobs, func() killedSweep { return killAndResume(population, 4) })
	It("that was killed at random moments and resumed has the same findings as an undisturbed one", func() {
		k := killed()
		whole, findings := checkSweep(k.whole)
		population.expectFound(whole, findings)
		Expect(k.wrong).To(BeEmpty())
		Expect(k.kills).To(BeNumerically(">=", 3), "kills before the end")
		resumed, same := checkSweep(k.resumed)
		Expect(same.lines).To(Equal(findings.lines))
		Expect(sweepCounts(k.resumed)).To(Equal(sweepCounts(k.whole)))
		Expect(filesIn(k.resumed.reports())[listFile]).To(Equal(filesIn(k.whole.reports())[listFile]))
		Expect(resumed.Traffic.Requests).To(And(
			BeNumerically("<=", k.requests), BeNumerically(">=", whole.Traffic.Requests)))
	})

	early := startEarly(&otherJobs, func() (both [2]*result) {
		t := startTarget(delayAnswers(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL, "--resume=if-begun")
		both[0] = withReports(t.disturb(c, 1, sendSignals(syscall.SIGKILL)))
		both[1] = c.run()
		return both
	})
	It("that was killed before the first user was compared can be resumed", func() {
		both := early()
		Expect(both[0].exitCode).To(Equal(-1), "%s", both[0])
		Expect(filesIn(both[0].reports())).To(HaveKey(checkpointFile))
		population.expectFound(checkSweep(both[1]))
	})

	type resumedSweep struct {
		stopped, anew, otherSettings, otherUsers, resumed *result
		refusedRequests                                   int64             // that the refused ones sent
		before, after                                     map[string]string // files around the refusals
	}
	interrupted := startEarly(&otherJobs, func() (s resumedSweep) {
		t := startTarget(delayAnswers(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		withUsers := func(file string, more ...string) command {
			changed := c
			changed.args = append(slices.Clone(c.args), append(more, "--resume")...)
			changed.args[slices.Index(c.args, "users.csv")] = file
			return changed
		}
		s.stopped = withReports(t.disturb(c, 500, sendSignals(syscall.SIGINT)))

		s.before, s.refusedRequests = filesIn(filepath.Join(c.folder, defaultReports)), t.requests.Load()
		s.anew = withReports(c.run())
		s.otherSettings = withReports(withUsers("users.csv", "--parity", "shape").run())
		others := slices.Clone(population.people)
		others[0].ID = guidOf(999)
		writeFile(c.folder, "others.csv", others.csv())
		s.otherUsers = withReports(withUsers("others.csv").run())
		s.after, s.refusedRequests = filesIn(filepath.Join(c.folder, defaultReports)),
			t.requests.Load()-s.refusedRequests

		writeFile(c.folder, "users.ndjson.gz", string(kit.Gzip([]byte(population.ndjson()))))
		s.resumed = withUsers("users.ndjson.gz").run()
		return s
	})
	It("that a signal stops ends regularly, and is resumed only with the same settings and users", func() {
		s := interrupted()
		report, findings := checkStoppedSweep(s.stopped)
		Expect(report.Tally.Users).To(BeNumerically("<", len(population.people)))
		Expect(findings.findings).NotTo(BeEmpty())
		Expect(report.Reason).To(MatchRegexp(
			`^stopped after \d+ of 200 users, .*differences? and .* so far; continue with --resume$`))

		checkFailedSweep(s.anew, "unfinished sweep", "--resume", "--restart")
		checkFailedSweep(s.otherSettings, "--resume", "parity")
		checkFailedSweep(s.otherUsers, "--resume", "users of the population")
		Expect(s.refusedRequests).To(BeZero(), "a request was sent before the sweep was known to be the same")
		for _, name := range []string{findingsFile, checkpointFile} {
			Expect(s.after[name] == s.before[name]).To(BeTrue(), "%s was changed", name)
		}

		report, findings = checkSweep(s.resumed)
		Expect(report.Complete).To(BeTrue())
		population.expectFound(report, findings)
		Expect(report.Traffic.Requests-report.Tally.Requests).To(BeNumerically("<=", 8*11),
			"sent again for users in flight")
	})

	atOnce := startEarly(&otherJobs, func() *result {
		right := newPopulation(200, nil)
		t := startTarget(delayAnswers(right.handler(), sweepDelay))
		defer t.Close()
		return t.disturb(right.sweep(t.URL), 1, sendSignals(syscall.SIGTERM))
	})
	It("that a signal stops at its first request ends regularly", func() { checkStoppedSweep(atOnce()) })

	restarted := startEarly(&otherJobs, func() *result {
		t := startTarget(delayAnswers(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		t.disturb(c, 500, sendSignals(syscall.SIGTERM))
		c.args = append(c.args, "--restart")
		return c.run()
	})
	It("that a signal stopped starts from the beginning with --restart", func() {
		report, findings := checkSweep(restarted())
		Expect(report.Traffic.Requests-report.Tally.Requests).To(BeZero(), "it should use nothing of the earlier sweep")
		population.expectFound(report, findings)
	})

	inAnyOrder := startEarly(&otherJobs, func() []*result {
		t := startTarget(delayAnswers(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		other, second := c, make(chan *result, 1)
		other.noSlot = true
		first := t.disturb(c, 300, func(*os.Process) { go func() { second <- other.run() }() })
		return []*result{first, <-second}
	})
	It("that is running excludes another sweep from its folder, and its findings stay correct", func() {
		both := inAnyOrder()
		refused := slices.IndexFunc(both, func(r *result) bool { return r.exitCode == 2 })
		Expect(refused).To(BeNumerically(">=", 0), "%s\n%s", both[0], both[1])
		population.expectFound(checkSweep(both[1-refused]))
	})

	removed := startEarly(&otherJobs, func() *result {
		t := startTarget(delayAnswers(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		reports := filepath.Join(c.folder, defaultReports)
		return t.disturb(c, 500, func(*os.Process) {
			mustSucceed(os.RemoveAll(reports))
			mustSucceed(os.Mkdir(reports, 0o755))
		})
	})
	It("whose folder is removed and created again ends in an error", func() {
		checkStreams(removed())
		checkNoDefect(removed())
		Expect(removed().exitCode).To(Equal(2), "%s", removed())
		if report, err := readSweep(removed().reports()); err == nil {
			Expect(report.Verdict).To(Equal("error"))
		}
	})
})
