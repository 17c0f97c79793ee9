package summary_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	"github.com/yuin/goldmark/ast"

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

// headings are those that a summary may have.
const headings = `^(2 (✓ pass|≈ (pass, but .*|\x60.*)|✗ fail|\? inconclusive|! error): Authenticator API (conformance|sweep of v5 and v6)|3 (Error|What was judged, and by what|Against the baseline|What failed|Stale waivers|What could not be decided|Missing from the evidence|Waived|Where v5 and v6 diverge|Not compared|Findings|Why|Notes))$`

// expectHarmless holds a summary against what it must never have: it is data of a target, and shown to those who trust
// us.
func expectHarmless(markdown []byte) {
	Expect(len(markdown)).To(BeNumerically("<", 60_000))
	Expect(utf8.Valid(markdown)).To(BeTrue())
	Expect(string(markdown)).NotTo(ContainSubstring(strings.Repeat("`", 81)), "parsers take at most 80 backticks")
	var found []string
	_ = ast.Walk(parseMarkdown(markdown), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch node := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.Emphasis, *ast.ThematicBreak,
			*ast.Blockquote, *ast.CodeBlock:
			found = append(found, n.Kind().String())
		case *ast.Heading:
			line := node.Lines().At(0)
			if text := string(rune('0'+node.Level)) + " " +
				string(line.Value(markdown)); !regexp.MustCompile(headings).MatchString(text) {
				found = append(found, "heading "+text)
			}
		case *ast.Text:
			if _, code := n.Parent().(*ast.CodeSpan); !code &&
				regexp.MustCompile(`[@#<>]|://|www\.`).Match(node.Value(markdown)) {
				found = append(found, "text "+string(node.Value(markdown)))
			}
		}
		return ast.WalkContinue, nil
	})
	Expect(found).To(BeEmpty(), "%q", markdown)
}

// FuzzRender: whatever stands in the fields of a report, its Markdown has the same structure and shows it as code, and
// its annotations are the same commands.
func FuzzRender(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(text, false)
		f.Add(text, true)
	}
	plain := putEverywhere(reportOfEverything(), "plain", false).Document()
	structure, places := skeletonOf(summary.Render(plain))
	command := regexp.MustCompile(`^::(error|warning|notice) title=[^:,]*::.+$`)
	same := strings.NewReplacer("¦", "|", `\u003a`, ":", "\n", "", `\n`, "", `\r`, "", " ", "")
	f.Fuzz(func(t *testing.T, text string, names bool) {
		RegisterTestingT(t)
		expectHarmless(summary.Render(sweptOf(3, text).Document()))
		r := putEverywhere(reportOfEverything(), text, names)
		made := summary.Render(r.Document())
		expectHarmless(made)
		Expect(summary.Render(r.Document())).To(Equal(made), "the same report gives the same bytes")
		commands := strings.Split(strings.TrimSuffix(summary.Annotations(r.Document()), "\n"), "\n")
		Expect(commands).To(HaveEach(MatchRegexp(command.String())))
		Expect(commands).To(HaveEach(Satisfy(func(line string) bool { return len(line) < 60_000 })), "GitHub takes 64 KB")
		if names || text == "" || len(text) > 100 || strings.Contains(text, strings.Repeat("`", longestCopied+1)) {
			return
		}
		Expect(commands).To(HaveLen(strings.Count(summary.Annotations(plain), "\n")))
		nodes, codes := skeletonOf(made)
		Expect(nodes).To(Equal(structure), "nothing of it stands outside of code")
		begin := []rune(same.Replace(sanitize.Printable(text, 0)))
		for i, place := range places {
			if strings.Contains(place, "plain") && strings.Trim(text, " ") != "" { // goldmark empties a blank line
				Expect(same.Replace(codes[i])).To(ContainSubstring(string(begin[:min(len(begin), 12)])), "it is shown")
			}
		}
	})
}

// longestCopied is the longest run of backticks in a line to copy. One with more is left to the page.
const longestCopied = 60
