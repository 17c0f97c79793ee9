package settings

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"authenticator-conformance/schemas"
)

// UsersForm is how a users file is written.
type UsersForm string

// The forms of a users file: a list in YAML or JSON, one JSON object per line, or a header line and records.
const (
	FormYAML   UsersForm = "YAML"
	FormJSON   UsersForm = "JSON"
	FormNDJSON UsersForm = "NDJSON"
	FormCSV    UsersForm = "CSV"
)

// Whole tells whether a file of this form is held in memory as a whole while it is read.
func (f UsersForm) Whole() bool { return f == FormYAML || f == FormJSON }

// UsersFormOf is the form that the extension of a path tells. The error does not repeat the path.
func UsersFormOf(path string) (UsersForm, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".yaml", ".yml":
		return FormYAML, nil
	case ".json":
		return FormJSON, nil
	case ".ndjson", ".jsonl":
		return FormNDJSON, nil
	case ".csv":
		return FormCSV, nil
	default:
		return "", fmt.Errorf("the extension %s tells no form of a users file: name it .yaml, .yml, .json, .ndjson, "+
			".jsonl or .csv", quote(extension))
	}
}

// UserRow is a user as one entry of a users file gives it.
type UserRow struct {
	User
	// EnrolledGiven tells whether the entry has the member enrolled.
	EnrolledGiven bool
	// Line is where the entry begins, counted from 1.
	Line int
}

// UserRows reads the users of one file in turn. CSV and NDJSON take no more memory than one of their lines or records;
// the other forms are held whole. Every rule of a users file is kept but one: whether a user stands twice is for the
// caller to find out, who knows how much memory there is for it.
type UserRows struct {
	judge *rowJudge
	next  func() (UserRow, error)
	// some and enrolled tell whether any user came, and any that is not marked enrolled: false.
	some, enrolled bool
	ended          error
}

// NewUserRows reads users from a text that errors call by a name. Nothing is read before the first Next.
func NewUserRows(name string, form UsersForm, text io.Reader, contract *schemas.Contract) *UserRows {
	judge := newRowJudge(name, contract)
	rows := &UserRows{judge: judge}
	switch form {
	case FormYAML:
		rows.next = (&yamlRows{judge: judge, text: text}).next
	case FormJSON:
		rows.next = (&jsonRows{judge: judge, text: text}).next
	case FormNDJSON:
		rows.next = (&ndjsonRows{judge: judge, lines: newLineReader(judge, text)}).next
	default:
		rows.next = newCSVRows(judge, text).next
	}
	return rows
}

// Next yields the next user, and io.EOF after the last. The error names the text, the line and the member of the first
// fault; a text without users, or without an enrolled one, is one too. Every later call gives the same error.
func (r *UserRows) Next() (UserRow, error) {
	if r.ended != nil {
		return UserRow{}, r.ended
	}
	row, err := r.next()
	if err == io.EOF {
		err = r.complete()
	}
	if err != nil {
		r.ended = err
		return UserRow{}, err
	}
	r.some = true
	r.enrolled = r.enrolled || row.Enrolled
	return row, nil
}

// complete judges the text as a whole.
func (r *UserRows) complete() error {
	switch {
	case !r.some:
		return fmt.Errorf("%s: holds no user: give at least one, with %s", r.judge.name, neededMembers)
	case !r.enrolled:
		return fmt.Errorf("%s: every user is marked enrolled: false, so nothing could be witnessed: mark at least one user "+
			"as enrolled", r.judge.name)
	}
	return io.EOF
}

// Doubled is the error of a user that stood before, on the line first.
func (r *UserRows) Doubled(row UserRow, first int) error {
	return r.judge.errorf(row.Line, "the user with id %s and userId %s stands twice (first on line %d): leave one",
		quote(row.ID), quote(row.UserID), first)
}
