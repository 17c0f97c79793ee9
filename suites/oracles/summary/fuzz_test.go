package summary_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	"github.com/yuin/goldmark/ast"

	"authenticator-conformance/suites/internal/summary"
)

// headings are those that a summary may have.
const headings = `^(2 (✓ pass|≈ (pass, but .*|\x60.*)|✗ fail|\? inconclusive|! error): Authenticator API (conformance|sweep of v5 and v6)|3 (Error|What was judged, and by what|Against the baseline|What failed|Stale waivers|What could not be decided|Missing from the evidence|Waived|Where v5 and v6 diverge|Not compared|Findings|Why|Notes))$`

// expectHarmless holds a summary against what it must never have: it is data of a target, and shown to those who trust
// us.
func expectHarmless(markdown []byte) {
	Expect(len(markdown)).To(BeNumerically("<", 60_000))
	Expect(utf8.Valid(markdown)).To(BeTrue())
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

func FuzzOf(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(text, false)
		f.Add(text, true)
	}
	plain, _ := skeletonOf(summary.Render(putEverywhere(reportOfEverything(), "plain", false).Document()))
	command := regexp.MustCompile(`^::(error|warning|notice) title=[^:,]*::.+$`)
	f.Fuzz(func(t *testing.T, text string, names bool) {
		RegisterTestingT(t)
		r := putEverywhere(reportOfEverything(), text, names)
		made := summary.Render(r.Document())
		expectHarmless(made)
		Expect(summary.Render(r.Document())).To(Equal(made), "the same report gives the same bytes")
		if nodes, _ := skeletonOf(made); !names && text != "" && len(text) < 100 && !strings.Contains(text, "``") {
			Expect(nodes).To(Equal(plain))
		}
		lines := strings.Split(strings.TrimSuffix(summary.Annotations(r.Document()), "\n"), "\n")
		Expect(lines).To(HaveEach(MatchRegexp(command.String())))
	})
}
