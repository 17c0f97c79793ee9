// Package input reads the files that users give to the suite. They have a size limit, valid UTF-8, and an optional byte
// order mark, which is removed. Every error names the file and line, and shows at most a line of its content.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxFile is the largest file that is read into memory, in bytes.
const maxFile = 64 << 20

// ReadFile returns the content of a file or pipe without its byte order mark. A device or more than 64 MiB is an error.
// Errors do not contain the path, which may be a misplaced secret.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, "use a smaller file")
}

// ReadAll returns a text by the rules of ReadFile. advice ends the error for a text that is too long.
func ReadAll(text io.Reader, advice string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(text, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it is longer than 64 MiB: " + advice)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %v", WithoutPath(err))
	}
	return WithoutByteOrderMark(data), nil
}

// WithoutPath returns the system's error about a file without the path.
func WithoutPath(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Err
	}
	return err
}

// ByteOrderMark is a byte order mark, which may precede a text.
const ByteOrderMark = "\ufeff"

// WithoutByteOrderMark returns the text without its byte order mark.
func WithoutByteOrderMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(ByteOrderMark)) }

// NotUTF8 returns the error text for a line in another encoding; "" if it is in UTF-8. Those that spreadsheets save are
// named.
func NotUTF8(line []byte) string {
	is := "not valid UTF-8"
	switch {
	case utf8.Valid(line) && !isUTF16(line):
		return ""
	case bytes.HasPrefix(line, []byte("PK\x03\x04")):
		is = "an archive, such as .xlsx, and no text"
	case bytes.HasPrefix(line, []byte("\xff\xfe")), bytes.HasPrefix(line, []byte("\xfe\xff")):
		is = "in UTF-16"
	case isUTF16(line):
		is = "in UTF-16 without a byte order mark"
	}
	return "is " + is + ": save the file in UTF-8"
}

// isUTF16 reports whether a text has a NUL in the first or in the second of every two bytes, as ASCII has in UTF-16. Up
// to half of its characters may be others.
func isUTF16(text []byte) bool {
	nuls := bytes.Count(text, []byte{0})
	if nuls < 2 || nuls < len(text)/4 {
		return false
	}
	first := bytes.IndexByte(text, 0)
	for i, b := range text {
		if b == 0 && (i-first)%2 != 0 {
			return false
		}
	}
	return true
}

// CheckUTF8 returns an error if data is not valid UTF-8. It names the file and the first wrong line.
func CheckUTF8(name string, data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if fault := NotUTF8(line); fault != "" {
			return fmt.Errorf("%s:%d: %s", name, number, fault)
		}
	}
	return nil
}

// LineAt returns the line of the byte at an offset, counted from 1.
func LineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}

// shownRunes is how many characters of a value an error shows.
const shownRunes = 80

// Quote returns a name or value for an error. It is quoted, unprintable characters are escaped, and a long text is cut.
func Quote(text string) string {
	if shortened := Shorten(text); shortened != text {
		return strconv.Quote(strings.TrimSuffix(shortened, "…")) + "…"
	}
	return strconv.Quote(text)
}

// Shorten returns the first 80 characters of a longer text, with an ellipsis.
func Shorten(text string) string {
	if runes := []rune(text); len(runes) > shownRunes {
		return string(runes[:shownRunes]) + "…"
	}
	return text
}

// Suggest returns the end of an error about an unknown name, such as `; did you mean "rate"?`. It is "" if no known
// name is similar.
func Suggest(name string, known []string) string {
	if similar := Nearest(name, known); similar != "" {
		return "; did you mean " + Quote(similar) + "?"
	}
	return ""
}

// maxCompared limits the cost of comparing a very long unknown name.
const maxCompared = 100

// Nearest returns the known name that is most similar to an unknown one, ignoring case. If several are equally similar
// it is the first; if none is similar it is the first that has the unknown one as a part, or "". Similar ones differ in
// at most a third of the letters, short ones in two. Words that are too many at the end count as two.
func Nearest(name string, known []string) (nearest string) {
	const leastPart = 4
	unknown := []rune(strings.ToLower(name))
	unknown = unknown[:min(len(unknown), maxCompared)]
	most := max(len(unknown)/3, min(2, len(unknown)-1)) // two swapped letters are two that differ
	for _, candidate := range known {
		d := levenshtein.ComputeDistance(string(unknown), strings.ToLower(candidate))
		if strings.HasPrefix(string(unknown), strings.ToLower(candidate)+"-") {
			d = min(d, 2)
		}
		if d <= most {
			nearest, most = candidate, d-1
		}
	}
	if i := slices.IndexFunc(known, func(candidate string) bool {
		return len(unknown) >= leastPart && strings.Contains(strings.ToLower(candidate), string(unknown))
	}); nearest == "" && i >= 0 {
		return known[i]
	}
	return nearest
}
