package population_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"
)

// FuzzReader holds what a sweep reads to what a run reads of the same users file: no other text, and no other users,
// but that a user may stand twice who is no neighbour of himself. However the text is packed, the same comes out.
func FuzzReader(f *testing.F) {
	formats := []string{".csv", ".ndjson", ".json", ".yaml"}
	for format := range formats {
		for _, seed := range []string{
			"id,userId\n" + csvOf(0, 3), "id,userId\n" + csvOf(0, 2) + csvOf(1, 3),
			"\ufeffuserId,id,enrolled\r\n\"a\r\n\"\"b\"," + firstID + ",true\r\n\r\nb," + secondID + ",false\r\n",
			"id,userId\n" + csvOf(0, 2) + csvOf(0, 1), "id,userId,enrolled\n" + firstID + ",a,false",
			ndjsonOf(0, 3), ndjsonContent, ndjsonOf(0, 2) + ndjsonOf(0, 2), "{}", "{\n}",
			ndjsonOf(0, 1) + "\r\n" + ndjsonOf(0, 1) + "\xff",
			jsonContent, yamlContent, "[]", "[[[[", "{\"id\":{}}", "- *a\n", "--- !!seq x\n", "- &a [*a]\n",
			"id,userId\n\"", "\ufeff", "\ufeff\ufeff{", "\n\n", "\r", "",
		} {
			f.Add(format, []byte(seed))
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		extension := formats[uint(format)%uint(len(formats))]
		path := filepath.Join(folder, "users"+extension)
		plain, err := readFuzzed(t, path, content)
		expected, fault := population.ReadAll(path, testkit.Contract(), false)
		if fault == nil {
			checkUsers(t, expected)
		}
		twice := fault != nil && strings.Contains(fault.Error(), " is already on line ")
		switch {
		case fault == nil && err != nil:
			t.Fatalf("a run takes it, the reader does not: %v", err)
		case fault == nil && !sameUsers(plain, expected):
			t.Fatalf("expected %v, got %v", expected, plain)
		case fault != nil && err == nil && !(twice && hasDuplicate(plain)):
			t.Fatalf("the reader takes it, a run does not: %v", fault)
		case fault != nil && err != nil && !twice && err.Error() != fault.Error():
			t.Fatalf("a run says %v, the reader %v", fault, err)
		}
		for extension, compress := range packersByExtension() {
			compressed, packedErr := readFuzzed(t, path+extension, []byte(compress(string(content))))
			if (packedErr == nil) != (err == nil) || len(compressed) != len(plain) {
				t.Fatalf("%d users and %v, but packed %d and %v", len(plain), err, len(compressed), packedErr)
			}
		}
	})
}

// checkUsers holds for every list of users that a run takes.
func checkUsers(t *testing.T, users []population.User) {
	t.Helper()
	seen := map[string]bool{}
	enrolled := false
	for _, u := range users {
		if seen[u.Key()] {
			t.Fatalf("%+v stands twice", u)
		}
		seen[u.Key()] = true
		enrolled = enrolled || u.Enrolled
		if len(u.ID) != len(firstID) || strings.Trim(strings.ToLower(u.ID), "0123456789abcdef-") != "" ||
			strings.Count(u.ID, "-") != 4 {
			t.Fatalf("%q is no GUID", u.ID)
		}
		if u.UserID == "" || !utf8.ValidString(u.UserID) || !utf8.ValidString(u.Name) {
			t.Fatalf("%+v has a wrong text", u)
		}
	}
	if !enrolled {
		t.Fatalf("nobody is enrolled among %d users", len(users))
	}
}

// FuzzPacked reads what may be no right stream of a compression, and what comes from standard input.
func FuzzPacked(f *testing.F) {
	formats := []string{"-", ".csv.gz", ".csv.zst", ".ndjson.gz", ".jsonl.zst", ".json.gz", ".yaml.zst"}
	for format := range formats {
		for _, text := range []string{"id,userId\n" + csvOf(0, 9), ndjsonOf(0, 9), jsonContent, yamlContent, ""} {
			for _, compress := range packersByExtension() {
				f.Add(format, []byte(compress(text)))
			}
		}
		f.Add(format, []byte(packGzip(ndjsonOf(0, 2))+packGzip(ndjsonOf(2, 3))+"\x00\x00"))
		f.Add(format, []byte("\x50\x2a\x4d\x18\x01\x00\x00\x00x"+packZstd("\ufeff\n"+ndjsonOf(0, 2))))
		f.Add(format, []byte("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		if name := formats[uint(format)%uint(len(formats))]; name != population.StandardInput {
			readFuzzed(t, filepath.Join(folder, "users"+name), content)
			return
		}
		r, err := population.Open(population.StandardInput, bytes.NewReader(content), testkit.Contract())
		if err != nil {
			t.Fatalf("standard input has no name that could be wrong: %v", err)
		}
		readThrough(t, r, "standard input:")
	})
}

// readFuzzed writes a text to a file and reads it.
func readFuzzed(t *testing.T, path string, content []byte) ([]population.Row, error) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := population.Open(path, nil, testkit.Contract())
	if err != nil {
		checkFault(t, err, path+":")
		return nil, err
	}
	return readThrough(t, r, path+":")
}

// readThrough reads all users and checks what holds of every text.
func readThrough(t *testing.T, r *population.Reader, name string) ([]population.Row, error) {
	t.Helper()
	defer r.Close()
	var users []population.Row
	for {
		user, err := r.Next()
		if err == nil {
			if user.Index != int64(len(users)) || user.UserID == "" || len(user.ID) != len(firstID) || !user.Enrolled &&
				!user.EnrolledGiven {
				t.Fatalf("user %d is wrong: %+v", len(users), user)
			}
			users = append(users, user)
			continue
		}
		if next, again := r.Next(); again != err || next != (population.Row{}) {
			t.Fatalf("after %v came %v and %v", err, next, again)
		}
		if errors.Is(err, io.EOF) {
			if err != io.EOF || len(users) == 0 {
				t.Fatalf("%v came at the end of %d users", err, len(users))
			}
			return users, nil
		}
		checkFault(t, err, name)
		return users, err
	}
}

func checkFault(t *testing.T, err error, name string) {
	t.Helper()
	if !strings.HasPrefix(err.Error(), name) || !utf8.ValidString(err.Error()) || len(err.Error()) > 2000 {
		t.Fatalf("the error does not name the text, or is no text: %q", err)
	}
}

func sameUsers(users []population.Row, expected []population.User) bool {
	if len(users) != len(expected) {
		return false
	}
	for i, u := range users {
		if u.User != expected[i] {
			return false
		}
	}
	return true
}

// hasDuplicate reports whether a user stands twice.
func hasDuplicate(users []population.Row) bool {
	seen := map[string]bool{}
	for _, u := range users {
		if seen[u.Key()] {
			return true
		}
		seen[u.Key()] = true
	}
	return false
}
