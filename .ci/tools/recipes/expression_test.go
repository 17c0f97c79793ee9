package recipes_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/rhysd/actionlint"
)

// values are the contexts of a GitHub job, such as inputs and github: nested maps with strings and booleans.
type values map[string]any

var expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand returns a text with its expressions replaced by their values.
func (v values) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		value := v.evaluate(expression.FindStringSubmatch(found)[1])
		if value == nil {
			return ""
		}
		return fmt.Sprint(value)
	})
}

// condition reports whether a step or a job with this `if` runs. Without an `if` it runs unless an earlier step failed.
func (v values) condition(text string, failed bool) bool {
	switch text {
	case "":
		return !failed
	case "always()":
		return true
	}
	return !failed && isTrue(v.evaluate(strings.TrimSuffix(strings.TrimPrefix(text, "${{"), "}}")))
}

// evaluate returns the value of an expression, nil if it is not set. Names are looked up in lower case. It panics on
// syntax that no recipe uses.
func (v values) evaluate(text string) any {
	node, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(text + "}}"))
	if err != nil {
		panic(err)
	}
	return v.value(node)
}

func (v values) value(node actionlint.ExprNode) any {
	switch n := node.(type) {
	case *actionlint.VariableNode:
		return v[n.Name]
	case *actionlint.ObjectDerefNode:
		object, _ := v.value(n.Receiver).(values)
		return object[n.Property]
	case *actionlint.NotOpNode:
		return !isTrue(v.value(n.Operand))
	case *actionlint.LogicalOpNode:
		left := v.value(n.Left)
		if (n.Kind == actionlint.LogicalOpNodeKindAnd) == isTrue(left) {
			return v.value(n.Right)
		}
		return left
	}
	panic(fmt.Sprintf("the test doesn't know expressions such as %T", node))
}

// isTrue reports whether GitHub treats the value as true.
func isTrue(value any) bool { return value != nil && value != false && value != "" }
