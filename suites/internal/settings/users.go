package settings

import (
	"errors"
	"fmt"
	"io"
	"os"

	"authenticator-conformance/schemas"
)

// ReadUsers reads a users file; its extension tells its form: .yaml, .yml and .json hold a list, .ndjson and .jsonl
// one object per line, .csv a header line and one user per line. A user has id (a GUID) and userId (not empty), and
// optionally enrolled (true where absent) and name. A line, and a record of CSV, has at most 1 MiB.
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
	form, err := UsersFormOf(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file, err := OpenUsers(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text io.Reader = file
	if form.Whole() {
		text = &bounded{from: file, left: maxFile}
	}
	rows := NewUserRows(path, form, text, contract)
	var users []User
	lines := map[string]int{}
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return users, nil
		}
		if err != nil {
			return nil, err
		}
		key := row.Key()
		if first, twice := lines[key]; twice {
			return nil, rows.Doubled(row, first)
		}
		lines[key] = row.Line
		users = append(users, row.User)
	}
}

// OpenUsers opens a users file. The error names it.
func OpenUsers(path string) (*os.File, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}
