package selftest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"authenticator-conformance/fixtures"
)

// people are the generated users of a population. A user's identifiers tell its index.
type people []fixtures.User

// generatePeople generates n users. Whether one is enrolled is known to the target only: the users file does not say
// it.
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

// indexIn finds the index of the user in the body of a request. It is -1 if the user is of no population.
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

// csv is a users file of CSV.
func (p people) csv() string {
	var b strings.Builder
	b.WriteString("id,userId\n")
	for _, u := range p {
		b.WriteString(u.ID + "," + u.UserID + "\n")
	}
	return b.String()
}

// ndjson is a users file of NDJSON.
func (p people) ndjson() string {
	var b strings.Builder
	for _, u := range p {
		fmt.Fprintf(&b, "{\"id\":%q,\"userId\":%q}\n", u.ID, u.UserID)
	}
	return b.String()
}

// gzipped compresses a text with gzip.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	must(err)
	must(w.Close())
	return b.String()
}

// zstandard compresses a text with zstd.
func zstandard(text string) string {
	w, err := zstd.NewWriter(nil)
	must(err)
	return string(w.EncodeAll([]byte(text), nil))
}
