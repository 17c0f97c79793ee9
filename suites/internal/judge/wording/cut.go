package wording

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
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

// EscapeWidth returns the width in bytes of the escape at the start of text, or 0 if there is none. A surrogate pair is
// one escape.
func EscapeWidth(text string) int {
	if len(text) < 2 || text[0] != '\\' {
		return 0
	}
	width := 0
	switch text[1] {
	case 'b', 'f', 'n', 'r', 't', '"', '\\', '/':
		return 2
	case 'x':
		width = len(`\xhh`)
	case 'u':
		width = len(`\uhhhh`)
	case 'U':
		width = len(`\Uhhhhhhhh`)
	default:
		return 0
	}
	if len(text) < width || strings.Trim(text[2:width], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	if utf16.DecodeRune(unit(text), unit(text[width:])) != utf8.RuneError {
		return 2 * width
	}
	return width
}

// unit returns the UTF-16 code unit of the escape \uhhhh at the start of text, or 0 if there is none.
func unit(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return 0
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}
