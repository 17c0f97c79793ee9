package sanitize

import (
	"net/http"
	"regexp"
	"strings"
)

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
