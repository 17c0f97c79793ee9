package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"authenticator-conformance/fixtures"
)

// users is the number of users in a run.
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

// writeUsers writes a users file and returns its path.
func (w *workbench) writeUsers(list []fixtures.User) (file string, err error) {
	file = filepath.Join(w.folder, "users.csv")
	text := "id,userId\n"
	for _, u := range list {
		text += u.ID + `,"` + strings.ReplaceAll(u.UserID, `"`, `""`) + "\"\n"
	}
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// person returns the user at an index of a population. The reference generates a record for each.
func person(i int) fixtures.User {
	return fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprint("user-", i),
		Enrolled: true}
}

// writePopulation writes a users file with n users, without quotes, and returns its path. It writes line by line:
// memory held by bench would count as peak memory of the processes it starts.
func (w *workbench) writePopulation(n int) (file string, err error) {
	file = filepath.Join(w.folder, fmt.Sprintf("population-%d.csv", n))
	out, err := os.Create(file)
	if err != nil {
		return "", err
	}
	text := bufio.NewWriter(out)
	fmt.Fprintln(text, "id,userId") // Flush returns any earlier error
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
