package selftest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The setting --values hide", Ordered, func() {
	var shown, hidden, swept *result
	judgeAgain := func(r *result, archive string, more ...string) *result {
		GinkgoHelper()
		return command{args: append([]string{"judge", filepath.Join(r.reportFolder(), archive)}, more...)}.runToEnd()
	}
	// outcomesOf are the rows of a report without the texts: what hiding values must not change.
	outcomesOf := func(r *result) (list []string) {
		GinkgoHelper()
		for _, row := range checkRun(r).Requirements {
			list = append(list, fmt.Sprintf("%s %s %s", row.ID, row.Version, row.Verdict))
		}
		return list
	}

	BeforeAll(func() {
		shown = canaryCommand("run", "--verbose").runToEnd()
		c := canaryCommand("run", "--values", "hide", "--verbose")
		c.env = append(c.env, "GITHUB_ACTIONS=true") // annotations too
		hidden = c.runToEnd()
		swept = canaryCommand("sweep", "--values", "hide").runToEnd()
	})

	It("leaves no value of a user in a file or a stream of a run, and changes no verdict", func() {
		Expect(canariesIn(shown)).NotTo(BeEmpty(), "the search finds nothing in a run that shows values")
		Expect(outcomesOf(hidden)).To(Equal(outcomesOf(shown)))
		Expect(canariesIn(hidden)).To(BeEmpty())
	})

	It("says so in every report, and names users by position", func() {
		for name, text := range map[string]string{"report.html": "a user is named by the position",
			"summary.md": "a user is named by the position", "report.json": `"values": "hide"`,
			"junit.xml": `name="values" value="hide"`, "statement.json": "setting:values=hide"} {
			Expect(filesIn(hidden.reportFolder())[name]).To(ContainSubstring(text), name)
		}
		Expect(hidden.stdout).To(MatchRegexp(`for user 2 \(e`))
		Expect(swept.stdout).To(And(MatchRegexp(`user [0-9]+ \(string, 36 characters\), u`),
			Not(ContainSubstring("user line"))))
		Expect(filesIn(swept.reportFolder())["differences.csv"]).To(MatchRegexp(`(?m)^"?[0-9]+"?,`))
	})

	It("prints no command that would need a hidden value", func() {
		for _, text := range []string{hidden.stdout, filesIn(hidden.reportFolder())["report.html"],
			filesIn(hidden.reportFolder())["summary.md"]} {
			Expect(text).NotTo(Or(ContainSubstring("curl -sS"), ContainSubstring("again</p>")))
		}
	})

	It("keeps a difference visible, without a digest of a value", func() {
		text := filesIn(hidden.reportFolder())["report.json"]
		for _, place := range []string{`/IsLocked expected what v5 shows \(e[0-9]+\): boolean; got v6 shows: boolean`,
			`/Description expected what v5 shows \(e[0-9]+\): string, [0-9]+ characters; ` +
				`got v6 shows: string, [0-9]+ ch`} {
			Expect(text).To(MatchRegexp(place))
		}
		for name, text := range filesIn(hidden.reportFolder()) {
			Expect(text).NotTo(MatchRegexp(`(characters?|number|boolean), #`), name)
		}
		digests := regexp.MustCompile(`"digest": ?"sha256:[0-9a-f]{64}"`)
		for _, name := range []string{"report.json", "evidence.har"} {
			list := digests.FindAllString(filesIn(shown.reportFolder())[name], -1)
			Expect(list).NotTo(BeEmpty(), name)
			for _, digest := range list {
				Expect(filesIn(hidden.reportFolder())[name]).NotTo(ContainSubstring(digest), name)
			}
		}
	})

	It("leaves open in verify what can't be judged again", func() {
		r := command{args: []string{"verify", hidden.reportFolder()}}.runToEnd()
		Expect(r.allOutput()).To(ContainSubstring("hidden values can't be judged again"))
	})

	It("refuses to judge again the evidence of such a run, and the answers of such a sweep", func() {
		for _, r := range []*result{judgeAgain(hidden, "evidence.har"), judgeAgain(swept, answersFile)} {
			Expect(checkRun(r).Verdict).To(Equal("error"))
			Expect(r.stderr).To(ContainSubstring("it was recorded with --values hide"))
		}
	})

	It("hides the values of evidence that is judged again, into another folder", func() {
		r := judgeAgain(shown, "evidence.har", "--values", "hide")
		Expect(outcomesOf(r)).To(Equal(outcomesOf(judgeAgain(shown, "evidence.har"))))
		Expect(canariesIn(r)).To(BeEmpty())
		r = judgeAgain(shown, "evidence.har", "--values", "hide", "--report-dir", shown.reportFolder())
		Expect(r.stderr).To(ContainSubstring("name another one"))
		Expect(filepath.Join(shown.reportFolder(), "evidence.har")).To(BeAnExistingFile())
	})

	It("hides the users in a plan", func() {
		r := canaryCommand("plan", "--values", "hide", "--json").runToEnd()
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(And(ContainSubstring(`"userId": "1"`), ContainSubstring(`\"UserId\":\"1\"`)))
		Expect(canariesIn(r)).To(BeEmpty())
	})

	It("gates against a baseline that was written so, without a value of a user", func() {
		c := canaryCommand("run", "--values", "hide", "--update-baseline", "baseline.json")
		Expect(c.runToEnd().exitCode).To(Equal(1))
		c.args[2], c.args[len(c.args)-2] = startTarget(canaryService()).url, "--baseline"
		r := c.runToEnd()
		Expect(r.stdout).To(And(ContainSubstring("against the baseline: 0 new,"), ContainSubstring(", 0 stale,")))
		writeFile(r.reportFolder(), "baseline.json", string(testkit.Read(c.folder, "baseline.json")))
		Expect(canariesIn(r)).To(BeEmpty())
	})

	It("leaves no value of a user in a file or a stream of a sweep", func() {
		found := checkSweep(swept)
		Expect(found.Verdict).To(Equal("fail"))
		Expect(found.findings[0]).To(MatchRegexp(`^\d+ `))
		Expect(canariesIn(swept)).To(BeEmpty())
	})

	It("leaves no value of a user in what a killed sweep leaves, which is resumed only with the same setting", func() {
		t := startTarget(delayAnswers(canaryService(), sweepDelay))
		c := canaryCommand("sweep", "--concurrency", "1", "--values", "hide")
		c.args[2] = t.url
		killed := t.disturbRun(c, 40, func(p *os.Process) { _ = p.Kill() })
		Expect(filesIn(killed.reportFolder())).To(HaveKey(checkpointFile))
		Expect(canariesIn(killed)).To(BeEmpty())
		c.args = append(c.args[:len(c.args)-1], "show", "--resume")
		Expect(c.runToEnd().allOutput()).To(ContainSubstring("has another setting of values (hide)"))
		c.args[len(c.args)-2] = "hide"
		resumed := c.runToEnd()
		Expect(checkSweep(resumed).lines).To(HaveLen(len(checkSweep(swept).lines)))
		Expect(canariesIn(resumed)).To(BeEmpty())
	})

	It("leaves no value of a user in the merged report of shards", func() {
		c := canaryCommand("sweep", "--values", "hide", "--shard", "*/2", "--report-dir", "shards/{shard}")
		for _, index := range []string{"0", "1"} {
			shard := c
			shard.env = append([]string{"JOB_COMPLETION_INDEX=" + index}, c.env...)
			shard.runToEnd()
		}
		r := command{args: []string{"merge", "shards"}, folder: c.folder}.runToEnd()
		Expect(r.exitCode).To(Equal(1), "%s", r)
		Expect(filesIn(r.reportFolder())[sweepPage]).To(ContainSubstring("a user is named by the position"))
		Expect(canariesIn(r)).To(BeEmpty())
	})

	It("quotes nothing of a users file that can't be read, and nothing of a refusal", func() {
		c := canaryCommand("run", "--values", "hide")
		refused := c
		refused.env = credentialsWith("another-token-altogether")
		r := refused.runToEnd()
		Expect(r.allOutput()).To(ContainSubstring("the target refuses everything"))
		Expect(canariesIn(r)).To(BeEmpty())
		writeFile(c.folder, "users.csv", fillCanaries("$user,$id\n", 1))
		r = c.runToEnd()
		Expect(r.exitCode).To(Equal(2))
		Expect(r.stderr).To(ContainSubstring("users.csv:1: the users can't be read"))
		Expect(canariesIn(r)).To(BeEmpty())
	})
})
