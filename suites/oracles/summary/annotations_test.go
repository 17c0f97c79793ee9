package summary_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/summary"
)

// command is a workflow command as the runner of GitHub reads it.
type command struct{ Level, Title, Message string }

// readCommands takes a log apart as the runner does: a command is a line that begins with "::", up to the next "::"
// stand its name and properties, and escapes are undone in properties and data.
func readCommands(log string) []command {
	GinkgoHelper()
	var list []command
	for _, line := range strings.Split(strings.TrimSuffix(log, "\n"), "\n") {
		rest, isCommand := strings.CutPrefix(line, "::")
		Expect(isCommand).To(BeTrue(), "%q", line)
		name, data, ended := strings.Cut(rest, "::")
		Expect(ended).To(BeTrue(), "%q", line)
		annotationLevel, properties, _ := strings.Cut(name, " ")
		c := command{Level: annotationLevel,
			Message: strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)}
		for _, property := range strings.Split(properties, ",") {
			key, value, _ := strings.Cut(property, "=")
			Expect(key).To(Equal("title"), "%q", line)
			c.Title = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
		}
		list = append(list, c)
	}
	return list
}

func levelsOf(list []command) map[string]int {
	count := map[string]int{}
	for _, c := range list {
		count[c.Level]++
	}
	return count
}

var _ = Describe("Annotations", func() {
	It("of a run that becomes the baseline are one notice, whatever failed", func() {
		list := readCommands(summary.Recorded(failingReport().Document()))
		Expect(list).To(HaveExactElements(And(HaveField("Level", "notice"),
			HaveField("Title", "✗ fail, recorded as the baseline"), HaveField("Message", ContainSubstring("failed.")))))
	})

	DescribeTable("are ten of a level at most, the tenth of which counts the rest",
		func(causes, shown int, last string) {
			r := passingReport()
			r.Verdict = ledger.Fail
			for i := range causes {
				id := fmt.Sprint("2.1/Field", i)
				r.Requirements = append(r.Requirements, passedRow(id, schemas.V5))
				failRow(r, id, schemas.V5, "kind", "/Id", 1)
			}
			list := readCommands(summary.Annotations(r.Document()))
			Expect(levelsOf(list)["error"]).To(Equal(shown + 1))
			Expect(list[shown-1].Message).To(HavePrefix(last))
		},
		Entry("nine", 9, 9, "The statement of 2.1/Field"),
		Entry("ten", 10, 10, "The statement of 2.1/Field"),
		Entry("eleven", 11, 10, "2 more like these"),
		Entry("a thousand", 1000, 10, "991 more like these"),
	)

	DescribeTable("show what a target sent, and are no other command",
		func(text string) {
			r := putEverywhere(reportOfEverything(), text, false)
			list := readCommands(summary.Annotations(r.Document()))
			Expect(levelsOf(list)).To(Equal(levelsOf(
				readCommands(summary.Annotations(putEverywhere(reportOfEverything(), "plain", false).Document())))))
			Expect(list).To(ContainElement(command{"error", "Stale waivers", sanitize.PrintableLines(text)}))
			Expect(list).To(ContainElement(HaveField("Title",
				sanitize.Printable("What failed: "+text+" in v5", 150))))
		},
		Entry("a command", "::error::x"),
		Entry("the end of a property", "a,file=x::y: z"),
		Entry("escapes", "100%, %0A::error::x, %3A%2C%25"),
		Entry("an old command", "##[error]x ##vso[task.complete]"),
		Entry("line breaks", "a\n::stop-commands::x\r\n::error::y"),
		Entry("control characters", "\x1b[31m\x00\u202e"),
	)

	It("have twenty lines at most", func() {
		r := failedReport()
		why := strings.Repeat("a line\n", 99) + "the last"
		r.Error = &why
		Expect(readCommands(summary.Annotations(r.Document()))[0].Message).To(
			Equal(strings.Repeat("a line\n", 20) + "… and 80 more lines"))
	})

	It("are cut where they are long", func() {
		text := strings.Repeat("😀", 10_000)
		for _, c := range readCommands(summary.Annotations(putEverywhere(reportOfEverything(), text,
			false).Document())) {
			Expect(len(c.Title)).To(BeNumerically("<", 1000))
			Expect(len(c.Message)).To(BeNumerically("<", 60_000), "GitHub takes 64 KB")
		}
	})

	DescribeTable("are for GitHub only",
		func(environ []string, expected bool) { Expect(summary.OnGitHub(environ)).To(Equal(expected)) },
		Entry("a job there", []string{"CI=true", "GITHUB_ACTIONS=true"}, true),
		Entry("elsewhere", []string{"CI=true"}, false),
		Entry("switched off", []string{"GITHUB_ACTIONS=false"}, false),
		Entry("set to nothing", []string{"GITHUB_ACTIONS="}, false),
		Entry("a name that only begins so", []string{"GITHUB_ACTIONS_X=true"}, false),
		Entry("set twice: the later counts", []string{"GITHUB_ACTIONS=true", "GITHUB_ACTIONS="}, false),
	)
})
