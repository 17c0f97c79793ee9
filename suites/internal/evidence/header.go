package evidence

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// redactedValue replaces the value of a header that is never stored.
const redactedValue = "[hidden]"

// maxBody is how many bytes of one body are stored.
const maxBody = 1 << 20

// storedHeader returns a header without the values of credentials and cookies, as valid UTF-8.
func storedHeader(header http.Header) http.Header {
	stored := make(http.Header, len(header))
	for name, values := range header {
		for _, value := range values {
			stored[asText(name)] = append(stored[asText(name)], asText(storedValue(name, value)))
		}
	}
	return stored
}

func storedValue(name, value string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info",
		"cookie", "set-cookie", "set-cookie2":
		return redactedValue
	case "www-authenticate", "proxy-authenticate":
		// The scheme of a challenge is an observation (§5.4); the rest may be a nonce or a realm.
		if scheme, _, found := strings.Cut(value, " "); found {
			return scheme + " " + redactedValue
		}
	}
	return value
}

// asText returns a text in valid UTF-8 for JSON: other bytes become escapes such as \x9b.
func asText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}
