package schemas

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// The formats, for code that has no schema at hand.
var (
	guid     = sync.OnceValue(func() *regexp.Regexp { return embeddedFormat("guid") })
	dateTime = sync.OnceValue(func() *regexp.Regexp { return embeddedFormat("dateTime") })
)

// IsGUID reports whether a text is a GUID (J3).
func IsGUID(text string) bool { return guid().MatchString(text) }

// HoldsGUID reports whether a GUID (J3) stands anywhere in a text.
func HoldsGUID(text []byte) bool {
	for range EachGUID(text) {
		return true
	}
	return false
}

// EachGUID yields each GUID (J3) that stands in a text.
func EachGUID(text []byte) iter.Seq[string] {
	const length, hyphen = len("00000000-0000-0000-0000-000000000000"), len("00000000")
	return func(yield func(string) bool) {
		for i := 0; i+length <= len(text); i++ {
			if text[i+hyphen] == '-' && guid().Match(text[i:i+length]) && !yield(string(text[i:i+length])) {
				return
			}
		}
	}
}

// SplitDateTime splits a date-time (J4) into its date and time up to the second, its fraction with the dot, and its
// offset. It returns false for any other text.
func SplitDateTime(text string) (second, fraction, offset string, ok bool) {
	if !dateTime().MatchString(text) {
		return "", "", "", false
	}
	const length = len("2006-01-02T15:04:05")
	second, rest := text[:length], text[length:]
	end := strings.IndexAny(rest, "Z+-")
	if end < 0 {
		end = len(rest)
	}
	return second, rest[:end], rest[end:], true
}

// embeddedFormat returns a format from the embedded definitions.
func embeddedFormat(name string) *regexp.Regexp {
	root := must(parse(must(embedded.ReadFile(formatsFile))))
	return regexp.MustCompile(*root.Definitions.get(name).Pattern)
}

// must panics on an error of the embedded files, which is a defect of the suite. A test reads them all.
func must[T any](value T, err error) T {
	if err != nil {
		panic("schemas: " + err.Error())
	}
	return value
}
