package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A mutant is one small change of the source that stands in the compiled code beside the original, behind a number.
type mutant struct {
	Number int
	Key    string // names it in every version of the source: file, function, kind, text, and which of several
	File   string
	Line   int
}

// A wrap puts text around a part of a file.
type wrap struct {
	from, to      int
	before, after string
}

// file rewrites one file.
type file struct {
	name     string
	content  []byte
	set      *token.FileSet
	types    *types.Info
	constant map[*ast.BasicLit]bool
	wraps    []wrap
	within   string // function
	results  []string
	seen     map[string]int
	next     *int
	mutants  []mutant
}

// mutated returns the content of a file with all its mutants.
func mutated(name string, content []byte, p *packages.Package, tree *ast.File, next *int) ([]byte, []mutant) {
	f := &file{name: name, content: content, set: p.Fset, types: p.TypesInfo, constant: map[*ast.BasicLit]bool{},
		seen: map[string]int{}, next: next}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			f.constants(n, n.Tok == token.CONST)
		case *ast.ArrayType:
			f.constants(n.Len, true)
		case *ast.KeyValueExpr:
			f.constants(n.Key, true)
		case *ast.CaseClause:
			for _, c := range n.List {
				f.constants(c, true)
			}
		}
		return true
	})
	for _, d := range tree.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
			f.function(function)
		}
	}
	return f.apply(), f.mutants
}

// constants notes the literals below a node that must be constants.
func (f *file) constants(below ast.Node, yes bool) {
	if !yes || below == nil {
		return
	}
	ast.Inspect(below, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			f.constant[l] = true
		}
		return true
	})
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *file) text(n ast.Node) string { return string(f.content[f.offset(n.Pos()):f.offset(n.End())]) }

// add makes a mutant of a node: before and after, with the number in place of #, stand around it.
func (f *file) add(n ast.Node, kind, before, after string) {
	*f.next++
	line, _, _ := strings.Cut(f.text(n), "\n")
	key := fmt.Sprintf("%s %s: %s: %s", f.name, f.within, kind, strings.Join(strings.Fields(line), " "))
	f.seen[key]++
	if f.seen[key] > 1 {
		key += fmt.Sprintf(" (%d)", f.seen[key])
	}
	f.mutants = append(f.mutants, mutant{*f.next, key, f.name, f.set.Position(n.Pos()).Line})
	number := fmt.Sprint(*f.next)
	f.wraps = append(f.wraps, wrap{f.offset(n.Pos()), f.offset(n.End()), strings.ReplaceAll(before, "#", number),
		strings.ReplaceAll(after, "#", number)})
}

func (f *file) function(d *ast.FuncDecl) {
	f.within = d.Name.Name
	if d.Recv != nil {
		f.within = strings.TrimPrefix(f.text(d.Recv.List[0].Type), "*") + "." + f.within
	}
	f.results = f.resultsOf(d.Type)
	f.block(d.Body)
}

// resultsOf returns the result types as the source has them; nil for named results.
func (f *file) resultsOf(t *ast.FuncType) []string {
	var results []string
	if t.Results != nil {
		for _, r := range t.Results.List {
			for range max(1, len(r.Names)) {
				results = append(results, f.text(r.Type))
			}
		}
	}
	return results
}

func (f *file) block(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			results := f.results
			f.results = f.resultsOf(n.Type)
			f.block(n.Body)
			f.results = results
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		case *ast.CommClause:
			f.statements(n.Body)
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				f.add(n.Cond, "never", "(", ") && !mutantOn(#)")
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				for _, c := range s.(*ast.CaseClause).List {
					if n.Tag == nil {
						f.add(c, "never", "(", ") && !mutantOn(#)")
					}
				}
			}
		case *ast.BinaryExpr:
			f.binary(n)
		case *ast.BasicLit:
			if n.Kind == token.INT && f.ofInt(n) {
				f.add(n, "one more", "(", "+mutantOne(#))")
			}
		}
		return true
	})
}

func (f *file) condition(c ast.Expr) {
	f.add(c, "never", "(", ") && !mutantOn(#)")
	f.add(c, "always", "(", ") || mutantOn(#)")
}

func (f *file) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND:
		for _, x := range []ast.Expr{n.X, n.Y} {
			f.add(x, "true", "(mutantOn(#) || (", "))")
		}
	case token.LOR:
		for _, x := range []ast.Expr{n.X, n.Y} {
			f.add(x, "false", "(!mutantOn(#) && (", "))")
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		other := map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}[n.Op]
		f.add(n, "boundary", fmt.Sprintf("func() bool { if mutantOn(#) { return %s %s %s }; return ", f.text(n.X),
			other,
			f.text(n.Y)), " }()")
	}
}

func (f *file) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && f.text(call.Fun) == "panic" {
				continue
			}
			f.without(s)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && f.text(s.Lhs[0]) != "_" {
				f.without(s)
			}
		case *ast.IncDecStmt:
			f.without(s)
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				f.without(s)
			}
		case *ast.ReturnStmt:
			f.result(s)
		}
	}
}

func (f *file) without(s ast.Stmt) { f.add(s, "without", "if !mutantOn(#) { ", " }") }

// result lets a function return zero values, or the other truth.
func (f *file) result(s *ast.ReturnStmt) {
	if len(s.Results) == 0 || len(s.Results) != len(f.results) {
		return
	}
	if len(s.Results) == 1 && f.results[0] == "bool" {
		f.add(s.Results[0], "not", "(", ") != mutantOn(#)")
		return
	}
	zero := true
	for _, r := range s.Results {
		zero = zero && (slices.Contains([]string{"nil", "false", `""`, "0"}, f.text(r)) ||
			f.text(r) == f.results[0]+"{}")
	}
	if zero {
		return
	}
	var zeros []string
	for _, t := range f.results {
		zeros = append(zeros, "*new("+t+")")
	}
	f.add(s, "zero", "if mutantOn(#) { return "+strings.Join(zeros, ", ")+" }; ", "")
}

// ofInt reports whether a literal is an int where a value that is no constant may stand.
func (f *file) ofInt(n *ast.BasicLit) bool {
	b, ok := f.types.Types[n].Type.(*types.Basic)
	return ok && b.Kind() == types.Int && !f.constant[n]
}

// apply puts the wraps into the content. Where several begin, the outer one is first; where several end, the inner one.
func (f *file) apply() []byte {
	type insertion struct {
		at, rank, tie int
		text          string
	}
	var all []insertion
	for i, w := range f.wraps {
		all = append(all, insertion{w.from, 1_000_000_000 - w.to, i, w.before},
			insertion{w.to, -1 - w.from, -i, w.after})
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.rank != b.rank:
			return a.rank - b.rank
		}
		return a.tie - b.tie
	})
	var out bytes.Buffer
	at := 0
	for _, i := range all {
		out.Write(f.content[at:i.at])
		out.WriteString(i.text)
		at = i.at
	}
	out.Write(f.content[at:])
	return out.Bytes()
}
