package sanitize

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// describeExcerpt returns what is shown of a hidden value: its type and its length, such as "string, 36 characters".
func describeExcerpt(e strictjson.Excerpt) string {
	part := map[string]string{"string": "character", "array": "element", "object": "member"}[e.Type]
	if part == "" {
		return e.Type
	}
	return e.Type + ", " + wording.Count(e.Length, part)
}

// describe is describeExcerpt for a text.
func describe(text string) string { return describeExcerpt(strictjson.ExcerptOf(text)) }

// names are the folded names of members that are shown if values are hidden: those of the contract and those that the
// settings name. Near misses of them are shown too.
type names map[string]bool

// hiddenName takes the place of an undocumented name of a member or a header.
const hiddenName = "undocumented"

// shown returns the name of a member, or what takes its place.
func (n names) shown(name string) string {
	if n[schemas.FoldName(name)] {
		return name
	}
	return hiddenName
}

// hide returns what is stored of a body: its JSON, in which the type and length of each value take the place of the
// value. If it is not one JSON text, that is its size. After limit bytes the result is cut off.
func (n names) hide(body []byte, limit int) (out []byte, cut bool) {
	decoder := strictjson.NewDecoder(body)
	for {
		ended := len(out) > 0 && decoder.StackDepth() == 0
		token, err := decoder.ReadToken()
		atEnd := errors.Is(err, io.EOF)
		switch {
		case err != nil && !atEnd, ended && !atEnd /* a second value */, atEnd && len(out) == 0:
			return []byte("no JSON: " + wording.Count(len(body), "byte")), false
		case len(out) > limit:
			return out[:limit], true
		case atEnd:
			return out, false
		}
		kind := token.Kind()
		if n := len(out); kind != '}' && kind != ']' && n > 0 && !strings.ContainsRune("{[:", rune(out[n-1])) {
			out = append(out, ',')
		}
		parent, count := decoder.StackIndex(decoder.StackDepth())
		switch {
		case kind == '{' || kind == '[' || kind == '}' || kind == ']':
			out = append(out, byte(kind))
		case parent == '{' && count%2 == 1: // the name of a member
			out = append(strictjson.AppendQuoted(out, n.shown(token.String())), ':')
		case kind == 'n':
			out = append(out, "null"...)
		case kind == 't' || kind == 'f':
			out = strictjson.AppendQuoted(out, "boolean")
		case kind == '0':
			out = strictjson.AppendQuoted(out, "number")
		default:
			out = strictjson.AppendQuoted(out, describe(token.String()))
		}
	}
}

// headerNames are the names of headers that are shown, in the form of net/http.
var headerNames = setOf(`Accept-Ranges Access-Control-Allow-Credentials Access-Control-Allow-Headers
	Access-Control-Allow-Methods Access-Control-Allow-Origin Access-Control-Expose-Headers Access-Control-Max-Age
	Age Allow Alt-Svc Authentication-Info Cache-Control Connection Content-Disposition Content-Encoding
	Content-Language Content-Length Content-Location Content-Range Content-Security-Policy Content-Type Date
	Deprecation Etag Expires Keep-Alive Last-Modified Link Location Permissions-Policy Pragma Proxy-Authenticate
	Proxy-Authentication-Info Ratelimit Ratelimit-Limit Ratelimit-Policy Ratelimit-Remaining Ratelimit-Reset
	Referrer-Policy Refresh Retry-After Server Server-Timing Set-Cookie Set-Cookie2 Strict-Transport-Security
	Sunset Trailer Transfer-Encoding Upgrade Vary Via Warning Www-Authenticate X-Content-Type-Options
	X-Correlation-Id X-Frame-Options X-Powered-By X-Rate-Limit-Limit X-Rate-Limit-Remaining X-Rate-Limit-Reset
	X-Ratelimit-Limit X-Ratelimit-Remaining X-Ratelimit-Reset X-Request-Id X-Xss-Protection`)

// headerValues are values that are shown in any header.
var headerValues = setOf(`true false * none bytes chunked close deny gzip identity keep-alive no-cache no-store nosniff
	private public sameorigin x-gzip`)

// schemes are the schemes of challenges that are shown (§5.4).
var schemes = setOf(`basic bearer digest dpop hoba mutual negotiate ntlm oauth`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

var (
	mediaType = regexp.MustCompile(`(?i)^(application/(json|problem\+json|xml|octet-stream)|` +
		`text/(plain|html|xml|json))( *; *charset *= *"?(utf-8|utf-16|us-ascii|iso-8859-1)"?)?$`)
	size    = regexp.MustCompile(`^[0-9]{1,8}$`)
	waiting = regexp.MustCompile(`^[0-9]{1,4}$`) // in seconds; a longer number may be that of a user
)

// headerName returns the name of a header, or what takes its place.
func headerName(name string) string {
	if headerNames[name] {
		return name
	}
	return http.CanonicalHeaderKey(hiddenName)
}

// headerValue returns the value of a header if it can't be that of a user, else its length.
func headerValue(name, value string) string {
	text := strings.TrimSpace(value)
	_, notDate := http.ParseTime(text)
	switch name {
	case "Content-Type":
		if mediaType.MatchString(text) {
			return value
		}
	case "Content-Length":
		if size.MatchString(text) {
			return value
		}
	case "Date", "Deprecation", "Expires", "Retry-After", "Sunset":
		if notDate == nil || name == "Retry-After" && waiting.MatchString(text) {
			return value
		}
	case "Www-Authenticate", "Proxy-Authenticate":
		if scheme, rest, found := strings.Cut(text, " "); schemes[strings.ToLower(scheme)] {
			if found {
				scheme += " " + describe(rest)
			}
			return scheme
		}
	}
	if text == "" || headerValues[strings.ToLower(text)] {
		return value
	}
	return describe(value)
}
