package sanitize

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"html"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
		all = append(all, value)
	}
	if known || !strings.Contains(credentials, " ") {
		all = append(all, credentials)
	}
	pair, _ := base64.RawStdEncoding.DecodeString(credentials) // as far as it can be decoded
	if _, password, ok := strings.Cut(string(pair), ":"); ok && scheme == "basic" {
		all = append(all, string(pair), password)
	}
	return slices.DeleteFunc(all, func(text string) bool { return utf8.RuneCountInString(text) < minValue })
}

// schemesInUse are the registered schemes of authentication, and others that are in use.
var schemesInUse = strings.Fields("basic bearer concealed digest dpop gnap hoba mutual negotiate oauth privatetoken " +
	"scram-sha-1 scram-sha-256 vapid apikey hmac ntlm token")

// inBase64 returns a text in base64 of both alphabets, in all three alignments. Digits that depend on neighbouring
// bytes are left out.
func inBase64(text string) (list []string) {
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			whole := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
			whole = whole[(8*before+5)/6:]
			if (before+len(text))%3 != 0 {
				whole = whole[:len(whole)-1]
			}
			list = append(list, whole)
		}
	}
	return list
}

// decodings undo one encoding in a whole text. Each needs a certain byte in the text, else there is nothing to undo.
var decodings = map[byte]func(text []byte) []byte{
	'\\': func(text []byte) []byte { return unescape(text, '\\', jsonEscape) },
	'%':  func(text []byte) []byte { return unescape(text, '%', percentEscape) },
	'&':  func(text []byte) []byte { return []byte(html.UnescapeString(string(text))) },
}

// unescape decodes the escapes in a text that begin with a byte. decode returns what the escape at the start of a text
// means, and its width, or 0 if it is no escape.
func unescape(text []byte, mark byte, decode func([]byte) (string, int)) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, mark)
		if i < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:i]...), text[i:]
		plain, width := decode(text)
		if width == 0 {
			plain, width = string(mark), 1
		}
		out, text = append(out, plain...), text[width:]
	}
}

// jsonEscape decodes an escape of JSON (RFC 8259 section 7). A surrogate pair is one escape.
func jsonEscape(text []byte) (plain string, width int) {
	if len(text) < 2 {
		return "", 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	const size = len(`\u0000`)
	high, ok := hexNumber(text, `\u`, size)
	if !ok {
		return "", 0
	}
	low, _ := hexNumber(text[size:], `\u`, size)
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return string(r), 2 * size
	}
	return string(high), size
}

// percentEscape decodes an escape of a URL (RFC 3986 section 2.1).
func percentEscape(text []byte) (plain string, width int) {
	const size = len("%00")
	b, ok := hexNumber(text, "%", size)
	if !ok {
		return "", 0
	}
	return string([]byte{byte(b)}), size
}

// hexNumber returns the number of up to four digits in an escape of so many bytes. It returns false if there is no such
// escape.
func hexNumber(text []byte, prefix string, size int) (rune, bool) {
	if len(text) < size || !bytes.HasPrefix(text, []byte(prefix)) {
		return 0, false
	}
	var number [2]byte
	digits := text[len(prefix):size]
	_, err := hex.Decode(number[len(number)-len(digits)/2:], digits)
	return rune(binary.BigEndian.Uint16(number[:])), err == nil
}
