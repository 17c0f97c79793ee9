package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable gives text on one line, in characters that are only shown and do nothing. Letters, marks, digits and signs
// of every script stay. What becomes a visible escape instead:
//   - line breaks and tabs (\n, \r, \t), all other control characters, spaces that are not U+0020, line and paragraph
//     separators, marks and overrides of direction, characters without width or shape, private and unassigned ones and
//     noncharacters (\u001b, \u202e, \U000e0041)
//   - bytes that are not UTF-8 (\x9b)
//   - of "{{", the second, since Ginkgo takes "{{red}}" for a colour ({\u007b)
//   - of "##", the second, since "##[" and "##vso[" are commands wherever they stand in a log of CI (#\u0023)
//   - of "::" at the start, also after spaces, the first, since "::error::" is a command there (\u003a:)
//   - the percent sign of "%0A" and "%0D", which are line breaks in the message of an annotation (\u00250A)
//
// So the result is fit for a terminal, a log, the text of XML 1.0 and a line of CI. Signs that mean something in one
// format only, such as "<" in HTML or "|" in Markdown, stay: whoever writes that format escapes them. A backslash
// stays as well.
//
// Where limit is over 0, at most so many characters of the result are given, never a part of an escape, be it one of
// the above or one that text had before; what was cut ends in an ellipsis and says how many characters text has.
func Printable(text string, limit int) string { return printable(text, limit, false) }

// printable does the work of Printable; more says that text is only the beginning of what was to be shown.
func printable(text string, limit int, more bool) string {
	var out strings.Builder
	shown, last := 0, byte(0)
	command := strings.HasPrefix(strings.TrimLeft(text, " "), "::")
	for rest := text; rest != ""; {
		r, width := utf8.DecodeRuneInString(rest)
		escaped := escapeWidth(rest)
		width = max(width, escaped)
		piece := rest[:width]
		switch {
		case escaped > 0:
		case r == utf8.RuneError && width == 1:
			piece = fmt.Sprintf(`\x%02x`, rest[0])
		case r == ':' && command:
			piece, command = codePoint(r), false
		case (r == '{' || r == '#') && last == byte(r), r == '%' && breaksLine(rest), !isPlain(r):
			piece = codePoint(r)
		}
		size := utf8.RuneCountInString(piece)
		if limit > 0 && shown+size > limit {
			return out.String() + ending(text, more)
		}
		out.WriteString(piece)
		shown, last = shown+size, piece[len(piece)-1]
		rest = rest[width:]
	}
	if more {
		out.WriteString(ending(text, more))
	}
	return out.String()
}

// escapeWidth is how many bytes the escape at the start of text has, 0 where none stands there. A surrogate pair is
// one.
func escapeWidth(text string) int {
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
	if high, ok := unitAt([]byte(text[:width]), `\u`); ok {
		if low, ok := unitAt([]byte(text[width:min(len(text), 2*width)]), `\u`); ok &&
			utf16.DecodeRune(high, low) != utf8.RuneError {
			return 2 * width
		}
	}
	return width
}

// ending is what stands at the end of a text that was cut.
func ending(text string, more bool) string {
	count := utf8.RuneCountInString(text)
	if more {
		return fmt.Sprintf("… (more than %d characters)", count)
	}
	return fmt.Sprintf("… (%d characters in all)", count)
}

// breaksLine reports whether a text begins with what the message of an annotation takes for a line break.
func breaksLine(text string) bool {
	return len(text) > 2 && text[1] == '0' && (text[2]|0x20 == 'a' || text[2]|0x20 == 'd')
}

// isPlain reports whether a character is shown and does nothing else. What unicode.IsPrint lets through are also some
// letters and marks without a shape, in which text can be hidden.
func isPlain(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// codePoint is the visible escape of a character.
func codePoint(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r > 0xFFFF:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
