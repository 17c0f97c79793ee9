package population

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/input"
)

// field is one member of a user as a file gives it.
type field struct {
	name string
	line int
	// text is the value. Of one that is no text it is what errors show, such as "the number 5".
	text string
	kind kind
}

type kind int

const (
	text    kind = iota
	boolean      // true or false
	plain        // a number or date, of which quotes make a text
	other
)

// shown is the value as errors show it.
func (f field) shown() string {
	switch f.kind {
	case text:
		return "the text " + input.Quote(f.text)
	case boolean:
		return "the boolean " + f.text
	}
	return f.text
}

// validator judges the users of one file, each by itself.
type validator struct {
	name    string // of the file, in errors
	idFault func(string) string
}

// errorf is an error at a line of the file. It wraps none, so that no fault is taken for the end of the file.
func (v *validator) errorf(line int, format string, values ...any) error {
	return fmt.Errorf("%s:%d: %s", v.name, line, fmt.Sprintf(format, values...))
}

// row judges one user, whose entry begins at a line. It does not keep the fields.
func (v *validator) row(line int, fields []field) (row Row, err error) {
	row.Enrolled = true
	for i, f := range fields {
		if has(fields[:i], f.name) {
			return Row{}, v.errorf(f.line, "member %s stands twice in one user: leave one", input.Quote(f.name))
		}
		if fault := v.set(&row, f); fault != "" {
			return Row{}, v.errorf(f.line, "member %s%s", input.Quote(f.name), fault)
		}
	}
	for _, name := range []string{columnID, columnUserID} {
		if !has(fields, name) {
			return Row{}, v.errorf(line, "member %s is missing: each user needs id and userId", input.Quote(name))
		}
	}
	return row, nil
}

func has(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
}

// set puts one field into the row, or says what is wrong with it.
func (v *validator) set(row *Row, f field) (fault string) {
	switch {
	case !slices.Contains(columns(), f.name):
		return " is not known: a user has " + strings.Join(columns(), ", ") + input.Suggest(f.name, columns())
	case f.name == columnEnrolled && f.kind == boolean:
		row.Enrolled, row.EnrolledGiven = f.text == "true", true
	case f.name == columnEnrolled:
		return ": expected true or false, got " + f.shown()
	case f.kind == boolean, f.kind == plain:
		return ": expected a text, got " + f.shown() + ": put it in quotes"
	case f.kind == other:
		return ": expected a text, got " + f.shown()
	case f.name == columnID:
		row.ID = f.text
		if expected := v.idFault(f.text); expected != "" {
			return ": expected " + expected + ", got " + input.Quote(f.text)
		}
	case f.name == columnUserID:
		row.UserID = f.text
		if f.text == "" {
			return " is empty: expected the user's internal identifier"
		}
	case f.name == columnName:
		row.Name = f.text
	}
	return ""
}

// IDFault judges ids as the schema of the request that will carry them does. It says what would be accepted; "" means
// that the id is right.
func IDFault(contract *schemas.Contract) func(id string) (expected string) {
	schema := contract.GetUserAuthRequest
	members := schema.Members()
	return func(id string) string {
		if schema.AcceptsText("Id", id) {
			return ""
		}
		// The id stands for the other members too: a request that lacks them takes twice the time to judge.
		request := make(map[string]any, len(members))
		for _, name := range members {
			request[name] = id
		}
		for _, violation := range schema.Check(request) {
			if violation.Pointer == "/Id" {
				return violation.Expected
			}
		}
		return ""
	}
}
