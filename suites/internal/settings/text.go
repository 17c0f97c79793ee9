package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"unicode/utf8"
)

// shownRunes bounds how much of a value an error repeats.
const shownRunes = 80

// quote shows a name or value inside an error: in quotes, what can't be printed escaped, a long one cut.
func quote(text string) string {
	runes := []rune(text)
	if len(runes) > shownRunes {
		return strconv.Quote(string(runes[:shownRunes])) + "…"
	}
	return strconv.Quote(text)
}

// notUTF8 is the fault of a text in another encoding.
const notUTF8 = "is not valid UTF-8: save the file in UTF-8"

// checkedText passes what is valid UTF-8. The error names the file and the line.
func checkedText(path string, data []byte) ([]byte, error) {
	if at := invalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("%s:%d: %s", path, lineAt(data, at), notUTF8)
	}
	return data, nil
}

// byteOrderMark may stand before a text, and is no part of it.
const byteOrderMark = "\ufeff"

func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(byteOrderMark)) }

// withoutPath is what the system said of a file, without the path.
func withoutPath(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// lineAt is the line, counted from 1, on which the byte at an offset stands.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}
