package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"authenticator-conformance/fixtures"
)

// person is the user at a place of a crowd or of a population; the reference makes up its record.
func person(i int) fixtures.User {
	return fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: userIDPrefix + fmt.Sprint(i), Enrolled: true}
}

// userIDPrefix stands before the place of a user, so that a target can tell the place.
const userIDPrefix = "user-"

// people are the first of a population.
func people(n int) []fixtures.User {
	users := make([]fixtures.User, n)
	for i := range users {
		users[i] = person(i)
	}
	return users
}

// writePopulation writes a users file of so many, which has neither quotes nor columns but id and userId. It is written
// line by line: what the bench itself holds would count as the peak memory of the processes that it starts.
func (w *workbench) writePopulation(n int) (file string, err error) {
	file = filepath.Join(w.folder, fmt.Sprintf("population-%d.csv", n))
	out, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer func() {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}()
	text := bufio.NewWriter(out)
	fmt.Fprintln(text, "id,userId") // Flush tells of what failed
	for i := range n {
		u := person(i)
		fmt.Fprintf(text, "%s,%s\n", u.ID, u.UserID)
	}
	return file, text.Flush()
}
