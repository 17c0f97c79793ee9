package check

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unlike says how two texts differ that look alike; "" if they are equal, or do not look alike.
func unlike(a, b string) string {
	if a == b {
		return ""
	}
	visible := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
				return -1
			}
			return r
		}, text)
	}
	for _, same := range []struct {
		but  string
		form func(string) string
	}{
		{"the same letters in another Unicode form", norm.NFC.String},
		{"the same but for white space at an end", strings.TrimSpace},
		{"the same but for characters that can't be seen", visible},
		{"the same but for the kind of white space", func(text string) string {
			return strings.Join(strings.Fields(text), " ")
		}},
		{"the same in a compatible Unicode form", norm.NFKC.String},
	} {
		if same.form(a) == same.form(b) {
			return same.but
		}
	}
	return ""
}
