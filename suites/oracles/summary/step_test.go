package summary_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/summary"
)

var _ = Describe("The summary of a step", func() {
	var path string
	BeforeEach(func() { path = filepath.Join(GinkgoT().TempDir(), "step.md") })
	environ := func() []string { return []string{"GITHUB_STEP_SUMMARY=" + path} }

	DescribeTable("is written nowhere where GitHub names no file",
		func(environ ...string) { Expect(summary.StepSummary(environ, []byte("x"))).To(Succeed()) },
		Entry("not set"),
		Entry("set to nothing", "GITHUB_STEP_SUMMARY="),
		Entry("another name", "GITHUB_STEP_SUMMARY_X=/dev/null/x"),
	)

	It("is put into a file that is not there yet", func() {
		Expect(summary.StepSummary(environ(), []byte("# one\n"))).To(Succeed())
		Expect(os.ReadFile(path)).To(BeEquivalentTo("# one\n"))
	})

	It("is appended to what other commands of the step wrote, on lines of its own", func() {
		Expect(os.WriteFile(path, []byte("before"), 0o600)).To(Succeed())
		Expect(summary.StepSummary(environ(), []byte("# one\n"))).To(Succeed())
		Expect(summary.StepSummary(environ(), []byte("# two\n"))).To(Succeed())
		Expect(os.ReadFile(path)).To(BeEquivalentTo("before\n# one\n\n# two\n"))
	})

	DescribeTable("is at most what GitHub takes, with what is there",
		func(there, content int, fits bool) {
			Expect(os.WriteFile(path, []byte(strings.Repeat("x", there)), 0o600)).To(Succeed())
			err := summary.StepSummary(environ(), []byte(strings.Repeat("y", content)))
			written, readErr := os.ReadFile(path)
			Expect(readErr).NotTo(HaveOccurred())
			if fits {
				Expect(err).NotTo(HaveOccurred())
				Expect(written).To(HaveLen(1 << 20))
				return
			}
			Expect(err).To(MatchError(And(ContainSubstring("GITHUB_STEP_SUMMARY"), ContainSubstring(path),
				ContainSubstring("1048576"))))
			Expect(written).To(HaveLen(there), "what was there stays")
		},
		Entry("an empty file, filled", 0, 1<<20, true),
		Entry("an empty file, overfilled", 0, 1<<20+1, false),
		Entry("a file that is filled up", 1000, 1<<20-1001, true),
		Entry("a file that is overfilled by one", 1000, 1<<20-1000, false),
		Entry("a file that is too large already", 1<<20+5, 1, false),
	)

	DescribeTable("that can't be written is an error that names the variable and the file",
		func(prepare func(path string) string) {
			named := prepare(path)
			err := summary.StepSummary([]string{"GITHUB_STEP_SUMMARY=" + named}, []byte("x"))
			Expect(err).To(MatchError(And(ContainSubstring("GITHUB_STEP_SUMMARY"), ContainSubstring(named),
				ContainSubstring("correct or unset"))))
		},
		Entry("a folder", func(path string) string { return filepath.Dir(path) }),
		Entry("in a folder that is not there", func(path string) string { return filepath.Join(path, "x.md") }),
		Entry("below a file", func(path string) string {
			Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
			return filepath.Join(path, "x.md")
		}),
		Entry("a device", func(string) string { return os.DevNull }),
	)
})
