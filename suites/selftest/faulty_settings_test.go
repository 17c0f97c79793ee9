package selftest_test

import (
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// faultyCalls has one wrong call for each kind of setting. Unit tests cover all values of all settings: in
// suites/internal/settings, population, gate and sweep, and filters in suites/cmd/conformance.
func faultyCalls() []faultyCall {
	with := credentialsOfReference()
	const users = "id,userId\nfbc1af89-7d69-4938-84f7-18fd250c67f3,a\nfbc1af89-7d69-4938-84f7-18fd250c67f3,b\n" +
		"FBC1AF89-7D69-4938-84F7-18FD250C67F3,a\n"
	people := generatePeople(300, func(int) bool { return true }).csv()
	return []faultyCall{
		{name: "an unknown flag", args: onTarget("--tagret-url", "http://127.0.0.1:1"), env: with,
			words: []string{"--tagret-url"}},
		{name: "an argument", args: onTarget("now"), env: with, words: []string{"now"}},
		{name: "an unknown variable, and a variable for the report folder", args: onTarget(), reports: "r",
			env:   append(with, "AUTHN_TARGET_URI=x", "AUTHN_REPORT_DIR=r"),
			words: []string{"AUTHN_TARGET_URI", "AUTHN_TARGET_URL"}},
		{name: "an empty URL, which must not mean the embedded reference", args: []string{"run"},
			env: []string{"AUTHN_TARGET_URL="}, words: []string{"AUTHN_TARGET_URL", "empty"}},
		{name: "nothing but a URL", args: []string{"run", "--target-url", "{target}"},
			words: []string{"AUTHN_ACCESS_TOKEN", "AUTHN_APPLICATION_ID", "AUTHN_USERS"}},
		{name: "a wrong value, and a flag for the report folder", args: onTarget("--rate", "-1", "--report-dir=r/s"),
			env: with, words: []string{"--rate"}, reports: "r/s"},
		{name: "an unknown member of a file that names the report folder", args: onTarget("--config", "in/c.yaml"),
			env:   with,
			files: map[string]string{"in/c.yaml": "reportDir: r\nrat: 1\n"},
			words: []string{"c.yaml:2", "rat"}, reports: "in/r"},
		{name: "a fault in the users file", args: []string{"run", "--target-url", "{target}", "--users", "u.csv"},
			env:   with,
			files: map[string]string{"u.csv": users}, words: []string{"--users", "u.csv:4", "line 2"}},
		{name: "a filter with an unknown label", args: onTarget("--label-filter", "!auth-failur"), env: with,
			words: []string{"--label-filter", "auth-failur"}},
		{name: "a focus and a filter that select nothing", args: onTarget("--label-filter", "v5", "--focus", "^.* v6 "),
			env: with, words: []string{"--label-filter", "--focus"}},
		{name: "a baseline that is no report", args: onTarget("--baseline", "b.json"), env: with,
			files: map[string]string{"b.json": "{}"}, words: []string{"b.json", "not a valid report"}},
		{name: "a certificate that is none", args: onTarget("--ca", "ca.pem"), env: with,
			files: map[string]string{"ca.pem": "certificate"}, words: []string{"--ca", "ca.pem"}},
		{name: "a report folder below a file", args: onTarget("--report-dir", "r/s"), env: with,
			files: map[string]string{"r": "file"}, words: []string{"r/s", "reportDir"}, unreported: true},
		{name: "no evidence to judge", args: []string{"judge"},
			words: []string{"one file", "evidence.har", "0 were given"}},
		{name: "a file that is no evidence", args: []string{"judge", "x.har"},
			files: map[string]string{"x.har": "PASS\n"},
			words: []string{"x.har", "no evidence"}},
		{name: "a shard that does not exist", args: sweepTarget("--shard", "17/16"), env: with,
			words: []string{"--shard"}},
		{name: "a sweep without a checkpoint to resume", args: sweepTarget("--resume"), env: with,
			words: []string{"--resume", "checkpoint"}, whileSweeping: true},
		{name: "a bad line in a population", args: []string{"sweep", "--target-url", "{target}", "--users", "u.csv"},
			env: with, files: map[string]string{"u.csv": strings.Replace(people, guidOf(49), "no-guid", 1)},
			words: []string{"u.csv:51", "no-guid"}, whileSweeping: true},
		{name: "settings of a deployed target without its URL", args: []string{"run", "--application-id", "a"},
			env:   with,
			words: []string{"the target has no URL", "AUTHN_ACCESS_TOKEN", "--application-id", "--target-url"}},
		{name: "users of a sweep without the target's URL", args: []string{"sweep", "--users", "-"},
			words: []string{"the target has no URL", "--users", "--target-url"}},
		{name: "an unknown mutant", args: []string{"serve", "--mutant", "no-such"},
			words:      []string{"--mutant", "no-such"},
			unreported: true},
		{name: "an unknown command", args: []string{"rnu"}, words: []string{"rnu"}, unreported: true},
	}
}

var _ = Describe("A call with a wrong setting", func() {
	for _, f := range faultyCalls() {
		outcome := startEarly(&otherJobs, f.run)
		It("("+f.name+") ends in an error that names it, and replaces an earlier pass", func() {
			r := outcome()
			checkStreams(r.result)
			checkNoDefect(r.result)
			Expect(r.exitCode).To(Equal(2), "%s", r)
			for _, words := range f.words {
				Expect(r.output()).To(ContainSubstring(words))
			}
			Expect(r.output()).NotTo(ContainSubstring("::"), "annotations are for GitHub only")
			if !f.whileSweeping {
				Expect(r.requests).To(BeZero(), "a request was sent")
				Expect(r.stdout).To(BeEmpty())
				Expect(r.stderr).To(HavePrefix("error: "))
			}
			switch {
			case f.unreported:
			case f.args[0] == "sweep":
				checkFailedSweep(r.result, f.words...)
			default:
				checkPassReplaced(f.reportFolder(r.folder), f.words...)
			}
		})
	}

	It("of judge keeps the evidence in the report folder", func() {
		const earlierEvidence = "evidence of an earlier run"
		for _, args := range [][]string{{"judge", "evidence.har"}, {"judge", "--nonsense"}} {
			c := command{args: args, folder: newFolder()}
			reports := filepath.Join(c.folder, defaultReports)
			writePass(reports)
			writeFile(reports, "evidence.har", earlierEvidence)
			r := c.run()
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(filesIn(reports)["evidence.har"]).To(Equal(earlierEvidence), "%q removed the evidence", args)
			checkPassReplaced(reports)
		}
	})
})
