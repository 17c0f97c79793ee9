package users_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPopulation(t *testing.T) { testkit.Specs(t, "Population") }

const (
	firstID  = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01"
	secondID = "0F6A2F4E-9a1d-4c53-8a55-0d2b1c7e9f02"
)

// openInput opens a text as standard input, whose name can't be wrong.
func openInput(text io.Reader) *users.Reader {
	GinkgoHelper()
	return testkit.Must(users.Open(users.StandardInput, text, testkit.Contract()))
}

// drainReader reads all users of a reader and closes it.
func drainReader(r *users.Reader) (users []users.Row, err error) {
	defer r.Close()
	for {
		user, err := r.Next()
		switch err {
		case nil:
			users = append(users, user)
		case io.EOF:
			return users, nil
		default:
			return users, err
		}
	}
}

// readPath reads a file. A fault while it is opened and one while it is read are one and the same here.
func readPath(path string) ([]users.Row, error) {
	r, err := users.OpenAny(path, nil, testkit.Contract())
	if err != nil {
		return nil, err
	}
	return drainReader(r)
}

// readFile reads a file in a folder of its own.
func readFile(name, content string) ([]users.Row, error) {
	GinkgoHelper()
	return readPath(testkit.Write(GinkgoT().TempDir(), name, []byte(content)))
}

// readInput reads standard input.
func readInput(content string) ([]users.Row, error) {
	GinkgoHelper()
	return drainReader(openInput(strings.NewReader(content)))
}

// expectFault expects an error of one line that has every part, and is not the end of the file.
func expectFault(err error, parts ...string) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	Expect(errors.Is(err, io.EOF)).To(BeFalse())
	Expect(err.Error()).NotTo(ContainSubstring("\n"))
	for _, part := range parts {
		Expect(err.Error()).To(ContainSubstring(part))
	}
}

// packersByExtension pack a text, by the extension that says how.
var packersByExtension = map[string]func(string) string{"": strings.Clone, ".gz": packGzip}

func packGzip(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return out.String()
}

// numberedRow is the user of a number, on the line that it has in csvOf and ndjsonOf from 0 without a header.
func numberedRow(i int) users.Row {
	return users.Row{Index: int64(i), User: exchange.User{
		ID: fmt.Sprintf("%08x-9a1d-4c53-8a55-0d2b1c7e9f01", i), UserID: fmt.Sprintf("user %d", i), Enrolled: true,
	}}
}

// csvOf and ndjsonOf write users from one number to another, the latter not included.
func csvOf(from, to int) string    { return linesOf("%s,%s\n", from, to) }
func ndjsonOf(from, to int) string { return linesOf("{\"id\":%q,\"userId\":%q}\n", from, to) }

func linesOf(format string, from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&out, format, numberedRow(i).ID, numberedRow(i).UserID)
	}
	return out.String()
}
