package sanitize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Printable returns text on one line, without characters that have an effect instead of a shape. Letters, marks, digits
// and signs of every script are kept. These become visible escapes:
//   - line breaks and tabs (\n, \r, \t), other control characters, spaces other than U+0020, line and paragraph
//     separators
//   - marks and overrides of direction, characters without width or shape, private, unassigned and noncharacters
//     (\u001b, \u202e, \udb40\udc41)
//   - bytes that are not UTF-8 (\x9b)
//   - of "{{", the second, because Ginkgo reads "{{red}}" as a colour ({\u007b)
//   - of "##", the second, because "##[" and "##vso[" are commands anywhere in a CI log (#\u0023)
//   - of "::" at the start, also after spaces, the first, because "::error::" is a command there (\u003a:)
//   - the percent sign of "%0A" and "%0D", which are line breaks in the message of an annotation (\u00250A)
//
// The result is safe for a terminal, a log, the text of XML 1.0 and a line of CI. Signs with a meaning in one format
// only, such as "<" in HTML or "|" in Markdown, are kept. The writer of that format must escape them. A backslash is
// kept too.
//
// If limit is over 0, the result has at most that many characters. It never has a part of an escape, new or already in
// text. A cut text ends with an ellipsis and the number of characters in text.
func Printable(text string, limit int) string {
	return printable(strictjson.Beginning{Text: text}, limit)
}

// PrintableLines returns a text of several lines with each line made Printable. It keeps line breaks and cuts nothing.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 0)
	}
	return strings.Join(lines, "\n")
}

// printable is Printable of a text of which only the beginning may be known.
func printable(b strictjson.Beginning, limit int) string {
	var out strings.Builder
	known := utf8.RuneCountInString(b.Text)
	ending := endingOf(max(b.Characters, known), b.AtLeast)
	shown, last := 0, byte(0)
	command := strings.HasPrefix(strings.TrimLeft(b.Text, " "), "::")
	for rest := b.Text; rest != ""; {
		r, width := utf8.DecodeRuneInString(rest)
		width = max(width, escapeWidth(rest))
		character := rest[:width]
		switch {
		case r == utf8.RuneError && width == 1:
			character = fmt.Sprintf(`\x%02x`, rest[0])
		case r == ':' && command:
			character, command = visible(r), false
		case (r == '{' || r == '#') && last == byte(r), r == '%' && breaksLine(rest), !isPlain(r):
			character = visible(r)
		}
		size := utf8.RuneCountInString(character)
		if limit > 0 && shown+size > limit {
			return out.String() + ending
		}
		out.WriteString(character)
		shown, last = shown+size, character[len(character)-1]
		rest = rest[width:]
	}
	if b.AtLeast || b.Characters > known {
		out.WriteString(ending)
	}
	return out.String()
}

// endingOf returns the end of a text that was cut, with the number of characters of the whole.
func endingOf(characters int, atLeast bool) string {
	if atLeast {
		return fmt.Sprintf("… (more than %d characters)", characters)
	}
	return fmt.Sprintf("… (%d characters in all)", characters)
}

// IsCut reports whether a text ends as one that was cut.
func IsCut(text string) bool { return cutEnding.MatchString(text) }

// cutEnding matches the result of endingOf.
var cutEnding = regexp.MustCompile(`… \((?:more than )?[0-9]+ characters(?: in all)?\)$`)

// visible returns a visible escape of a character, in the form that JSON has.
func visible(r rune) string {
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

// escapeAtStart matches an escape at the start of a text. A surrogate pair is one escape.
var escapeAtStart = regexp.MustCompile(`^\\(?:[bfnrt"\\/]|x[0-9a-fA-F]{2}|` +
	`u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)

// escapeWidth returns the width in bytes of the escape at the start of text, or 0 if there is none.
func escapeWidth(text string) int {
	if text == "" || text[0] != '\\' {
		return 0
	}
	return len(escapeAtStart.FindString(text))
}

// breaksLine reports whether a text starts with %0A or %0D, line breaks in the message of an annotation.
func breaksLine(text string) bool {
	return len(text) > 2 && text[1] == '0' && (text[2]|0x20 == 'a' || text[2]|0x20 == 'd')
}

// isPlain reports whether a character is visible and has no other effect. unicode.IsPrint also accepts letters and
// marks without a shape, which can hide text.
func isPlain(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// ShowJSON returns a decoded JSON value as compact JSON on one line, without secrets. Members are sorted by name and
// numbers keep their text. Characters that Printable would change become JSON escapes. The result is cut to limit
// characters after that; 0 cuts nothing.
//
// If the JSON is far longer than limit, only its beginning is produced; the text then ends with its least total length.
func (s *Secrets) ShowJSON(value any, limit int) string {
	atMost := 0
	if limit > 0 {
		atMost = limit*utf8.UTFMax + jsonBeside
	}
	text, more := strictjson.Text(value, atMost)
	text = s.Clean(text)
	return printable(strictjson.Beginning{Text: text, Characters: utf8.RuneCountInString(text), AtLeast: more}, limit)
}

// jsonBeside is how many bytes of JSON are produced beyond the limit, because redaction makes a text shorter.
const jsonBeside = 64 << 10
