package recipes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const gitlabFile = ".gitlab-ci.yml"

// runGitLab runs a job of the pipeline with gitlab-ci-local, which first validates the file by GitLab's schema. It
// returns the folder of the repository with the reports, the output, and whether the job succeeded.
func (p *project) runGitLab(job string, variables string) (folder, out string, succeeded bool) {
	GinkgoHelper()
	folder, home := p.clone(), GinkgoT().TempDir()
	writeFile("AUTHN_ACCESS_TOKEN: "+token+"\nBASELINE_PUSH_TOKEN: token-of-the-push\n"+variables, folder,
		".gitlab-ci-local-variables.yml")
	writeFile("/.gitlab-ci-local*\n", folder, ".git", "info", "exclude")
	// gitlab-ci-local takes the project's URL from the remote.
	const remote = "https://gitlab.example.com/team/service.git"
	runShell(folder, "git", "remote", "set-url", "origin", remote)
	command := exec.Command(filepath.Join(root, ".ci", "node_modules", ".bin", "gitlab-ci-local"),
		"--force-shell-executor", "--no-color", job)
	command.Dir = folder
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + p.origin + ".pushInsteadOf", "GIT_CONFIG_VALUE_0=" + remote}
	content, err := command.CombinedOutput()
	// Its own exit code is 0 if the job has allow_failure.
	return folder, string(content), err == nil && !regexp.MustCompile(`(?m)^ *FAIL +`).Match(content)
}

var _ = Describe("The recipe for GitLab", func() {
	recipe := map[string]string{"suites/recipes/gitlab-ci.yml": gitlabFile}

	DescribeTable("gates against the baseline", func(config string, succeeds bool, said string) {
		p := newProject(config, recipe).withBaseline()
		folder, out, succeeded := p.runGitLab("conformance", "")
		Expect(succeeded).To(Equal(succeeds), out)
		Expect(out).To(ContainSubstring("json schema validated"))
		Expect(out).To(ContainSubstring(said))
		Expect(out).NotTo(ContainSubstring(token))
		Expect(readFile(folder, "conformance-report", "junit.xml")).To(ContainSubstring("<testsuite"))
	},
		Entry("a service as it was", passing, true, "verdict: pass"),
		Entry("a service that got worse", failing, false, "verdict: fail"),
		Entry("an inconclusive run, which is a warning", inconclusive, true, "verdict: inconclusive"),
	)

	It("runs nothing that has another checksum", func() {
		p := newProject(passing, recipe)
		work := p.clone()
		writeFile(strings.ReplaceAll(readFile(work, gitlabFile), p.checksum, strings.Repeat("f", 64)), work, gitlabFile)
		p.commit(work, "Mistype the checksum")
		_, out, succeeded := p.runGitLab("conformance", "")
		Expect(succeeded).To(BeFalse(), out)
		Expect(out).To(ContainSubstring("SHA256SUMS: FAILED"))
		Expect(out).NotTo(ContainSubstring("verdict"))
	})

	It("updates the baseline by a merge request, and gates against it after the merge", func() {
		p := newProject(failing, recipe)
		_, out, succeeded := p.runGitLab("conformance-baseline", "UPDATE_BASELINE: \"yes\"\n")
		Expect(succeeded).To(BeTrue(), out)
		p.mergeBranch()
		_, out, succeeded = p.runGitLab("conformance", "")
		Expect(succeeded).To(BeTrue(), out)
	})

	It("has a file that GitLab's schema refuses when a key is misspelled", func() {
		p := newProject(passing, recipe)
		work := p.clone()
		writeFile(strings.ReplaceAll(readFile(work, gitlabFile), "exit_codes:", "exit_code:"), work, gitlabFile)
		p.commit(work, "Misspell a key")
		_, out, succeeded := p.runGitLab("conformance", "")
		Expect(succeeded).To(BeFalse(), out)
		Expect(out).To(ContainSubstring("Invalid .gitlab-ci.yml configuration"))
	})
})
