package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// leastValue is how many characters a value has at least that is looked for: a shorter one stands anywhere by chance.
const leastValue = 8

// forms gives the texts that are to be searched for one secret.
func forms(value string) []string {
	value = strings.TrimSpace(value)
	all := []string{}
	if scheme, credentials, ok := authorization(value); ok {
		value = credentials
		if scheme == "basic" {
			value = strings.TrimRight(credentials, "=")
			all = append(all, plainForms(password(value))...)
		}
	}
	return append(all, plainForms(value)...)
}

// plainForms gives a value and what it becomes where it is taken for an escaped text: a text in which its escapes are
// mixed with those of an encoding reads like that.
func plainForms(value string) []string {
	if utf8.RuneCountInString(value) < leastValue {
		return nil
	}
	all := []string{value}
	for range deepestEscapes {
		plain, _, changed := unescape([]byte(value), nil, nil)
		if value = strings.TrimSpace(string(plain)); !changed || utf8.RuneCountInString(value) < leastValue ||
			slices.Contains(all, value) {
			break
		}
		all = append(all, value)
	}
	return all
}

// authorization takes the value of an Authorization header apart, where it is one: the scheme in lower case, and what
// follows it.
func authorization(value string) (scheme, credentials string, ok bool) {
	scheme, credentials, _ = strings.Cut(value, " ")
	scheme, credentials = strings.ToLower(scheme), strings.TrimSpace(credentials)
	return scheme, credentials, credentials != "" && slices.Contains(schemes(), scheme)
}

// schemes are the names registered for HTTP authentication, and those that are in use besides.
func schemes() []string {
	return []string{
		"basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "oauth", "privatetoken",
		"scram-sha-1", "scram-sha-256", "vapid",
		"apikey", "hmac", "ntlm", "token",
	}
}

// password gives the password of Basic credentials (RFC 7617) without padding, or "" where they are none.
func password(credentials string) string {
	pair, err := base64.RawStdEncoding.DecodeString(credentials)
	if err != nil {
		return ""
	}
	_, secret, _ := strings.Cut(string(pair), ":")
	return secret
}
