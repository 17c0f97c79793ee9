package evidence

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/exchange"
)

// hidden stands for the value of a header that is not kept, whatever it is.
const hidden = "[hidden]"

// mostBody is how much of one body is kept, in bytes.
const mostBody = 1 << 20

func cutOf(body []byte) *exchange.Cut {
	return &exchange.Cut{Size: len(body), Digest: exchange.DigestOf(body)}
}

// keptHeader is a header without the values that carry credentials or cookies, as JSON can hold it.
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
		// A challenge names its scheme, which is observed (§5.4); what follows may be a nonce or a realm.
		if scheme, _, found := strings.Cut(value, " "); found {
			return scheme + " " + hidden
		}
	}
	return value
}

// asText is a header's text as JSON can hold it: bytes that are no UTF-8 become escapes.
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
