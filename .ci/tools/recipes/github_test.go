package recipes_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

const (
	actionFile   = ".github/actions/conformance/action.yml"
	workflowFile = ".github/workflows/conformance.yml"
)

// onGitHub maps the files of the recipe for GitHub to their paths in a user's repository.
var onGitHub = map[string]string{actionFile: actionFile, "suites/recipes/github.yml": workflowFile}

// runJob runs the job of the workflow that the event selects.
func (p *project) runJob(updateBaseline bool) (*job, bool) {
	GinkgoHelper()
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct {
			If    string
			Steps []step
		}
	}
	Expect(yaml.Unmarshal([]byte(readFile(p.clone(), workflowFile)), &workflow)).To(Succeed())
	environ := values{}
	for name, value := range workflow.Env {
		environ[strings.ToLower(name)] = value
	}
	context := values{"env": environ, "inputs": values{"update-baseline": updateBaseline},
		"secrets": values{"authn_access_token": token},
		"github": values{"ref_name": "main", "run_id": "7", "token": "token-of-the-job", "repository": "team/service",
			"server_url": "https://github.example.com", "event": values{}}}
	var j *job
	succeeded := false
	for _, one := range workflow.Jobs {
		if context.condition(one.If, false) {
			Expect(j).To(BeNil(), "an event should start one job")
			j = newJob(p.origin)
			succeeded = j.run(one.Steps, context)
		}
	}
	Expect(j).NotTo(BeNil())
	return j, succeeded
}

// reports returns the uploaded report folder. It asserts that no file and no log contains the token.
func (j *job) reports() string {
	GinkgoHelper()
	folder := filepath.Join(j.artifacts, "conformance-report")
	entries, err := os.ReadDir(folder)
	Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		Expect(readFile(folder, entry.Name())).NotTo(ContainSubstring(token), entry.Name())
	}
	Expect(j.log.String()).NotTo(ContainSubstring(token))
	return folder
}

var _ = Describe("The recipe for GitHub", func() {
	It("satisfies actionlint", func() {
		work := newProject(passing, onGitHub).clone()
		runShell(filepath.Join(root, ".ci", "tools"), "go", "tool", "actionlint", "-shellcheck=", "-pyflakes=",
			filepath.Join(work, workflowFile))
	})

	DescribeTable("gates against the baseline", func(config, accept string, succeeds bool, said string) {
		p := newProject(config, onGitHub).withBaseline()
		work := p.clone()
		writeFile(strings.ReplaceAll(readFile(work, workflowFile), "inconclusive: fail", "inconclusive: "+accept), work,
			workflowFile)
		if accept != "fail" {
			p.commit(work, "Accept inconclusive runs")
		}
		j, succeeded := p.runJob(false)
		Expect(succeeded).To(Equal(succeeds), j.log.String())
		Expect(j.log.String()).To(ContainSubstring(said))
		Expect(readFile(j.reports(), "junit.xml")).To(ContainSubstring("<testsuite"))
		Expect(readFile(j.temp, "summary.md")).To(ContainSubstring("Authenticator API conformance"))
	},
		Entry("a service as it was", passing, "fail", true, "verdict: pass"),
		Entry("a service that got worse", failing, "fail", false, "verdict: fail"),
		Entry("an inconclusive run", inconclusive, "fail", false, "verdict: inconclusive"),
		Entry("an inconclusive run that the team accepts", inconclusive, "pass", true, "::warning::inconclusive"),
	)

	DescribeTable("runs nothing that has another checksum", func(wrong string) {
		p := newProject(passing, onGitHub)
		work := p.clone()
		changed := serveRelease(func(name string, content []byte) []byte {
			if name == wrong || wrong == "archive" && strings.HasSuffix(name, ".tar.gz") {
				return append(content, '\n')
			}
			return content
		})
		writeFile(strings.ReplaceAll(readFile(work, workflowFile), p.releases, changed.releases), work, workflowFile)
		p.commit(work, "Download from elsewhere")
		j, succeeded := p.runJob(false)
		Expect(succeeded).To(BeFalse())
		Expect(j.ran).To(Equal(1))
		Expect(j.log.String()).To(ContainSubstring("FAILED"))
		Expect(filepath.Join(j.temp, "conformance", "conformance")).NotTo(BeAnExistingFile())
	},
		Entry("SHA256SUMS", "SHA256SUMS"),
		Entry("the archive", "archive"),
	)

	It("updates the baseline by a pull request, and gates against it after the merge", func() {
		p := newProject(failing, onGitHub)
		j, succeeded := p.runJob(true)
		Expect(succeeded).To(BeTrue(), j.log.String())
		Expect(readFile(j.artifacts, "..", "gh.txt")).To(
			HavePrefix("pr\ncreate\n--base\nmain\n--head\nconformance-baseline-7\n"))
		p.mergeBranch()
		j, succeeded = p.runJob(false)
		Expect(succeeded).To(BeTrue(), j.log.String())
		j, succeeded = p.runJob(true)
		Expect(succeeded).To(BeTrue(), j.log.String())
		Expect(j.log.String()).To(ContainSubstring("The baseline is up to date."))
	})
})
