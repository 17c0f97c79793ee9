package recipes_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// jenkinsScripts returns the scripts of a Jenkinsfile by the names of their stages.
func jenkinsScripts(file string) map[string]string {
	GinkgoHelper()
	scripts := map[string]string{}
	for _, stage := range strings.Split(file, "stage('")[1:] {
		name, _, _ := strings.Cut(stage, "'")
		found := regexp.MustCompile(`(?s)sh[ (].*?'''(.*?)'''`).FindAllStringSubmatch(stage, -1)
		Expect(found).To(HaveLen(1), name)
		scripts[name] = found[0][1]
	}
	return scripts
}

// runJenkins runs the scripts of stages as Jenkins does, up to the first one that fails. It returns the folder of the
// repository, the output, and the exit code of the last script.
func (p *project) runJenkins(stages ...string) (folder, out string, code int) {
	GinkgoHelper()
	folder = p.clone()
	file := readFile(folder, "Jenkinsfile")
	scripts := jenkinsScripts(file)
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + GinkgoT().TempDir(), "BUILD_NUMBER=7",
		"AUTHN_ACCESS_TOKEN=" + token}
	for _, variable := range regexp.MustCompile(`(?m)^ +(CONFORMANCE_\w+) = '(.*)'$`).FindAllStringSubmatch(file, -1) {
		environ = append(environ, variable[1]+"="+variable[2])
	}
	for _, stage := range stages {
		Expect(scripts).To(HaveKey(stage))
		command := exec.Command("sh", "-xe", "-c", scripts[stage])
		command.Dir, command.Env = folder, environ
		content, err := command.CombinedOutput()
		out += string(content)
		if exit, failed := errors.AsType[*exec.ExitError](err); failed {
			return folder, out, exit.ExitCode()
		}
		Expect(err).NotTo(HaveOccurred())
	}
	return folder, out, 0
}

var _ = Describe("The recipe for Jenkins", func() {
	recipe := map[string]string{"suites/recipes/Jenkinsfile": "Jenkinsfile"}
	lint := func(folder string) (string, error) {
		command := exec.Command(filepath.Join(root, ".ci", "node_modules", ".bin", "npm-groovy-lint"), "--noserver",
			"--loglevel", "error", "--failon", "error", "Jenkinsfile")
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}

	It("satisfies npm-groovy-lint, which refuses it without its last brace", func() {
		folder := newProject(passing, recipe).clone()
		out, err := lint(folder)
		Expect(err).NotTo(HaveOccurred(), out)
		writeFile(strings.TrimSuffix(readFile(folder, "Jenkinsfile"), "}\n"), folder, "Jenkinsfile")
		out, err = lint(folder)
		Expect(err).To(HaveOccurred(), out)
	})

	DescribeTable("gates against the baseline", func(config string, expected int, said string) {
		folder, out, code := newProject(config, recipe).withBaseline().runJenkins("Get the binary", "Gate")
		Expect(code).To(Equal(expected), out)
		Expect(out).To(ContainSubstring(said))
		Expect(out).NotTo(ContainSubstring(token))
		Expect(readFile(folder, "conformance-report", "junit.xml")).To(ContainSubstring("<testsuite"))
	},
		Entry("a service as it was", passing, 0, "verdict: pass"),
		Entry("a service that got worse", failing, 1, "verdict: fail"),
		Entry("an inconclusive run", inconclusive, 3, "verdict: inconclusive"),
	)

	It("runs nothing that has another checksum", func() {
		p := newProject(passing, recipe)
		work := p.clone()
		writeFile(strings.ReplaceAll(readFile(work, "Jenkinsfile"), p.checksum, strings.Repeat("f", 64)), work,
			"Jenkinsfile")
		p.commit(work, "Mistype the checksum")
		_, out, code := p.runJenkins("Get the binary", "Gate")
		Expect(code).To(Equal(1), out)
		Expect(out).To(ContainSubstring("SHA256SUMS: FAILED"))
		Expect(out).NotTo(ContainSubstring("verdict"))
	})

	It("updates the baseline by a branch, and gates against it after the merge", func() {
		p := newProject(failing, recipe)
		_, out, code := p.runJenkins("Get the binary", "Update the baseline")
		Expect(code).To(BeZero(), out)
		p.mergeBranch()
		_, out, code = p.runJenkins("Get the binary", "Gate")
		Expect(code).To(BeZero(), out)
	})
})
