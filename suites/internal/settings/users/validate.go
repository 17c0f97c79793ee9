package users

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/input"
)

// The members of a user, equal in every format.
const (
	columnID       = "id"
	columnUserID   = "userId"
	columnEnrolled = "enrolled"
	columnName     = "name"
)

func columns() []string { return []string{columnID, columnUserID, columnEnrolled, columnName} }

// field is one member of a user in a file. The value is a string, a bool, an unquoted or an other.
type field struct {
	name  string
	line  int
	value any
}

// unquoted and other describe a value that is no text and no boolean, such as "the number 5". An unquoted one, a number
// or a date, would be a text in quotes.
type unquoted string
type other string

// shown returns the value for errors.
func (f field) shown() string {
	switch value := f.value.(type) {
	case string:
		return "the text " + input.Quote(value)
	case bool:
		return fmt.Sprintf("the boolean %t", value)
	}
	return fmt.Sprint(f.value)
}

// errorf returns an error with file and line. It wraps no error, so that errors.Is never finds io.EOF in it.
func (r *Reader) errorf(line int, format string, values ...any) error {
	if r.hidden {
		format, values = "the users can't be read, and what is wrong would quote them: to see it, run plan with "+
			"--values show", nil
	}
	return fmt.Errorf("%s:%d: %s", r.name, line, fmt.Sprintf(format, values...))
}

// row returns one valid user, whose entry starts at a line.
func (r *Reader) row(line int, fields []field) (Row, error) {
	row := Row{Line: line, User: exchange.User{Enrolled: true}}
	for i, f := range fields {
		if has(fields[:i], f.name) {
			return Row{}, r.errorf(f.line, "member %s occurs twice in one user: remove one", input.Quote(f.name))
		}
		if fault := r.set(&row, f); fault != "" {
			isID := func(o field) bool { text, is := o.value.(string); return is && r.idFault(text) == "" }
			if i := slices.IndexFunc(fields, isID); f.name == columnID && i >= 0 && fields[i].name == columnUserID {
				fault += ": are id and userId swapped?"
			}
			return Row{}, r.errorf(f.line, "member %s%s", input.Quote(f.name), fault)
		}
	}
	for _, name := range []string{columnID, columnUserID} {
		if !has(fields, name) {
			return Row{}, r.errorf(line, "member %s is missing: each user needs id and userId", input.Quote(name))
		}
	}
	return row, nil
}

func has(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
}

// set stores one field in the row, or returns what is wrong with it.
func (r *Reader) set(row *Row, f field) (fault string) {
	text, isText := f.value.(string)
	word, isBoolean := f.value.(bool)
	_, isUnquoted := f.value.(unquoted)
	switch {
	case !slices.Contains(columns(), f.name):
		return " is unknown: a user has " + strings.Join(columns(), ", ") + input.Suggest(f.name, columns())
	case f.name == columnEnrolled && isBoolean:
		row.Enrolled, row.EnrolledGiven = word, true
	case f.name == columnEnrolled:
		return ": expected true or false, got " + f.shown()
	case isBoolean, isUnquoted:
		return ": expected a text, got " + f.shown() + ": put it in quotes"
	case !isText:
		return ": expected a text, got " + f.shown()
	case f.name == columnID:
		row.ID = text
		if expected := r.idFault(text); expected != "" {
			return ": expected " + expected + ", got " + input.Quote(text) + r.offOf(text)
		}
	case f.name == columnUserID:
		row.UserID = text
		if text == "" {
			return " is empty: expected the user's internal identifier"
		}
	case f.name == columnName:
		row.Name = text
	}
	return ""
}

// offOf names what is off in an id, in brackets; "" if that has no name.
func (r *Reader) offOf(id string) string {
	if off := r.contract.Request(schemas.GetUserAuth).Off("/Id", id); off != "" {
		return " (" + off + ")"
	}
	return ""
}

// IDFault returns a function that checks an id against the schema of the request that will carry it. That function
// returns what is expected, or "" if the id is valid.
func IDFault(contract *schemas.Contract) func(id string) (expected string) {
	schema := contract.Request(schemas.GetUserAuth)
	return func(id string) string {
		if schema.AcceptsText("Id", id) {
			return ""
		}
		for _, violation := range schema.Check(map[string]any{"Id": id}) {
			if violation.Pointer == "/Id" {
				return violation.Expected
			}
		}
		return ""
	}
}
