package summary_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

// hostileTexts are texts that do something in Markdown, on GitHub or on GitLab.
func hostileTexts() []string {
	texts := append(testkit.Cases[string]("testdata/hostile-texts.yaml"), "a\xffb", // YAML has only UTF-8
		strings.Repeat("~", 300), strings.Repeat("` ", 300))
	for _, n := range []int{60, 61, 80, 81, 100} {
		texts = append(texts, strings.Repeat("`", n))
	}
	return texts
}

// headings are those that a summary may have.
var headings = regexp.MustCompile(`^(2 (✓ pass|≈ (pass, but .*|\x60.*)|✗ fail|\? inconclusive|! error): ` +
	`Authenticator API (conformance|sweep of v5 and v6)|` +
	`3 (Error|What was judged, and by what|Against the baseline|What failed|Stale waivers|What could not be decided|` +
	`Missing from the evidence|Waived|Where v5 and v6 diverge|Not compared|Findings|Why|Notes))$`)

// markup is what must be shown as code.
var markup = regexp.MustCompile(`[@#<>]|://|www\.`)

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
			if text := string(rune('0'+node.Level)) + " " + string(line.Value(markdown)); !headings.MatchString(text) {
				found = append(found, "heading "+text)
			}
		case *ast.Text:
			if _, code := n.Parent().(*ast.CodeSpan); !code && markup.Match(node.Value(markdown)) {
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
	RegisterTestingT(f)
	plain := putEverywhere(reportOf("everything"), "plain", false).Document()
	structure, places := skeletonOf(markdown.Render(plain))
	command := regexp.MustCompile(`^::(error|warning|notice) title=[^:,]*::.+$`)
	same := strings.NewReplacer("¦", "|", `\u003a`, ":", "\n", "", `\n`, "", `\r`, "", " ", "")
	f.Fuzz(func(t *testing.T, text string, names bool) {
		RegisterTestingT(t)
		expectHarmless(markdown.Render(sweptOf(3, text).Document()))
		r := putEverywhere(reportOf("everything"), text, names)
		made := markdown.Render(r.Document())
		expectHarmless(made)
		Expect(markdown.Render(r.Document())).To(Equal(made), "the same report gives the same bytes")
		commands := strings.Split(strings.TrimSuffix(markdown.Annotations(r.Document()), "\n"), "\n")
		Expect(commands).To(HaveEach(MatchRegexp(command.String())))
		Expect(commands).To(HaveEach(WithTransform(func(line string) int { return len(line) },
			BeNumerically("<", 60_000))), "GitHub takes 64 KB")
		if names || text == "" || len(text) > 100 || strings.Contains(text, strings.Repeat("`", longestCopied+1)) {
			return
		}
		Expect(commands).To(HaveLen(strings.Count(markdown.Annotations(plain), "\n")))
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

// putEverywhere puts a text into each field of a report that is a string; with names, also into those that are the
// suite's own words, such as verdicts and versions.
func putEverywhere(r *report.Report, text string, names bool) *report.Report {
	testkit.EachText(r, func(_ string, v reflect.Value) {
		if names || v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	})
	return r
}

// parseMarkdown reads Markdown as GitHub does.
func parseMarkdown(markdown []byte) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(
		text.NewReader(markdown))
}

// skeletonOf is all of a summary but what stands in code: its nodes, in order, with the text outside of code. The texts
// in code are listed beside it.
func skeletonOf(markdown []byte) (nodes, codes []string) {
	_ = ast.Walk(parseMarkdown(markdown), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			nodes = append(nodes, "end")
			return ast.WalkContinue, nil
		}
		what := n.Kind().String()
		switch node := n.(type) {
		case *ast.CodeSpan:
			var content strings.Builder
			for child := node.FirstChild(); child != nil; child = child.NextSibling() {
				content.Write(child.(*ast.Text).Value(markdown))
			}
			nodes, codes = append(nodes, what), append(codes, content.String())
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			nodes = append(nodes, what+" "+string(node.Language(markdown)))
			codes = append(codes, strings.TrimSuffix(string(node.Lines().Value(markdown)), "\n"))
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			what += " " + string(node.Value(markdown))
		case *ast.Heading:
			what += fmt.Sprint(" ", node.Level)
		}
		nodes = append(nodes, what)
		return ast.WalkContinue, nil
	})
	return nodes, codes
}
