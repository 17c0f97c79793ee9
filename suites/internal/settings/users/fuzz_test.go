package users_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

// FuzzReader holds what a sweep reads to what a run reads of the same users file: the same users, or the same error.
// However the text is packed, the same comes out.
func FuzzReader(f *testing.F) {
	formats := []string{".csv", ".ndjson", ".json", ".yaml"}
	for _, c := range testkit.Cases[usersFile](usersFiles) {
		f.Add(slices.Index(formats, filepath.Ext(c.File)), []byte(c.Content))
	}
	for format := range formats {
		for _, seed := range []string{"{}", "{\n}", "[[[[", "{\"id\":{}}", "- *a\n", "--- !!seq x\n", "- &a [*a]\n",
			"id,userId\n\"", "\ufeff", "\ufeff\ufeff{", "\n\n", "\r"} {
			f.Add(format, []byte(seed))
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		extension := formats[uint(format)%uint(len(formats))]
		path := filepath.Join(folder, "users"+extension)
		plain, err := readFuzzed(t, path, content)
		expected, _, fault := users.ReadAll(path, testkit.Contract(), false)
		seen, isEnrolled := map[string]bool{}, false
		for _, u := range expected {
			if seen[u.Key()] || !guid.MatchString(u.ID) || u.UserID == "" || !utf8.ValidString(u.UserID+u.Name) {
				t.Fatalf("%+v stands twice, has no GUID, or a wrong text", u)
			}
			seen[u.Key()], isEnrolled = true, isEnrolled || u.Enrolled
		}
		if fault == nil && !isEnrolled {
			t.Fatalf("nobody is enrolled among %d users", len(expected))
		}
		switch {
		case fault == nil && err != nil:
			t.Fatalf("a run takes it, the reader does not: %v", err)
		case fault == nil && !slices.EqualFunc(plain, expected,
			func(r users.Row, u exchange.User) bool { return r.User == u }):
			t.Fatalf("expected %v, got %v", expected, plain)
		case fault != nil && err == nil:
			t.Fatalf("the reader takes it, a run does not: %v", fault)
		case fault != nil && err.Error() != fault.Error():
			t.Fatalf("a run says %v, the reader %v", fault, err)
		}
		for extension, compress := range packersByExtension {
			compressed, packedErr := readFuzzed(t, path+extension, []byte(compress(string(content))))
			if (packedErr == nil) != (err == nil) || len(compressed) != len(plain) {
				t.Fatalf("%d users and %v, but packed %d and %v", len(plain), err, len(compressed), packedErr)
			}
		}
	})
}

// guid is the form of an id.
var guid = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// FuzzPacked reads what may be no right stream of a compression, and what comes from standard input.
func FuzzPacked(f *testing.F) {
	formats := []string{"-", ".csv.gz", ".ndjson.gz", ".jsonl.gz", ".json.gz", ".yaml.gz"}
	for format := range formats {
		for _, text := range []string{"id,userId\n" + csvOf(0, 9), ndjsonOf(0, 9), "[]", "- {}\n", ""} {
			for _, compress := range packersByExtension {
				f.Add(format, []byte(compress(text)))
			}
		}
		f.Add(format, []byte(packGzip(ndjsonOf(0, 2))+packGzip(ndjsonOf(2, 3))+"\x00\x00"))
		f.Add(format, []byte(packGzip("\ufeff\n"+ndjsonOf(0, 2))))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		if name := formats[uint(format)%uint(len(formats))]; name != users.StandardInput {
			readFuzzed(t, filepath.Join(folder, "users"+name), content)
			return
		}
		r, err := users.Open(users.StandardInput, bytes.NewReader(content), testkit.Contract())
		if err != nil {
			t.Fatalf("standard input has no name that could be wrong: %v", err)
		}
		readThrough(t, r, "standard input:")
	})
}

// readFuzzed writes a text to a file and reads it.
func readFuzzed(t *testing.T, path string, content []byte) ([]users.Row, error) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := users.OpenAny(path, nil, testkit.Contract())
	if err != nil {
		checkFault(t, err, path+":")
		return nil, err
	}
	return readThrough(t, r, path+":")
}

// readThrough reads all users and checks what holds of every text.
func readThrough(t *testing.T, r *users.Reader, name string) ([]users.Row, error) {
	t.Helper()
	defer r.Close()
	var list []users.Row
	for {
		user, err := r.Next()
		if err == nil {
			if user.Index != int64(len(list)) || user.UserID == "" || len(user.ID) != len(firstID) || !user.Enrolled &&
				!user.EnrolledGiven {
				t.Fatalf("user %d is wrong: %+v", len(list), user)
			}
			list = append(list, user)
			continue
		}
		if next, again := r.Next(); again != err || next != (users.Row{}) {
			t.Fatalf("after %v came %v and %v", err, next, again)
		}
		if errors.Is(err, io.EOF) {
			if err != io.EOF || len(list) == 0 {
				t.Fatalf("%v came at the end of %d users", err, len(list))
			}
			return list, nil
		}
		checkFault(t, err, name)
		return list, err
	}
}

func checkFault(t *testing.T, err error, name string) {
	t.Helper()
	if !strings.HasPrefix(err.Error(), name) || !utf8.ValidString(err.Error()) || len(err.Error()) > 2000 {
		t.Fatalf("the error does not name the text, or is no text: %q", err)
	}
}
