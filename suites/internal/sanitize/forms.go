package sanitize

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// minValue is the least number of characters in a secret that is searched for. A shorter text occurs by chance.
const minValue = 8

// searchTexts returns the texts to search for one secret.
func searchTexts(value string) []string {
	value = strings.TrimSpace(value)
	all := []string{}
	if scheme, credentials, ok := authorization(value); ok {
		value = credentials
		if scheme == "basic" {
			value = strings.TrimRight(credentials, "=")
			all = append(all, unescapedForms(password(value))...)
		}
	}
	return append(all, unescapedForms(value)...)
}

// unescapedForms returns a value and its unescaped forms. They are found too if the value's own escapes get mixed with
// those of an encoding.
func unescapedForms(value string) []string {
	if utf8.RuneCountInString(value) < minValue {
		return nil
	}
	all := []string{value}
	for range deepestEscapes {
		plain, _, _ := unescape([]byte(value), nil, nil)
		value = strings.TrimSpace(string(plain))
		if utf8.RuneCountInString(value) < minValue || slices.Contains(all, value) {
			break
		}
		all = append(all, value)
	}
	return all
}

// authorization splits the value of an Authorization header into the scheme in lower case and the credentials. ok is
// false if it is not one.
func authorization(value string) (scheme, credentials string, ok bool) {
	scheme, credentials, _ = strings.Cut(value, " ")
	scheme, credentials = strings.ToLower(scheme), strings.TrimSpace(credentials)
	registered := []string{"basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate",
		"oauth", "privatetoken", "scram-sha-1", "scram-sha-256", "vapid"}
	inUse := []string{"apikey", "hmac", "ntlm", "token"}
	known := slices.Contains(registered, scheme) || slices.Contains(inUse, scheme)
	return scheme, credentials, known && credentials != ""
}

// password returns the password of Basic credentials (RFC 7617) without padding, as far as they can be decoded.
func password(credentials string) string {
	pair, _ := base64.RawStdEncoding.DecodeString(credentials)
	_, secret, _ := strings.Cut(string(pair), ":")
	return secret
}
