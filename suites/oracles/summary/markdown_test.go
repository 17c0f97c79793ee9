package summary_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/summary"
)

// hostileTexts are texts that do something in Markdown, on GitHub or on GitLab.
func hostileTexts() []string {
	return []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- a comment", "--> <b>x</b>",
		"<details><summary>",
		"&lt;&#x41;&copy;",
		"[a](https://evil.example)", "![a](https://evil.example/a.png)", "[a][b]", "[b]: https://evil.example", "![",
		"[^1]",
		"[^1]: note", "- [ ] task",
		"https://evil.example/a", "http://evil.example", "www.evil.example", "ftp://evil.example",
		"<https://evil.example>",
		"evil@example.com", "mailto:evil@example.com",
		"@octocat", "@org/team", "#123", "GH-1", "org/repo#1", "org/repo@0123456789abcdef0123456789abcdef01234567",
		"0123456789abcdef0123456789abcdef01234567", "!1 ~label %milestone $snippet &epic",
		"a | b", "| a | b |\n| --- | --- |", `\|`, "|||", "---", "===", "# heading", "a\n===", "a\n---", "> quote",
		"- item",
		"1. item", "    code", "\tcode",
		"`", "``", "```", "````", "`````sh", "~~~", "~~~~", "a`b``c```d", "`a`", " `a` ", "a`", "`a", "\\`", "`\\",
		"```\n# out\n```", "~~~\n# out\n~~~",
		strings.Repeat("`", 60), strings.Repeat("`", 61), strings.Repeat("`", 80), strings.Repeat("`", 81),
		strings.Repeat("`", 100), strings.Repeat("~", 300), strings.Repeat("` ", 300),
		"*a* **b** _c_ __d__ ~~e~~", "***", "___", ":smile:", "$a$", "$$a$$", "$`a`$", "`$", "/close", "/assign @x",
		"\\", "\\\\", `\[a\]`, " ", "   ", " a ", "a\r\nb", "a\rb", "a\u2028b", "a\u0085b", "a\u202eb", "a\x00b",
		"a\xffb",
		"\x1b[31m", "::error::x", "%0A::error::x", "##[error]x", "##vso[a]b", "{{a}}", "${{ secrets.A }}", "😀 Привет",
	}
}

func hostileEntries() []TableEntry {
	var list []TableEntry
	for _, text := range hostileTexts() {
		list = append(list, Entry(sanitize.Printable(text, 40), text))
	}
	return list
}

var _ = Describe("The Markdown of a summary", func() {
	DescribeTable("is the same whatever stands in its fields",
		func(text string) {
			plain, r := putEverywhere(reportOfEverything(), "plain", false), putEverywhere(reportOfEverything(), text,
				false)
			if strings.Contains(text, strings.Repeat("`", 61)) {
				for _, finding := range []*report.Finding{&findRow(plain, "plain", "v5").Findings[0],
					&findRow(r, text, "v5").Findings[0]} {
					finding.Repeat, finding.RepeatAgainst = "", ""
				}
				for _, r := range []*report.Report{plain, r} { // nor are waivers to copy
					for i := range r.Requirements {
						if reason := r.Requirements[i].Reason; reason != nil && *reason == ledger.NoWitness {
							*reason = ledger.NotServed
						}
					}
				}
				text = strings.ReplaceAll(text, "`", `\u0060`)
			}
			expected, places := skeletonOf(summary.Render(plain.Document()))
			nodes, codes := skeletonOf(summary.Render(r.Document()))
			Expect(strings.Join(nodes, "\n")).To(Equal(strings.Join(expected, "\n")),
				"nothing of it stands outside of code")
			same := strings.NewReplacer("¦", "|", `\u003a`, ":", "\n", "", `\n`, "", `\r`, "", " ", "")
			begin := []rune(same.Replace(sanitize.Printable(text, 0)))
			for i, place := range places {
				if strings.Contains(place, "plain") &&
					strings.Trim(text, " ") != "" { // goldmark empties a blank line of a fence
					Expect(same.Replace(codes[i])).To(ContainSubstring(string(begin[:min(len(begin), 12)])),
						"it is shown")
				}
			}
		},
		hostileEntries(),
	)

	It("says of an empty text that it is empty", func() {
		nodes, _ := skeletonOf(summary.Render(putEverywhere(reportOfEverything(), "", false).Document()))
		Expect(nodes).To(ContainElement(ContainSubstring("(empty)")))
	})

	It("leaves a line that would not be the same to the page", func() {
		for _, line := range []string{"curl " + strings.Repeat("`", 61), "curl " + strings.Repeat("a", 3000)} {
			r := reportOfEverything()
			findRow(r, "2.1/CreatedOn", "v5").Findings[0].Repeat = line
			Expect(string(summary.Render(r.Document()))).To(
				And(ContainSubstring("does not fit here"), Not(ContainSubstring("curl "))))
		}
	})

	It("uses no run of backticks that a parser would not take", func() {
		for _, text := range hostileTexts() {
			for run := range slices.Values(strings.FieldsFunc(
				string(summary.Render(putEverywhere(reportOfEverything(), text, false).Document())),
				func(c rune) bool { return c != '`' })) {
				Expect(len(run)).To(BeNumerically("<=", 80))
			}
		}
	})
})
