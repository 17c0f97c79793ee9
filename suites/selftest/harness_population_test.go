package selftest_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"authenticator-conformance/fixtures"
)

// people are the generated users of a population. The index of a user can be read from both identifiers.
type people []fixtures.User

// generatePeople generates n users. Only the target knows who is enrolled; the users file does not contain it.
func generatePeople(n int, enrolled func(i int) bool) people {
	list := make(people, n)
	for i := range list {
		list[i] = fixtures.User{ID: guidOf(i), UserID: userIDOf(i), Enrolled: enrolled(i)}
	}
	return list
}

const userIDPrefix = "person-"

func guidOf(i int) string   { return fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i) }
func userIDOf(i int) string { return fmt.Sprintf("%s%06d", userIDPrefix, i) }

// indexIn returns the index of the user in the body of a request. It is -1 if the user is not of a population.
func indexIn(body []byte) int {
	start := bytes.Index(body, []byte(`"`+userIDPrefix))
	if start < 0 {
		return -1
	}
	digits, _, _ := bytes.Cut(body[start+1+len(userIDPrefix):], []byte(`"`))
	i, err := strconv.Atoi(string(digits))
	if err != nil {
		return -1
	}
	return i
}

// csv returns a users file in CSV.
func (p people) csv() string {
	var b strings.Builder
	b.WriteString("id,userId\n")
	for _, u := range p {
		b.WriteString(u.ID + "," + u.UserID + "\n")
	}
	return b.String()
}

// ndjson returns a users file in NDJSON.
func (p people) ndjson() string {
	var b strings.Builder
	for _, u := range p {
		fmt.Fprintf(&b, "{\"id\":%q,\"userId\":%q}\n", u.ID, u.UserID)
	}
	return b.String()
}

// packZstd compresses a text with zstd.
func packZstd(text string) string {
	w, err := zstd.NewWriter(nil)
	mustSucceed(err)
	return string(w.EncodeAll([]byte(text), nil))
}
