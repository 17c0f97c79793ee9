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
)

// sweepDelay gives a sweep a middle.
const sweepDelay = 2 * time.Millisecond

// killedSweep is a sweep without kills, and one that was killed several times and then resumed.
type killedSweep struct {
	whole, resumed *result
	wrong          []string // what was found after a kill
	kills          int
	requests       int64 // of the resumed sweep and all killed ones
}

// killAndResume kills a sweep at random moments until attempts are used up, and then lets it end.
func killAndResume(population plantedPopulation, attempts int) (k killedSweep) {
	t := startTarget(slow(population.handler(), sweepDelay))
	defer t.Close()
	k.whole = population.sweep(t.URL).run()
	before := t.requests.Load()
	c := population.sweep(t.URL, "--resume=if-begun")
	random := rand.New(rand.NewPCG(3, 5))
	kill := func(p *os.Process) { _ = p.Kill() } // it may have ended already
	for i := range attempts {
		if i == 0 {
			// Not at a request: also while the process starts.
			soon := c
			soon.onStart = func(p process) { time.AfterFunc(40*time.Millisecond, func() { kill(p.Process) }) }
			k.look(soon.run())
			continue
		}
		k.look(t.disturb(c, 60+random.Int64N(300), kill))
	}
	k.resumed = c.run()
	k.requests = t.requests.Load() - before
	return k
}

