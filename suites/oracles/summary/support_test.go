package summary_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

func TestSummary(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "summary")
}

// findRow finds a row, to be changed. One that is not there is added, and passes.
func findRow(r *report.Report, id string, v schemas.Version) *report.Row {
	i := slices.IndexFunc(r.Requirements, func(row report.Row) bool { return row.ID == id && row.Version == v })
	if i < 0 {
		i = len(r.Requirements)
		r.Requirements = append(r.Requirements, report.Row{ID: id, Section: id[:3], Kind: schemas.Documented,
			Operation: schemas.GetUserAuth, Version: v, Statement: "The statement of " + id + ".", Verdict: ledger.Pass,
			Witnesses: 22})
	}
	return &r.Requirements[i]
}

// failRow makes a row fail for a cause, with one finding of it kept.
func failRow(r *report.Report, id string, v schemas.Version, kind, pointer string, count int) *report.Row {
	row := findRow(r, id, v)
	reportedTo := fmt.Sprintf("getUserAuth of %s for user \"000731\" (e97, well-formed, round 1): at %s expected what the document shows; got \"x\"", v, pointer)
	row.Verdict, row.FindingCount = ledger.Fail, row.FindingCount+count
	row.Findings = append(row.Findings, report.Finding{
		Exchange: "e97", Pointer: pointer, Kind: kind, Expected: "what the document shows", Actual: `"x"`,
		Message: reportedTo,
		Repeat:  `printf %s '{"UserId":"000731","AccessToken":"'"$AUTHN_ACCESS_TOKEN"'"}' | curl -sS -i -X POST https://access.example.com/8.2/api/v5/authenticator/getUserAuth -H 'Content-Type: application/json' --data-binary @-`,
	})
	row.Causes = append(row.Causes, report.Cause{Kind: kind, Pointer: pointer, Count: count, Example: reportedTo})
	r.Verdict = ledger.Fail
	return row
}

// putEverywhere puts a text into each field of a report that is a string; with names, also into those that are the
// suite's own words, such as verdicts and versions.
func putEverywhere(r *report.Report, text string, names bool) *report.Report {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		if !v.CanSet() && v.Kind() != reflect.Pointer {
			return // what only the report's own package sees
		}
		switch v.Kind() {
		case reflect.String:
			if names || v.Type() == reflect.TypeFor[string]() {
				v.SetString(text)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				element := reflect.New(v.Type().Elem()).Elem() // an element of a map can't be set in place
				element.Set(v.MapIndex(key))
				visit(element)
				v.SetMapIndex(key, element)
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range v.NumField() {
				visit(v.Field(i))
			}
		}
	}
	visit(reflect.ValueOf(r))
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
