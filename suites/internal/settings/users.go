package settings

import (
	"fmt"
	"path/filepath"
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

// ReadUsers reads a users file; its extension tells its form: .yaml, .yml and .json hold a list, .ndjson and .jsonl
// one object per line, .csv a header line and one user per line. A user has id (a GUID) and userId (not empty), and
// optionally enrolled (true where absent) and name.
//
// The error names the file, the line and the member of the first fault: a form that is not kept, a member that is
// unknown, doubled, missing or wrong, a user that stands twice, a file without users, or without an enrolled one.
func ReadUsers(path string) ([]User, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, err
	}
	return readUsers(path, contract)
}

func readUsers(path string, contract *schemas.Contract) ([]User, error) {
	read, err := usersReader(path)
	if err != nil {
		return nil, err
	}
	data, err := readText(path)
	if err != nil {
		return nil, err
	}
	list := &userList{path: path, request: contract.GetUserAuthRequest, lines: map[User]int{}}
	if err := read(list, data); err != nil {
		return nil, err
	}
	return list.users, list.complete()
}

// usersReader finds the reader of a users file's form.
func usersReader(path string) (func(*userList, []byte) error, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".yaml", ".yml":
		return readYAMLUsers, nil
	case ".json":
		return readJSONUsers, nil
	case ".ndjson", ".jsonl":
		return readNDJSONUsers, nil
	case ".csv":
		return readCSVUsers, nil
	default:
		return nil, fmt.Errorf("%s: the extension %s tells no form of a users file: name it .yaml, .yml, .json, .ndjson, "+
			".jsonl or .csv", path, quote(extension))
	}
}

// userList gathers the users of a file and judges each as it comes.
type userList struct {
	path    string
	request *schemas.Schema
	users   []User
	// lines has the line of each user seen, by its id in lower case (GUIDs have no case) and its userId.
	lines map[User]int
}

// errorf is an error at a line of the file.
func (l *userList) errorf(line int, format string, values ...any) error {
	return fmt.Errorf("%s:%d: %s", l.path, line, fmt.Sprintf(format, values...))
}

// add judges one user, whose entry begins at a line.
func (l *userList) add(line int, members []member) error {
	user := User{Enrolled: true}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			return l.errorf(m.line, "member %s stands twice in one user: leave one", quote(m.name))
		}
		seen[m.name] = true
		if err := l.set(&user, m); err != nil {
			return err
		}
	}
	for _, name := range []string{memberID, memberUserID} {
		if !seen[name] {
			return l.errorf(line, "member %s is missing: each user needs %s", quote(name), neededMembers)
		}
	}
	key := User{ID: strings.ToLower(user.ID), UserID: user.UserID}
	if first, twice := l.lines[key]; twice {
		return l.errorf(line, "the user with id %s and userId %s stands twice (first on line %d): leave one",
			quote(user.ID), quote(user.UserID), first)
	}
	l.lines[key] = line
	l.users = append(l.users, user)
	return nil
}

// set judges one member and puts it into the user.
func (l *userList) set(user *User, m member) error {
	if m.name == memberEnrolled {
		enrolled, ok := m.value.(bool)
		if !ok {
			return l.errorf(m.line, "member %s: expected true or false, got %s", quote(m.name), shownValue(m.value))
		}
		user.Enrolled = enrolled
		return nil
	}
	if !slices.Contains(userMembers(), m.name) {
		return l.errorf(m.line, "member %s is not known: a user has %s; did you mean %s?", quote(m.name),
			strings.Join(userMembers(), ", "), quote(nearest(m.name, userMembers())))
	}
	text, ok := m.value.(string)
	if !ok {
		return l.errorf(m.line, "member %s: expected a text, got %s%s", quote(m.name), shownValue(m.value), quotesHint(m.value))
	}
	switch m.name {
	case memberID:
		if expected := l.idFault(text); expected != "" {
			return l.errorf(m.line, "member %s: expected %s, got %s", quote(m.name), expected, quote(text))
		}
		user.ID = text
	case memberUserID:
		if text == "" {
			return l.errorf(m.line, "member %s is empty: expected the user's internal identifier", quote(m.name))
		}
		user.UserID = text
	case memberName:
		user.Name = text
	}
	return nil
}

// idFault judges an id as the schema of the request that will carry it does, and says what would be accepted.
func (l *userList) idFault(id string) string {
	for _, violation := range l.request.Check(map[string]any{"Id": id}) {
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

// complete judges the list as a whole.
func (l *userList) complete() error {
	if len(l.users) == 0 {
		return fmt.Errorf("%s: holds no user: give at least one, with %s", l.path, neededMembers)
	}
	for _, user := range l.users {
		if user.Enrolled {
			return nil
		}
	}
	return fmt.Errorf("%s: every user is marked enrolled: false, so nothing could be witnessed: mark at least one user "+
		"as enrolled", l.path)
}