// look checks what a process left that may have been killed: a sweep that has not ended must not look as if it had.
func (k *killedSweep) look(r *result) {
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

// withReports is a result with a copy of its reports, for if another process is to work in the same folder.
func withReports(r *result) *result {
	copied := *r
	copied.folder, copied.reportDir = newFolder(), ""
	must(os.CopyFS(copied.reports(), os.DirFS(r.reports())))
	return &copied
}

var _ = Describe("A sweep that is stopped", func() {
	population := newPopulation(200, faultyPlants())

	killed := startEarly(&otherJobs, func() killedSweep { return killAndResume(population, 4) })
	It("by kills at random moments finds the same as without, once it is resumed", func() {
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
		t := startTarget(slow(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL, "--resume=if-begun")
		both[0] = withReports(t.disturb(c, 1, send(syscall.SIGKILL)))
		both[1] = c.run()
		return both
	})
	It("by a kill before anybody was looked at continues, too", func() {
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
		t := startTarget(slow(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		withUsers := func(file string, more ...string) command {
			changed := c
			changed.args = append(slices.Clone(c.args), append(more, "--resume")...)
			changed.args[slices.Index(c.args, "users.csv")] = file
			return changed
		}
		s.stopped = withReports(t.disturb(c, 500, send(syscall.SIGINT)))

		s.before, s.refusedRequests = filesIn(filepath.Join(c.folder, defaultReports)), t.requests.Load()
		s.anew = withReports(c.run())
		s.otherSettings = withReports(withUsers("users.csv", "--parity", "shape").run())
		others := slices.Clone(population.people)
		others[0].ID = guidOf(999)
		writeFile(c.folder, "others.csv", others.csv())
		s.otherUsers = withReports(withUsers("others.csv").run())
		s.after, s.refusedRequests = filesIn(filepath.Join(c.folder, defaultReports)),
			t.requests.Load()-s.refusedRequests

		writeFile(c.folder, "users.ndjson.gz", gzipped(population.ndjson()))
		s.resumed = withUsers("users.ndjson.gz").run()
		return s
	})
	It("by a signal ends in order, and is resumed only with the same settings and users, in any form", func() {
		s := interrupted()
		report, findings := checkStoppedSweep(s.stopped)
		Expect(report.Tally.Users).To(BeNumerically("<", len(population.people)))
		Expect(findings.findings).NotTo(BeEmpty())
		Expect(report.Reason).To(MatchRegexp(
			`^stopped after \d+ of 200 users, .*differences? and .* so far; continue with --resume$`))

		checkFailedSweep(s.anew, "unfinished sweep", "--resume", "--restart")
		checkFailedSweep(s.otherSettings, "--resume", "parity")
		checkFailedSweep(s.otherUsers, "--resume", "users of the population")
		Expect(s.refusedRequests).To(BeZero(), "a request was sent before it was known to be the same sweep")
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
		t := startTarget(slow(right.handler(), sweepDelay))
		defer t.Close()
		return t.disturb(right.sweep(t.URL), 1, send(syscall.SIGTERM))
	})
	It("by a signal at its first request ends in order, too", func() { checkStoppedSweep(atOnce()) })

	restarted := startEarly(&otherJobs, func() *result {
		t := startTarget(slow(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		t.disturb(c, 500, send(syscall.SIGTERM))
		c.args = append(c.args, "--restart")
		return c.run()
	})
	It("by a signal is begun anew where that is asked for", func() {
		report, findings := checkSweep(restarted())
		Expect(report.Traffic.Requests-report.Tally.Requests).To(BeZero(), "it goes on with nothing")
		population.expectFound(report, findings)
	})

	inAnyOrder := startEarly(&otherJobs, func() []*result {
		t := startTarget(slow(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		other, second := c, make(chan *result, 1)
		other.noSlot = true
		first := t.disturb(c, 300, func(*os.Process) { go func() { second <- other.run() }() })
		return []*result{first, <-second}
	})
	It("by nobody can't be joined by another sweep in its folder: neither spoils the findings of the other", func() {
		both := inAnyOrder()
		refused := slices.IndexFunc(both, func(r *result) bool { return r.exitCode == 2 })
		Expect(refused).To(BeNumerically(">=", 0), "%s\n%s", both[0], both[1])
		population.expectFound(checkSweep(both[1-refused]))
	})

	removed := startEarly(&otherJobs, func() *result {
		t := startTarget(slow(population.handler(), sweepDelay))
		defer t.Close()
		c := population.sweep(t.URL)
		reports := filepath.Join(c.folder, defaultReports)
		return t.disturb(c, 500, func(*os.Process) {
			must(os.RemoveAll(reports))
			must(os.Mkdir(reports, 0o755))
		})
	})
	It("as its folder is removed and created again ends in an error", func() {
		checkStreams(removed())
		checkNoDefect(removed())
		Expect(removed().exitCode).To(Equal(2), "%s", removed())
		if report, err := readSweep(removed().reports()); err == nil {
			Expect(report.Verdict).To(Equal("error"))
		}
	})
})

var _ = Describe("A sweep that has ended", func() {
	population := newPopulation(40, nil)
	type ended struct {
		whole, refused, again, anew *result
		before                      map[string]string // files after the whole sweep
	}
	sweeps := startEarly(&otherJobs, func() (s ended) {
		t := startTarget(population.handler())
		defer t.Close()
		other := startTarget(population.handler())
		defer other.Close()
		c := population.sweep(t.URL)
		s.whole = withReports(c.run())
		s.before = filesIn(s.whole.reports())
		mistyped := c
		mistyped.args = append(slices.Clone(c.args), "--resume")
		mistyped.args[slices.Index(c.args, t.URL)] = other.URL
		s.refused = withReports(mistyped.run())
		resumed := c
		resumed.args = append(slices.Clone(c.args), "--resume")
		s.again = withReports(resumed.run())
		s.anew = c.run()
		return s
	})
	It("keeps its report if it can't be continued as it is asked to", func() {
		s := sweeps()
		Expect(s.refused.exitCode).To(Equal(2), "%s", s.refused)
		Expect(s.refused.stderr).To(And(ContainSubstring("--resume"), ContainSubstring("another target (v5 at http")))
		Expect(filesIn(s.refused.reports())).To(Equal(s.before))
	})

	It("is there again if it is continued, and makes room for the next", func() {
		s := sweeps()
		for _, r := range []*result{s.whole, s.again, s.anew} {
			report, findings := checkSweep(r)
			Expect(report.Verdict).To(Equal("pass"), "%s", r)
			population.expectFound(report, findings)
		}
	})
})
