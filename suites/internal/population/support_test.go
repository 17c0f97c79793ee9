package population_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	firstID  = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01"
	secondID = "0F6A2F4E-9a1d-4c53-8a55-0d2b1c7e9f02"
)

func joinLines(texts ...string) string { return strings.Join(texts, "\n") + "\n" }

// writeFile puts a file into a folder of the spec's own and yields its path.
func writeFile(name, content string) string {
	path := filepath.Join(GinkgoT().TempDir(), name)
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}

// drainReader reads all users of a reader and closes it.
func drainReader(r *population.Reader) ([]population.Row, error) {
	defer r.Close()
	var users []population.Row
	for {
		user, err := r.Next()
		if errors.Is(err, io.EOF) {
			return users, nil
		}
		if err != nil {
			return users, err
		}
		users = append(users, user)
	}
}

// readPath reads a file. A fault while it is opened and one while it is read are one and the same here.
func readPath(path string) ([]population.Row, error) {
	r, err := population.Open(path, nil, testkit.Contract())
	if err != nil {
		return nil, err
	}
	return drainReader(r)
}

func readFile(name, content string) ([]population.Row, error) {
	return readPath(writeFile(name, content))
}

func readInput(content string) ([]population.Row, error) {
	r, err := population.Open(population.StandardInput, strings.NewReader(content), testkit.Contract())
	if err != nil {
		return nil, err
	}
	return drainReader(r)
}

// expectFault expects an error of one line that has every part.
func expectFault(err error, parts ...string) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	Expect(err).NotTo(MatchError(io.EOF))
	Expect(err.Error()).NotTo(ContainSubstring("\n"))
	for _, part := range parts {
		Expect(err.Error()).To(ContainSubstring(part))
	}
}

// packersByExtension pack a text, by the extension that tells how.
func packersByExtension() map[string]func(string) string {
	return map[string]func(string) string{"": func(text string) string { return text }, ".gz": packGzip,
		".zst": packZstd}
}

func packGzip(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return out.String()
}

func packZstd(text string) string {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<17))
	if err != nil {
		panic(err)
	}
	_, err = io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return out.String()
}

// numberedRow is the user of a number.
func numberedRow(i int) population.Row {
	return population.Row{Index: int64(i), User: population.User{
		ID: fmt.Sprintf("%08x-9a1d-4c53-8a55-0d2b1c7e9f01", i), UserID: fmt.Sprintf("user %d", i), Enrolled: true,
	}}
}

// csvOf and ndjsonOf write users from one number to another, the latter not included.
func csvOf(from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&out, "%s,%s\n", numberedRow(i).ID, numberedRow(i).UserID)
	}
	return out.String()
}

func ndjsonOf(from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&out, "{\"id\":%q,\"userId\":%q}\n", numberedRow(i).ID, numberedRow(i).UserID)
	}
	return out.String()
}

// withoutLines returns the rows without the lines of the file at which they start.
func withoutLines(rows []population.Row) []population.Row {
	list := slices.Clone(rows)
	for i := range list {
		list[i].Line = 0
	}
	return list
}
