package evidence

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// hidden replaces the value of a header that is never stored.
const hidden = "[hidden]"

// mostBody is how many bytes of one body are stored.
const mostBody = 1 << 20

// keptHeader returns a header without the values of credentials and cookies, as valid UTF-8.
func keptHeader(header http.Header) http.Header {
	kept := make(http.Header, len(header))
	for name, values := range header {
		for _, value := range values {
			kept[asText(name)] = append(kept[asText(name)], asText(keptValue(name, value)))
		}
	}
	return kept
}

func keptValue(name, value string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info",
		"cookie", "set-cookie", "set-cookie2":
		return hidden
	case "www-authenticate", "proxy-authenticate":
		// The scheme of a challenge is an observation (§5.4); the rest may be a nonce or a realm.
		if scheme, _, found := strings.Cut(value, " "); found {
			return scheme + " " + hidden
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
