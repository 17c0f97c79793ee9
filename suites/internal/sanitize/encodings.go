package sanitize

import (
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/judge/strictjson"
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
	'\\': func(text []byte) []byte {
		return jsonEscapes.ReplaceAllFunc(text, func(escapes []byte) []byte {
			return []byte(strictjson.Unquoted(`"` + string(escapes) + `"`))
		})
	},
	'%': func(text []byte) []byte {
		return percentEscapes.ReplaceAllFunc(text, func(escapes []byte) []byte {
			plain, _ := url.PathUnescape(string(escapes)) // they are valid
			return []byte(plain)
		})
	},
	'&': func(text []byte) []byte { return []byte(html.UnescapeString(string(text))) },
}

// Escapes of JSON (RFC 8259 section 7) and of a URL (RFC 3986 section 2.1), as many as follow each other: a surrogate
// pair is two.
var (
	jsonEscapes    = regexp.MustCompile(`(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+`)
	percentEscapes = regexp.MustCompile(`(?:%[0-9a-fA-F]{2})+`)
)
