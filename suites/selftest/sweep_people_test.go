package selftest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"authenticator-conformance/fixtures"
)

// people are the made-up users of a population, each known by its place in it.
type people []fixtures.User

// peopleOf makes so many users. Whether one has an authenticator is for the target to know: the users file says nothing.
func peopleOf(n int, enrolled func(i int) bool) people {
	list := make(people, n)
	for i := range list {
		list[i] = fixtures.User{ID: guidOf(i), UserID: userIDOf(i), Enrolled: enrolled(i)}
	}
	return list
}

func everybody(int) bool { return true }

func guidOf(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i) }

const userIDPrefix = "person-"

func userIDOf(i int) string { return fmt.Sprintf("%s%06d", userIDPrefix, i) }

// indexIn is the place of the user of whom a request's body asks; -1 where it is nobody's of a population.
func indexIn(body []byte) int {
	at := bytes.Index(body, []byte(`"`+userIDPrefix))
	if at < 0 {
		return -1
	}
	digits, _, _ := bytes.Cut(body[at+1+len(userIDPrefix):], []byte(`"`))
	i, err := strconv.Atoi(string(digits))
	if err != nil {
		return -1
	}
	return i
}

// csv is a users file.
func (p people) csv() string {
	var b strings.Builder
	b.WriteString("id,userId\n")
	for _, u := range p {
		b.WriteString(u.ID + "," + u.UserID + "\n")
	}
	return b.String()
}

func (p people) ndjson() string {
	var b strings.Builder
	for _, u := range p {
		fmt.Fprintf(&b, "{\"id\":%q,\"userId\":%q}\n", u.ID, u.UserID)
	}
	return b.String()
}

// known is the reference over these users.
func (p people) known() http.Handler { return referenceOf(p) }
