package settings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// The members of a user, as every form of the file names them.
const (
	memberID       = "id"
	memberUserID   = "userId"
	memberEnrolled = "enrolled"
	memberName     = "name"
)

func userMembers() []string { return []string{memberID, memberUserID, memberEnrolled, memberName} }

// neededMembers is how errors name what each user must have.
const neededMembers = memberID + " and " + memberUserID

// member is one member of a user as the file gives it. Its value is a string, a bool or a kind.
type member struct {
	name  string
	line  int
	value any
}

// kind is a value that is neither a text nor a boolean: in words, and whether quotes would make a text of it.
type kind struct {
	words    string
	quotable bool
}

// rowJudge judges the users of one file, each by itself.
type rowJudge struct {
	// name is what errors call the file.
	name    string
	request *schemas.Schema
	// known are the members of that request.
	known []string
}

func newRowJudge(name string, contract *schemas.Contract) *rowJudge {
	request := contract.GetUserAuthRequest
	return &rowJudge{name: name, request: request, known: request.Members()}
}

// errorf is an error at a line of the file. It wraps none, so that no fault can be taken for the end of the file.
func (j *rowJudge) errorf(line int, format string, values ...any) error {
	return fmt.Errorf("%s:%d: %s", j.name, line, fmt.Sprintf(format, values...))
}

// whole reads all of a file that is held in memory.
func (j *rowJudge) whole(file io.Reader) ([]byte, error) {
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %v", j.name, withoutPath(err))
	}
	return checkedText(j.name, withoutMark(data))
}

// row judges one user, whose entry begins at a line. It does not keep the members.
func (j *rowJudge) row(line int, members []member) (UserRow, error) {
	row := UserRow{User: User{Enrolled: true}, Line: line}
	for i, m := range members {
		if has(members[:i], m.name) {
			return UserRow{}, j.errorf(m.line, "member %s stands twice in one user: leave one", quote(m.name))
		}
		if err := j.set(&row, m); err != nil {
			return UserRow{}, err
		}
	}
	for _, name := range []string{memberID, memberUserID} {
		if !has(members, name) {
			return UserRow{}, j.errorf(line, "member %s is missing: each user needs %s", quote(name), neededMembers)
		}
	}
	return row, nil
}

func has(members []member, name string) bool {
	return slices.ContainsFunc(members, func(m member) bool { return m.name == name })
}

// set judges one member and puts it into the user.
func (j *rowJudge) set(row *UserRow, m member) error {
	if m.name == memberEnrolled {
		enrolled, ok := m.value.(bool)
		if !ok {
			return j.errorf(m.line, "member %s: expected true or false, got %s", quote(m.name), shownValue(m.value))
		}
		row.Enrolled, row.EnrolledGiven = enrolled, true
		return nil
	}
	if !slices.Contains(userMembers(), m.name) {
		return j.errorf(m.line, "member %s is not known: a user has %s%s", quote(m.name),
			strings.Join(userMembers(), ", "), guess(m.name, userMembers()))
	}
	text, ok := m.value.(string)
	if !ok {
		return j.errorf(m.line, "member %s: expected a text, got %s%s", quote(m.name), shownValue(m.value), quotesHint(m.value))
	}
	switch m.name {
	case memberID:
		if expected := j.idFault(text); expected != "" {
			return j.errorf(m.line, "member %s: expected %s, got %s", quote(m.name), expected, quote(text))
		}
		row.ID = text
	case memberUserID:
		if text == "" {
			return j.errorf(m.line, "member %s is empty: expected the user's internal identifier", quote(m.name))
		}
		row.UserID = text
	case memberName:
		row.Name = text
	}
	return nil
}

// idFault judges an id as the schema of the request that will carry it does, and says what would be accepted. The id
// stands for the request's other members too: what is wrong with those is of no interest here, but a request that
// lacks them takes twice the time to judge, and a population has many users.
func (j *rowJudge) idFault(id string) string {
	if j.request.AcceptsText("Id", id) {
		return ""
	}
	request := make(map[string]any, len(j.known))
	for _, name := range j.known {
		request[name] = id
	}
	for _, violation := range j.request.Check(request) {
		if violation.Pointer == "/Id" {
			return violation.Expected
		}
	}
	return ""
}

func shownValue(value any) string {
	switch value := value.(type) {
	case string:
		return "the text " + quote(value)
	case bool:
		return fmt.Sprintf("the boolean %t", value)
	case kind:
		return value.words
	}
	return fmt.Sprintf("%T", value)
}

// quotesHint tells how to make a text of a value that was meant as one.
func quotesHint(value any) string {
	if k, ok := value.(kind); ok && !k.quotable {
		return ""
	}
	return ": put it in quotes"
}
