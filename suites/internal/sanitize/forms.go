package sanitize

import (
	"encoding/base64"
	"slices"
	"strings"
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
