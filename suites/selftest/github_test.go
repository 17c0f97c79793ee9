package selftest_test

import (
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("On GitHub", func() {
	// onGitHub returns the call in a GitHub step whose summary has text already.
	onGitHub := func(c command) command {
		c.folder = newFolder()
		file := writeFile(c.folder, "step.md", "before\n")
		c.env = slices.Concat(credentialsOfReference(), []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + file})
		return c
	}
	// stepSummary reads the summary of the step. The earlier text must still be there.
	stepSummary := func(r *result) string {
		GinkgoHelper()
		content, err := os.ReadFile(filepath.Join(r.folder, "step.md"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(content)).To(HavePrefix("before\n"))
		return string(content)
	}

	failing := startEarly(&otherJobs, func() *result {
		r, _ := mutantService(mutantNamed("flags-fraction-v6")).judge(onGitHub(command{args: []string{"run"}}))
		return r
	})
	It("a failing run appends its summary to that of the step, and prints an annotation per cause", func() {
		Expect(failing().exitCode).To(Equal(1), "%s", failing())
		Expect(stepSummary(failing())).To(HaveSuffix(filesIn(failing().reports())["summary.md"]))
		Expect(failing().stdout).To(MatchRegexp(`(?m)^::error title=[^:]*2\.1/Flags[^:]*::.*Flags`))
	})

	faulty := startEarly(&otherJobs, func() *result {
		return onGitHub(command{args: []string{"run", "--rate", "fast"}}).run()
	})
	It("a run with a wrong setting names it in the summary and in an annotation", func() {
		Expect(faulty().exitCode).To(Equal(2), "%s", faulty())
		Expect(stepSummary(faulty())).To(ContainSubstring("--rate"))
		Expect(faulty().stdout).To(MatchRegexp(`(?m)^::error .*--rate`))
	})
})
