package recipes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

func TestRecipes(t *testing.T) { RegisterFailHandler(Fail); RunSpecs(t, "Recipes") }

// servers are the CI servers with a recipe. run runs the job that gates, or the one that updates the baseline, and
// returns the folder with the reports, what it printed, and whether it succeeded.
var servers = []struct {
	name, gate, update, file string
	files                    map[string]string // the paths of the recipe's files in a user's repository
	run                      func(p *project, job string) (folder, out string, succeeded bool)
	takesInconclusive        bool // it is a warning
}{
	{"GitHub", "gate", "baseline", workflowFile,
		map[string]string{actionFile: actionFile, "suites/recipes/github.yml": workflowFile}, runGitHub, false},
	{"GitLab", "conformance", "conformance-baseline", ".gitlab-ci.yml",
		map[string]string{"suites/recipes/gitlab-ci.yml": ".gitlab-ci.yml"}, runGitLab, true},
	{"Jenkins", "Gate", "Update the baseline", "Jenkinsfile",
		map[string]string{"suites/recipes/Jenkinsfile": "Jenkinsfile"}, runJenkins, false},
}

var _ = Describe("The recipe", func() {
	for _, s := range servers {
		DescribeTable("for "+s.name+" gates against the baseline", func(config string, succeeds bool, said string) {
			p := newProject(config, s.files)
			p.addBaseline()
			folder, out, succeeded := s.run(p, s.gate)
			Expect(succeeded).To(Equal(succeeds), out)
			Expect(out).To(ContainSubstring(said))
			Expect(out).NotTo(ContainSubstring(token))
			Expect(readFile(folder, "conformance-report", "junit.xml")).To(ContainSubstring("<testsuite"))
			for _, file := range readFolder(filepath.Join(folder, "conformance-report")) {
				Expect(readFile(folder, "conformance-report", file.Name())).NotTo(ContainSubstring(token), file.Name())
			}
			if s.name == "GitHub" {
				Expect(readFile(folder, "summary.md")).To(ContainSubstring("Authenticator API conformance"))
			}
		},
			Entry("a service as it was", passing, true, "verdict: pass"),
			Entry("a service that got worse", failing, false, "verdict: fail"),
			Entry("an inconclusive run", inconclusive, s.takesInconclusive, "verdict: inconclusive"),
		)

		It("for "+s.name+" runs nothing that has another checksum", func() {
			p := newProject(passing, s.files)
			for _, wrong := range []string{"SHA256SUMS", ".tar.gz"} {
				p.wrong = wrong
				_, out, succeeded := s.run(p, s.gate)
				Expect(succeeded).To(BeFalse(), out)
				Expect(out).To(And(MatchRegexp(wrong+": FAILED"), Not(ContainSubstring("verdict"))))
			}
		})

		It("for "+s.name+" updates the baseline by a branch, and gates against it after the merge", func() {
			p := newProject(failing, s.files)
			folder, out, succeeded := s.run(p, s.update)
			Expect(succeeded).To(BeTrue(), out)
			p.mergeBranch()
			_, out, succeeded = s.run(p, s.gate)
			Expect(succeeded).To(BeTrue(), out)
			if s.name == "GitHub" {
				Expect(readFile(folder, "gh.txt")).To(
					HavePrefix("pr\ncreate\n--base\nmain\n--head\nconformance-baseline-7\n"))
				_, out, succeeded = s.run(p, s.update)
				Expect(succeeded).To(BeTrue(), out)
				Expect(out).To(ContainSubstring("The baseline is up to date."))
			}
		})
	}

	It("for GitHub runs no gate for a fork's pull request, which gets no secrets, and each job for its input", func() {
		Expect(readFile(root, "suites", "recipes", "github.yml")).To(And(
			MatchRegexp(`(?m)^  gate:\n(    .*\n)+    if: \$\{\{ !inputs\.update-baseline && \(github\.event_name != `+
				`'pull_request' \|\| github\.event\.pull_request\.head\.repo\.full_name == github\.repository\) \}\}$`),
			MatchRegexp(`(?m)^  result:\n(    .*\n)*    if: \$\{\{ always\(\) \}\}\n    needs: \[gate, baseline\]$`),
			MatchRegexp(`(?m)^concurrency:.*\n  group: conformance\n  queue: max$`),
			MatchRegexp(`(?m)^  baseline:\n(    .*\n)*    if: \$\{\{ inputs\.update-baseline \}\}$`)))
	})

	DescribeTable("for GitHub has a last job that succeeds only if something was judged", func(gate, baseline string,
		succeeds bool) {
		var workflow struct {
			Jobs map[string]struct{ Steps []step }
		}
		Expect(yaml.Unmarshal([]byte(readFile(root, "suites", "recipes", "github.yml")), &workflow)).To(Succeed())
		g := &gitHub{folder: GinkgoT().TempDir(), path: "/usr/bin:/bin"}
		Expect(os.Mkdir(filepath.Join(g.folder, "workspace"), 0o755)).To(Succeed())
		g.runSteps(workflow.Jobs["result"].Steps, map[string]string{"needs.gate.result": gate,
			"needs.baseline.result": baseline})
		Expect(!g.failed).To(Equal(succeeds), g.out.String())
	},
		Entry("a gate that passed", "success", "skipped", true),
		Entry("a gate that failed", "failure", "skipped", false),
		Entry("a gate that was cancelled", "cancelled", "skipped", false),
		Entry("a gate that a fork skipped", "skipped", "skipped", false),
		Entry("a new baseline", "skipped", "success", true),
		Entry("a new baseline that failed", "skipped", "failure", false),
	)

	It("for GitHub warns of an inconclusive run that the team accepts", func() {
		p := newProject(inconclusive, servers[0].files)
		p.addBaseline()
		p.replaceIn(workflowFile, "inconclusive: fail", "inconclusive: pass")
		_, out, succeeded := runGitHub(p, "gate")
		Expect(succeeded).To(BeTrue(), out)
		Expect(out).To(ContainSubstring("::warning::inconclusive"))
	})

	DescribeTable("satisfies a tool of its server, which refuses it with a fault", func(server int, from, to string,
		check func(p *project, folder string) (out string, succeeded bool), said string) {
		p := newProject(passing, servers[server].files)
		p.addBaseline()
		out, succeeded := check(p, p.cloneRepository())
		Expect(succeeded).To(BeTrue(), out)
		p.replaceIn(servers[server].file, from, to)
		out, succeeded = check(p, p.cloneRepository())
		Expect(succeeded).To(BeFalse())
		Expect(out).To(ContainSubstring(said))
	},
		Entry("actionlint, a misspelled input", 0, "          access-token:", "          acces-token:",
			func(_ *project, folder string) (string, bool) {
				// It does not know queue yet, of which no run that waits is cancelled.
				return lintWith(filepath.Join(root, ".ci", "tools"), "go", "tool", "actionlint", "-shellcheck=",
					"-pyflakes=", "-ignore", `unexpected key "queue" for "concurrency"`,
					filepath.Join(folder, workflowFile))
			}, "acces-token"),
		Entry("GitLab's schema, a misspelled key", 1, "exit_codes:", "exit_code:",
			func(p *project, _ string) (string, bool) {
				_, out, succeeded := runGitLab(p, "conformance")
				return out, succeeded
			}, "Invalid .gitlab-ci.yml configuration"),
		Entry("npm-groovy-lint, a missing brace", 2, "pipeline {", "pipeline",
			func(_ *project, folder string) (string, bool) {
				return lintWith(folder, filepath.Join(root, ".ci", "node_modules", ".bin", "npm-groovy-lint"),
					"--noserver", "--loglevel", "error", "--failon", "error", "Jenkinsfile")
			}, ""),
	)
})

// lintWith runs a linter, and reports whether it found nothing.
func lintWith(folder string, command ...string) (string, bool) {
	linter := exec.Command(command[0], command[1:]...)
	linter.Dir = folder
	out, err := linter.CombinedOutput()
	return strings.TrimSpace(string(out)), err == nil
}
