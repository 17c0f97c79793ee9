package selftest_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// sweepMemoryBound is the maximum of a sweep's resident memory, in bytes. `make bench` measures a million users.
const sweepMemoryBound = 96 << 20

// sweepDelay makes a sweep long enough to be stopped.
const sweepDelay = 2 * time.Millisecond

var _ = Describe("A sweep", func() {
	many := generatePeople(200)

	// slowTarget answers late, so that a sweep of it can be disturbed.
	slowTarget := func(users people) *target {
		GinkgoHelper()
		return startTarget(delayAnswers(users.handler(), sweepDelay))
	}

	It("finds exactly those of 4,000 users who differ, in order, within its memory bound, from compressed users", func() {
		users := generatePeople(4_000)
		c := users.sweep(startTarget(users.handler()).url)
		c.args[slices.Index(c.args, "users.ndjson")] = "-"
		c.stdin = strings.NewReader(string(testkit.Must(zstd.NewWriter(nil)).EncodeAll([]byte(users.ndjson()), nil)))
		r := c.run()
		found := checkSweep(r)
		Expect(found.Verdict).To(Equal("fail"))
		Expect(found.Complete).To(BeTrue())
		Expect(found.findings).To(Equal(users.faults()))
		Expect(r.stdout).To(And(ContainSubstring("\n%d of 4,000 users (", found.Tally.Differing),
			ContainSubstring(listFile)))
		info := testkit.Must(os.Stat(filepath.Join(r.reports(), listFile)))
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)), "it contains users and their values")
		Expect(r.peakMemory).To(BeNumerically("<", sweepMemoryBound))
	})

	It("that was killed at random moments and resumed has the same findings as an undisturbed one", func() {
		t := slowTarget(many)
		whole := many.sweep(t.url).run()
		undisturbed := checkSweep(whole)
		Expect(undisturbed.findings).To(Equal(many.faults()))

		before, kills := t.requests.Load(), 0
		random := rand.New(rand.NewPCG(3, 5))
		c := many.sweep(t.url, "--resume=if-begun")
		for i := range int64(4) {
			// The first is killed before the first user was compared.
			r := t.disturb(c, 1+i*(60+random.Int64N(100)), func(p *os.Process) { _ = p.Kill() })
			if r.exitCode >= 0 {
				break // it ended before
			}
			kills++
			Expect(filesIn(r.reports())).To(HaveKey(checkpointFile))
			left := readSweep(r.reports())
			Expect(left.Complete).To(BeFalse())
			Expect(left.Verdict).To(Equal("error"))
		}
		Expect(kills).To(BeNumerically(">=", 3), "kills before the end")
		r := c.run()
		resumed := checkSweep(r)
		Expect(resumed.lines).To(Equal(undisturbed.lines))
		Expect(resumed.counts).To(Equal(undisturbed.counts))
		Expect(filesIn(r.reports())[listFile]).To(Equal(filesIn(whole.reports())[listFile]))
		Expect(resumed.Traffic.Requests).To(And(BeNumerically("<=", t.requests.Load()-before),
			BeNumerically(">=", undisturbed.Traffic.Requests)))
	})

	It("that a signal stops ends regularly, and is resumed only with the same settings and users", func() {
		t := slowTarget(many)
		c := many.sweep(t.url)
		// withUsers is the sweep with other users and flags.
		withUsers := func(file string, more ...string) command {
			changed := c
			changed.args = append(slices.Clone(c.args), more...)
			changed.args[slices.Index(c.args, "users.ndjson")] = file
			return changed
		}
		r := t.disturb(c, 500, sendSignals(syscall.SIGINT))
		stopped := checkSweep(r)
		Expect(r.exitCode).To(Equal(exitStopped), "%s", r)
		Expect(stopped.Tally.Users).To(BeNumerically("<", len(many)))
		Expect(stopped.Reason).To(MatchRegexp(
			`^stopped after \d+ of 200 users, \d+ differences so far; continue with --resume$`))

		files, sent := filesIn(r.reports()), t.requests.Load()
		checkFailedSweep(c.run(), "unfinished sweep", "--resume", "--restart")
		checkFailedSweep(withUsers("users.ndjson", "--parity", "shape", "--resume").run(), "--resume", "parity")
		others := slices.Clone(many)
		others[0].ID = guidOf(999)
		writeFile(c.folder, "others.ndjson", others.ndjson())
		checkFailedSweep(withUsers("others.ndjson", "--resume").run(), "--resume", "users of the population")
		Expect(t.requests.Load()).To(Equal(sent), "a request was sent before the sweep was known to be the same")
		for _, name := range []string{findingsFile, checkpointFile} {
			Expect(filesIn(r.reports())[name] == files[name]).To(BeTrue(), "%s was changed", name)
		}
		anew := many.sweep(t.url, "--restart") // it uses nothing of the earlier sweep
		Expect(os.CopyFS(filepath.Join(anew.folder, defaultReports), os.DirFS(r.reports()))).To(Succeed())

		writeFile(c.folder, "users.ndjson.gz", string(kit.Gzip([]byte(many.ndjson()))))
		resumed, restarted := checkSweep(withUsers("users.ndjson.gz", "--resume").run()), checkSweep(anew.run())
		Expect(resumed.findings).To(Equal(many.faults()))
		Expect(restarted.findings).To(Equal(many.faults()))
		Expect(resumed.Traffic.Requests-resumed.Tally.Requests).To(BeNumerically("<=", 8*11),
			"sent again for users in flight")
		Expect(restarted.Traffic.Requests - restarted.Tally.Requests).To(BeZero())
	})

	It("that a signal stops at its first request ends regularly", func() {
		t := slowTarget(many)
		r := t.disturb(many.sweep(t.url), 1, sendSignals(syscall.SIGTERM))
		checkSweep(r)
		Expect(r.exitCode).To(Equal(exitStopped), "%s", r)
	})

	It("that is running excludes another sweep from its folder, and its findings stay correct", func() {
		t := slowTarget(many)
		c := many.sweep(t.url)
		var second *result
		first := t.disturb(c, 300, func(*os.Process) { second = c.execute() })
		Expect(second.exitCode).To(Equal(2), "%s", second)
		Expect(second.stderr).To(ContainSubstring("another"))
		Expect(checkSweep(first).findings).To(Equal(many.faults()))
	})

	It("whose folder is removed and created again ends in an error", func() {
		t := slowTarget(many)
		c := many.sweep(t.url)
		reports := filepath.Join(c.folder, defaultReports)
		r := t.disturb(c, 500, func(*os.Process) {
			mustSucceed(os.RemoveAll(reports))
			mustSucceed(os.Mkdir(reports, 0o755))
		})
		Expect(r.exitCode).To(Equal(2), "%s", r)
		if _, err := os.Stat(filepath.Join(reports, sweepJSON)); err == nil {
			Expect(readSweep(reports).Verdict).To(Equal("error"))
		}
	})
})
