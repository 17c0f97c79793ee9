package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"authenticator-conformance/fixtures"
)

// users is how many users a run looks up.
const users = 10

func knownUsers() ([]fixtures.User, error) {
	known, err := fixtures.Users()
	if err != nil {
		return nil, err
	}
	if len(known) < users {
		return nil, fmt.Errorf("fixtures/users.yaml should have at least %d users, and has %d", users, len(known))
	}
	return known[:users], nil
}

// writeUsers writes a users file.
func (w *workbench) writeUsers(list []fixtures.User) (file string, err error) {
	file = filepath.Join(w.folder, "users.csv")
	text := "id,userId\n"
	for _, u := range list {
		text += u.ID + `,"` + strings.ReplaceAll(u.UserID, `"`, `""`) + "\"\n"
	}
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// person is the user at a place of a population; the reference makes up its record.
func person(i int) fixtures.User {
	return fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprint("user-", i),
		Enrolled: true}
}

// writePopulation writes a users file of so many, without quotes. It is written line by line: what the bench itself
// holds would count as the peak memory of the processes that it starts.
func (w *workbench) writePopulation(n int) (file string, err error) {
	file = filepath.Join(w.folder, fmt.Sprintf("population-%d.csv", n))
	out, err := os.Create(file)
	if err != nil {
		return "", err
	}
	text := bufio.NewWriter(out)
	fmt.Fprintln(text, "id,userId") // Flush returns what failed
	for i := range n {
		u := person(i)
		fmt.Fprintf(text, "%s,%s\n", u.ID, u.UserID)
	}
	if err := text.Flush(); err != nil {
		_ = out.Close()
		return "", err
	}
	return file, out.Close()
}
