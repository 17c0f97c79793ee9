package sanitize

import (
	"bytes"
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes one layer of escapes in data: JSON and other backslashes, URLs and HTML. It also removes zero bytes,
// which makes ASCII of UTF-16, and line breaks, which divide base64 (RFC 2045). It returns false if there is no escape.
func unescape(data []byte) (plain []byte, escaped bool) {
	const starts = "\\%&\x00\r\n"
	if !bytes.ContainsAny(data, starts) {
		return data, false
	}
	out := make([]byte, 0, len(data))
	for {
		i := bytes.IndexAny(data, starts)
		if i < 0 {
			return append(out, data...), escaped
		}
		out = append(out, data[:i]...)
		if plain, width := escape(data[i:]); width > 0 {
			out, data, escaped = append(out, plain...), data[i+width:], true
		} else {
			out, data = append(out, data[i]), data[i+1:]
		}
	}
}

// escape returns the decoded form of the escape at the start of data, and the escape's width, or 0 if there is none.
func escape(data []byte) (plain string, width int) {
	switch data[0] {
	case 0:
		return "", len(data) - len(bytes.TrimLeft(data, "\x00"))
	case '\r', '\n':
		return "", len(data) - len(bytes.TrimLeft(data, "\r\n"))
	case '\\':
		return backslash(data)
	case '%':
		if b, ok := number(data[1:], 2); ok {
			return string([]byte{byte(b)}), 3
		}
		return unit(data, "%u")
	}
	return reference(data)
}

// backslash decodes the escapes of JSON, similar ones of other languages, and a backslash before anything that is no
// letter, digit, space or control character, as in Markdown.
func backslash(data []byte) (plain string, width int) {
	if len(data) < 2 {
		return "", 0
	}
	const letters, meanings = "bfnrt", "\b\f\n\r\t"
	switch next := data[1]; {
	case next == 'u':
		return unit(data, `\u`)
	case next == 'x':
		if b, ok := number(data[2:], 2); ok {
			return string([]byte{byte(b)}), 4
		}
	case strings.IndexByte(letters, next) >= 0:
		return string(meanings[strings.IndexByte(letters, next)]), 2
	case next >= '!' && !isAlphanumeric(next):
		return string([]byte{next}), 2
	}
	return "", 0
}

// unit decodes an escape of four hexadecimal digits, or two that form a surrogate pair.
func unit(data []byte, prefix string) (plain string, width int) {
	width = len(prefix) + 4
	high, ok := unitAt(data, prefix)
	if !ok {
		return "", 0
	}
	low, _ := unitAt(data[width:], prefix)
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return string(r), 2 * width
	}
	return string(high), width
}

func unitAt(data []byte, prefix string) (rune, bool) {
	if len(data) < len(prefix) || string(data[:len(prefix)]) != prefix {
		return 0, false
	}
	return number(data[len(prefix):], 4)
}

// number parses the first count hexadecimal digits of data. It returns false if there are not as many.
func number(data []byte, count int) (rune, bool) {
	if len(data) < count {
		return 0, false
	}
	value, err := strconv.ParseUint(string(data[:count]), 16, 32)
	return rune(value), err == nil
}

// reference decodes a character reference of HTML, such as &#65;, &#x41; or &amp;. As in a browser, the semicolon is
// optional after a number and some names.
func reference(data []byte) (plain string, width int) {
	end := 1
	for end < len(data) && (isAlphanumeric(data[end]) || end == 1 && data[end] == '#') {
		end++
	}
	if end < len(data) && data[end] == ';' {
		end++
	}
	escaped := string(data[:end])
	if plain = html.UnescapeString(escaped); plain == escaped {
		return "", 0
	}
	return plain, end // what follows the reference is no escape
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// minValue is the least number of characters in a secret that is searched for. A shorter text occurs by chance.
const minValue = 8

// searchTexts returns the texts to search for one secret. Of the value of an Authorization header they are the
// credentials, not the scheme; of those of Basic (RFC 7617) also the user with the password, and the password.
func searchTexts(value string) []string {
	value = strings.TrimSpace(value)
	scheme, credentials, _ := strings.Cut(value, " ")
	scheme, credentials = strings.ToLower(scheme), strings.TrimRight(strings.TrimSpace(credentials), "=")
	known := slices.Contains(schemesInUse, scheme)
	var all []string
	if !known || credentials == "" {
		all = unescapedForms(value)
	}
	if known || !strings.Contains(credentials, " ") {
		all = append(all, unescapedForms(credentials)...)
	}
	pair, _ := base64.RawStdEncoding.DecodeString(credentials) // as far as it can be decoded
	if _, password, ok := strings.Cut(string(pair), ":"); ok && scheme == "basic" {
		all = slices.Concat(all, unescapedForms(string(pair)), unescapedForms(password))
	}
	return all
}

// schemesInUse are the registered schemes of authentication, and others that are in use.
var schemesInUse = strings.Fields("basic bearer concealed digest dpop gnap hoba mutual negotiate oauth privatetoken " +
	"scram-sha-1 scram-sha-256 vapid apikey hmac ntlm token")

// unescapedForms returns a value and its unescaped forms. They are found too if the value's own escapes get mixed with
// those of an encoding.
func unescapedForms(value string) []string {
	if utf8.RuneCountInString(value) < minValue {
		return nil
	}
	all := []string{value}
	for range deepestEscapes {
		plain, _ := unescape([]byte(value))
		value = strings.TrimSpace(string(plain))
		if utf8.RuneCountInString(value) < minValue || slices.Contains(all, value) {
			break
		}
		all = append(all, value)
	}
	return all
}
