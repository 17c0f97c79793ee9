package selftest_test

import (
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
)

// ciSpecs see what GitHub Actions gets: the summary of the step, and annotations.
func ciSpecs(r *rig) {
	Describe("On GitHub", func() {
		call := func(args ...string) (o *outcome, step string) {
			folder := r.work()
			file := filepath.Join(folder, "step.md")
			Expect(os.WriteFile(file, []byte("before\n"), 0o600)).To(Succeed())
			env := slices.Concat(credentials(), []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + file})
			o = r.call(command{args: append([]string{"run"}, args...), env: env, folder: folder})
			content, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(content)).To(HavePrefix("before\n"), "what other steps wrote stays")
			return o, string(content)
		}

		It("a failing run leaves its summary and an annotation for each cause", func() {
			m, found := mutants.Find("flags-fraction-v6")
			Expect(found).To(BeTrue())
			target := count(m.Serve(referenceOf(knownUsers())))
			o, step := call("--target-url", target.URL, "--users", r.users)
			Expect(o.code).To(Equal(1), o.said())
			summary, err := os.ReadFile(filepath.Join(o.reports(), "summary.md"))
			Expect(err).NotTo(HaveOccurred())
			Expect(step).To(HaveSuffix(string(summary)))
			Expect(o.stdout).To(MatchRegexp(`(?m)^::error title=[^:]*2\.1/Flags[^:]*::.*Flags`))
		})

		It("a run that could not begin says why", func() {
			o, step := call("--rate", "fast")
			Expect(o.code).To(Equal(2), o.said())
			Expect(step).To(ContainSubstring("--rate"))
			Expect(o.stdout).To(MatchRegexp(`(?m)^::error .*--rate`))
		})

		It("a run elsewhere prints no annotation", func() {
			o := r.call(command{args: []string{"run", "--rate", "fast"}})
			Expect(o.code).To(Equal(2))
			Expect(o.stdout + o.stderr).NotTo(ContainSubstring("::"))
		})
	})
}
