package selftest_test

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// sweepMemoryBound is the maximum of a sweep's resident memory, in bytes.
const sweepMemoryBound = 96 << 20

// sweepDelay makes a sweep long enough to be stopped.
const sweepDelay = 2 * time.Millisecond

var _ = Describe("A sweep", func() {
	many := generatePeople(200)

	// slowTarget answers late, so that a sweep of it can be disturbed.
	slowTarget := func(users people) *target {
		GinkgoHelper()
		return startTarget(delayAnswers(users.newHandler(), sweepDelay))
	}

	It("finds exactly those of 4,000 users who differ, in order, within its memory bound", func() {
		users := generatePeople(4_000)
		c := users.newSweep(startTarget(users.newHandler()).url)
		c.args[slices.Index(c.args, "users.ndjson")] = "-"
		c.stdin = bytes.NewReader(kit.Gzip([]byte(users.usersText())))
		r := c.runToEnd()
		found := checkSweep(r)
		Expect(found.Verdict).To(Equal("fail"))
		Expect(found.Complete).To(BeTrue())
		Expect(found.findings).To(Equal(users.expectedFindings()))
		Expect(r.stdout).To(And(ContainSubstring("\n%d of 4,000 users (", found.Tally.Differing),
			ContainSubstring(listFile)))
		Expect(found.Tally.Groups).To(HaveLen(2))
		for _, g := range found.Tally.Groups {
			Expect(strings.Count(strings.Join(users.expectedFindings(), "\n"), g.Requirement)).To(Equal(g.Users))
			Expect(g.Sample).To(HaveLen(min(50, g.Users)))
		}
		rows := testkit.Must(csv.NewReader(strings.NewReader(filesIn(r.reportFolder())[listFile])).ReadAll())
		Expect(rows[0]).To(Equal([]string{"user", "id", "operation", "requirement", "place", "kind", "v5", "v6"}))
		var listed []string
		for _, row := range rows[1:] {
			listed = append(listed, strings.Join([]string{row[0], row[3], row[5], row[4]}, " "))
			Expect(row[6]+row[7]).NotTo(BeEmpty(), "%v shows no value", row)
		}
		Expect(listed).To(Equal(users.expectedFindings()))
		info := testkit.Must(os.Stat(filepath.Join(r.reportFolder(), listFile)))
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)), "it contains users and their values")
		Expect(r.peakMemory).To(BeNumerically("<", sweepMemoryBound))
	})

	It("that was killed at random moments and resumed has the same findings as an undisturbed one", func() {
		t := slowTarget(many)
		whole := many.newSweep(t.url).runToEnd()
		undisturbed := checkSweep(whole)
		Expect(undisturbed.findings).To(Equal(many.expectedFindings()))

		before, kills := t.requests.Load(), 0
		random := rand.New(rand.NewPCG(3, 5))
		c := many.newSweep(t.url, "--resume=if-begun")
		for i := range int64(4) {
			// The first is killed before the first user was compared.
			r := t.disturbRun(c, 1+i*(60+random.Int64N(100)), func(p *os.Process) { _ = p.Kill() })
			if r.exitCode >= 0 {
				break // it ended before
			}
			kills++
			Expect(filesIn(r.reportFolder())).To(HaveKey(checkpointFile))
			left := readSweep(r.reportFolder())
			Expect(left.Complete).To(BeFalse())
			Expect(left.Verdict).To(Equal("error"))
		}
		Expect(kills).To(BeNumerically(">=", 3), "kills before the end")
		r := c.runToEnd()
		resumed := checkSweep(r)
		Expect(resumed.lines).To(Equal(undisturbed.lines))
		Expect(resumed.counts).To(Equal(undisturbed.counts))
		Expect(filesIn(r.reportFolder())[listFile]).To(Equal(filesIn(whole.reportFolder())[listFile]))
		Expect(resumed.Traffic.Requests).To(And(BeNumerically("<=", t.requests.Load()-before),
			BeNumerically(">=", undisturbed.Traffic.Requests)))
	})

	It("that a signal stops ends regularly, and is resumed only with the same settings and users", func() {
		t := slowTarget(many)
		c := many.newSweep(t.url)
		// withUsers is the sweep with other users and flags.
		withUsers := func(file string, more ...string) command {
			changed := c
			changed.args = append(slices.Clone(c.args), more...)
			changed.args[slices.Index(c.args, "users.ndjson")] = file
			return changed
		}
		r := t.disturbRun(c, 500, sendSignals(syscall.SIGINT))
		stopped := checkSweep(r)
		Expect(r.exitCode).To(Equal(exitStopped), "%s", r)
		Expect(stopped.Tally.Users).To(BeNumerically("<", len(many)))
		Expect(stopped.Reason).To(MatchRegexp(
			`^stopped after \d+ of 200 users, \d+ differences so far; continue with --resume$`))

		files, sent := filesIn(r.reportFolder()), t.requests.Load()
		checkFailedSweep(c.runToEnd(), "unfinished sweep", "--resume", "--restart")
		checkFailedSweep(withUsers("users.ndjson", "--parity", "shape", "--resume").runToEnd(), "--resume", "parity")
		others := slices.Clone(many)
		others[0].ID = guidOf(999)
		writeFile(c.folder, "others.ndjson", others.usersText())
		checkFailedSweep(withUsers("others.ndjson", "--resume").runToEnd(), "--resume", "users of the population")
		Expect(t.requests.Load()).To(Equal(sent), "a request was sent before the sweep was known to be the same")
		for _, name := range []string{findingsFile, checkpointFile} {
			Expect(filesIn(r.reportFolder())[name] == files[name]).To(BeTrue(), "%s was changed", name)
		}
		anew := many.newSweep(t.url, "--restart") // it uses nothing of the earlier sweep
		Expect(os.CopyFS(filepath.Join(anew.folder, defaultSweep), os.DirFS(r.reportFolder()))).To(Succeed())

		writeFile(c.folder, "users.ndjson.gz", string(kit.Gzip([]byte(many.usersText()))))
		resumed := checkSweep(withUsers("users.ndjson.gz", "--resume").runToEnd())
		restarted := checkSweep(anew.runToEnd())
		Expect(resumed.findings).To(Equal(many.expectedFindings()))
		Expect(restarted.findings).To(Equal(many.expectedFindings()))
		Expect(resumed.Traffic.Requests-resumed.Traffic.Controls-resumed.Tally.Requests).To(BeNumerically("<=",
			500+8+2),
			"sent again for users of the block that was stopped, and for the first user")
		Expect(restarted.Traffic.Requests - restarted.Traffic.Controls - restarted.Tally.Requests).To(BeZero())
	})

	It("that a signal stops at its first request ends regularly", func() {
		t := slowTarget(many)
		r := t.disturbRun(many.newSweep(t.url), 1, sendSignals(syscall.SIGTERM))
		checkSweep(r)
		Expect(r.exitCode).To(Equal(exitStopped), "%s", r)
	})

	It("that is running excludes another sweep from its folder, and its findings stay correct", func() {
		t := slowTarget(many)
		c := many.newSweep(t.url)
		var second *result
		first := t.disturbRun(c, 300, func(*os.Process) { second = c.runUnchecked() })
		Expect(second.exitCode).To(Equal(2), "%s", second)
		Expect(second.stderr).To(ContainSubstring("another"))
		Expect(checkSweep(first).findings).To(Equal(many.expectedFindings()))
	})

	It("whose folder is removed and created again ends in an error", func() {
		t := slowTarget(many)
		c := many.newSweep(t.url)
		reports := filepath.Join(c.folder, defaultSweep)
		r := t.disturbRun(c, 500, func(*os.Process) {
			mustSucceed(os.RemoveAll(reports))
			mustSucceed(os.Mkdir(reports, 0o755))
		})
		Expect(r.exitCode).To(Equal(2), "%s", r)
		if _, err := os.Stat(filepath.Join(reports, sweepJSON)); err == nil {
			Expect(readSweep(reports).Verdict).To(Equal("error"))
		}
	})
})
