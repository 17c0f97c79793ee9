package selftest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// hide is the setting that hides the values of users.
var hide = []string{"--values", "hide"}

// tracesOfUsers lists which canaries are in the streams and files of a process.
func tracesOfUsers(r *result) []string { return tracesIn(r, canaryBeginnings()...) }

// outcomesOf are the rows of a report without the texts: what hiding values must not change.
func outcomesOf(r *result) []string {
	GinkgoHelper()
	var list []string
	for _, row := range checkRun(r).Requirements {
		list = append(list, fmt.Sprintf("%s %s %s", row.ID, row.Version, row.Verdict))
	}
	return list
}

var _ = Describe("--values hide", func() {
	withCanaries := func(work func(url string) *result) func() *result {
		return startEarly(&otherJobs, func() *result {
			t := startTarget(&canaryService{})
			defer t.Close()
			return work(t.URL)
		})
	}
	shown := withCanaries(func(url string) *result { return canaryCommand("run", url, "--verbose").run() })
	hidden := withCanaries(func(url string) *result {
		c := canaryCommand("run", url, append(hide, "--verbose")...)
		c.env = append(c.env, "GITHUB_ACTIONS=true") // annotations too
		return c.run()
	})
	swept := withCanaries(func(url string) *result { return canaryCommand("sweep", url, hide...).run() })
	It("leaves no value of a user in a file or a stream of a run", func() {
		Expect(tracesOfUsers(shown())).NotTo(BeEmpty(), "the search finds nothing in a run that shows values")
		Expect(outcomesOf(hidden())).To(Equal(outcomesOf(shown())))
		Expect(tracesOfUsers(hidden())).To(BeEmpty())
	})
	It("says so in every report, and names users by position and digest", func() {
		for _, name := range []string{"report.html", "summary.md"} {
			Expect(filesIn(hidden().reports())[name]).To(ContainSubstring("a user is named by the position"), name)
		}
		Expect(filesIn(hidden().reports())["report.json"]).To(ContainSubstring(`"values": "hide"`))
		Expect(filesIn(hidden().reports())["junit.xml"]).To(ContainSubstring(`name="values" value="hide"`))
		Expect(filesIn(hidden().reports())["statement.json"]).To(ContainSubstring("setting:values=hide"))
		Expect(hidden().stdout).To(MatchRegexp(`for user 2, #[0-9a-f]{10} \(e`))
	})
	It("keeps a difference visible", func() {
		for _, place := range []string{"/IsLocked expected what v5 shows [(]e[0-9]+[)]: boolean",
			"/Description expected what v5 shows [(]e[0-9]+[)]: string, [0-9]+ characters"} {
			found := regexp.MustCompile(place + `, (#[0-9a-f]{10}); got v6 shows: [^#]+(#[0-9a-f]{10})`).
				FindStringSubmatch(filesIn(hidden().reports())["report.json"])
			Expect(found).To(HaveLen(3), place)
			Expect(found[1]).NotTo(Equal(found[2]))
		}
	})
	It("refuses to judge such evidence again", func() {
		r := command{args: []string{"judge", filepath.Join(hidden().reports(), "evidence.har")}}.run()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("it was recorded with --values hide"))
		checkRun(r)
	})
	It("refuses to judge the answers of such a sweep, too", func() {
		r := command{args: []string{"judge", filepath.Join(swept().reports(), answersFile)}}.run()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("it was recorded with --values hide"))
	})
	It("hides the users in a plan", func() {
		r := canaryCommand("plan", "http://127.0.0.1:1", hide...).run()
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(MatchRegexp(`"UserId":"1, #[0-9a-f]{10}"`))
		Expect(tracesOfUsers(r)).To(BeEmpty())
	})
	It("hides the values of evidence that is judged again", func() {
		r := command{args: append([]string{"judge", filepath.Join(shown().reports(), "evidence.har")}, hide...)}.run()
		Expect(outcomesOf(r)).To(Equal(outcomesOf(shown())))
		Expect(tracesOfUsers(r)).To(BeEmpty())
		again := command{args: append([]string{"judge", filepath.Join(shown().reports(), "evidence.har"),
			"--report-dir", shown().reports()}, hide...)}.run()
		Expect(again.stderr).To(ContainSubstring("name another folder"))
		Expect(filepath.Join(shown().reports(), "evidence.har")).To(BeAnExistingFile())
	})

	gated := withCanaries(func(url string) *result {
		c := canaryCommand("run", url, append(hide, "--update-baseline", "baseline.json")...)
		if r := c.run(); r.exitCode != 1 {
			return r
		}
		c.args = append(c.args[:len(c.args)-2], "--baseline", "baseline.json")
		r := c.run()
		content, err := os.ReadFile(filepath.Join(c.folder, "baseline.json"))
		mustSucceed(err)
		writeFile(r.reports(), "baseline.json", string(content))
		return r
	})
	It("gates against a baseline that was written so", func() {
		Expect(gated().stdout).To(ContainSubstring("against the baseline: 0 new,"))
		Expect(gated().stdout).To(ContainSubstring(", 0 stale,"))
		Expect(tracesOfUsers(gated())).To(BeEmpty())
	})

	It("leaves no value of a user in a file or a stream of a sweep", func() {
		report, findings := checkSweep(swept())
		Expect(report.Verdict).To(Equal("fail"))
		Expect(findings.findings).NotTo(BeEmpty())
		Expect(findings.findings[0].User.UserID).To(MatchRegexp(`^line \d+, #[0-9a-f]{10}$`))
		Expect(tracesOfUsers(swept())).To(BeEmpty())
	})

	type stopped struct{ killed, resumed, other *result }
	resumed := startEarly(&otherJobs, func() stopped {
		t := startTarget(delayAnswers(&canaryService{}, sweepDelay))
		defer t.Close()
		c := canaryCommand("sweep", t.URL, append(hide, "--concurrency", "1")...)
		var s stopped
		s.killed = withReports(t.disturb(c, 40, func(p *os.Process) { _ = p.Kill() }))
		c.args = append(c.args, "--resume")
		other := c
		other.args = append([]string{}, c.args...)
		other.args[6] = "show"
		s.other = withReports(other.run())
		s.resumed = c.run()
		return s
	})
	It("leaves none in what a killed sweep leaves, nor when it is resumed", func() {
		Expect(filesIn(resumed().killed.reports())).To(HaveKey(checkpointFile))
		Expect(tracesOfUsers(resumed().killed)).To(BeEmpty())
		_, findings := checkSweep(resumed().resumed)
		_, whole := checkSweep(swept())
		Expect(findings.lines).To(HaveLen(len(whole.lines)))
		Expect(tracesOfUsers(resumed().resumed)).To(BeEmpty())
		Expect(resumed().other.output()).To(ContainSubstring("has another setting of values (hide)"))
	})

	merged := withCanaries(func(url string) *result {
		c := canaryCommand("sweep", url, append(hide, "--shard", "1/2", "--report-dir", "shards/one")...)
		c.run()
		c.args = append(c.args[:len(c.args)-4], "--shard", "2/2", "--report-dir", "shards/two")
		c.run()
		return command{args: []string{"merge", "shards"}, folder: c.folder}.run()
	})
	It("leaves none in the merged report of such shards", func() {
		Expect(merged().exitCode).To(Equal(1), "%s", merged())
		Expect(filesIn(merged().reports())[sweepPage]).To(ContainSubstring("a user is named by the position"))
		Expect(tracesOfUsers(merged())).To(BeEmpty())
	})

	faulty := startEarly(&otherJobs, func() *result {
		c := canaryCommand("run", "http://127.0.0.1:1", hide...)
		writeFile(c.folder, "users.csv", canaryUserID(1)+","+canaryID(1)+"\n")
		return c.run()
	})
	It("quotes nothing of a users file that can't be read", func() {
		Expect(faulty().exitCode).To(Equal(2))
		Expect(faulty().stderr).To(ContainSubstring("users.csv:1: the users can't be read"))
		Expect(tracesOfUsers(faulty())).To(BeEmpty())
	})

	refusing := startEarly(&otherJobs, func() *result {
		t := startTarget(&canaryService{})
		defer t.Close()
		c := canaryCommand("run", t.URL, hide...)
		c.env = credentialsWith("another-token-altogether")
		return c.run()
	})
	It("quotes nothing of a refusal", func() {
		Expect(refusing().stderr + refusing().stdout).To(ContainSubstring("the target refuses everything"))
		Expect(tracesOfUsers(refusing())).To(BeEmpty())
	})
})
