package summary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Annotations", func() {
	It("of a run that becomes the baseline are one notice, whatever failed", func() {
		testkit.ExpectGolden("testdata/recorded.annotations", markdown.Recorded(reportOf("failing").Document()))
	})

	DescribeTable("are ten of a level at most, the tenth of which counts the rest", func(causes int, last string) {
		r := reportOf("passing")
		r.Verdict = ledger.Fail
		for i := range causes {
			failRow(r, fmt.Sprint("2.1/Field", i), schemas.V5, "kind", "/Id", 1)
		}
		errors := strings.Split(markdown.Annotations(r.Document()), "\n")
		Expect(len(errors)).To(Equal(min(causes, 10) + 2)) // and the verdict, which ends its line
		Expect(errors[min(causes, 10)-1]).To(And(HavePrefix("::error title="), ContainSubstring("::"+last)))
	},
		Entry("nine", 9, "The statement of 2.1/Field"),
		Entry("ten", 10, "The statement of 2.1/Field"),
		Entry("eleven", 11, "2 more like these"),
		Entry("a thousand", 1000, "991 more like these"),
	)

	It("have twenty lines at most", func() {
		r := reportOf("error")
		why := strings.Repeat("a line\n", 99) + "the last"
		r.Error = &why
		Expect(markdown.Annotations(r.Document())).To(
			ContainSubstring("::" + strings.Repeat("a line%0A", 20) + "… and 80 more lines\n"))
	})

	DescribeTable("are for GitHub only",
		func(expected bool, environ ...string) { Expect(markdown.OnGitHub(environ)).To(Equal(expected)) },
		testkit.Entries("on-github"),
	)
})

var _ = Describe("The summary of a step", func() {
	// appendTo appends content to the summary in a file.
	appendTo := func(path, content string) error {
		return markdown.StepSummary([]string{"GITHUB_STEP_SUMMARY=" + path}, []byte(content))
	}

	It("is put into a new file, or appended to what commands wrote, on lines of its own; if GitHub names one", func() {
		Expect(appendTo("", "x")).To(Succeed())
		Expect(markdown.StepSummary([]string{"GITHUB_STEP_SUMMARY_X=/dev/null/x"}, []byte("x"))).To(Succeed())
		path := filepath.Join(GinkgoT().TempDir(), "step.md")
		Expect(appendTo(path, "# one")).To(Succeed())
		Expect(appendTo(path, "# two\n")).To(Succeed())
		Expect(testkit.Read(path)).To(BeEquivalentTo("# one\n# two\n"))
	})

	DescribeTable("is at most what GitHub takes, with what is there", func(there, content int, fits bool) {
		path := testkit.Write(GinkgoT().TempDir(), "step.md", make([]byte, there))
		err := appendTo(path, strings.Repeat("y", content))
		if fits {
			Expect(err).NotTo(HaveOccurred())
			Expect(testkit.Read(path)).To(HaveLen(1 << 20))
			return
		}
		Expect(err).To(MatchError(And(ContainSubstring("GITHUB_STEP_SUMMARY"), ContainSubstring(path),
			ContainSubstring("1048576"))))
		Expect(testkit.Read(path)).To(HaveLen(there), "what was there stays")
	},
		Entry("an empty file, filled", 0, 1<<20, true),
		Entry("an empty file, overfilled", 0, 1<<20+1, false),
		Entry("a file that is filled up", 1000, 1<<20-1001, true),
		Entry("a file that is overfilled by one", 1000, 1<<20-1000, false),
		Entry("a file that is too large already", 1<<20+5, 1, false),
	)

	It("that can't be written is an error that names the variable and the file", func() {
		dir := GinkgoT().TempDir()
		below := filepath.Join(testkit.Write(dir, "file", nil), "x.md")
		for _, path := range []string{dir, filepath.Join(dir, "missing", "x.md"), below, os.DevNull} {
			Expect(appendTo(path, "x")).To(MatchError(And(ContainSubstring("GITHUB_STEP_SUMMARY"),
				ContainSubstring(path), ContainSubstring("correct or unset"))))
		}
	})
})
