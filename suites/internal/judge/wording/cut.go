package wording

import (
	"fmt"
	"regexp"
	"unicode/utf16"
	"unicode/utf8"
)

// Cut returns at most limit characters of a printable text, and never a part of an escape such as \u001b. A cut text
// ends with an ellipsis and the number of characters in text. 0 cuts nothing.
func Cut(text string, limit int) string {
	if limit <= 0 || len(text) <= limit {
		return text
	}
	for end, shown := 0, 0; end < len(text); {
		_, width := utf8.DecodeRuneInString(text[end:])
		characters := 1
		if escaped := EscapeWidth(text[end:]); escaped > 0 {
			width, characters = escaped, escaped
		}
		if shown+characters > limit {
			return text[:end] + Ending(utf8.RuneCountInString(text), false)
		}
		end, shown = end+width, shown+characters
	}
	return text
}

// Ending returns the end of a text that was cut, with the number of characters of the whole.
func Ending(characters int, atLeast bool) string {
	if atLeast {
		return fmt.Sprintf("… (more than %d characters)", characters)
	}
	return fmt.Sprintf("… (%d characters in all)", characters)
}

// IsCut reports whether a text ends as one that was cut.
func IsCut(text string) bool { return ending.MatchString(text) }

// ending matches the result of Ending.
var ending = regexp.MustCompile(`… \((?:more than )?[0-9]+ characters(?: in all)?\)$`)

// Escape returns a visible escape of a character, in the form that JSON has.
func Escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escape matches an escape at the start of a text. A surrogate pair is one escape.
var escape = regexp.MustCompile(`^\\(?:[bfnrt"\\/]|x[0-9a-fA-F]{2}|` +
	`u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)

// EscapeWidth returns the width in bytes of the escape at the start of text, or 0 if there is none.
func EscapeWidth(text string) int {
	if text == "" || text[0] != '\\' {
		return 0
	}
	return len(escape.FindString(text))
}
