package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Says returns what the service itself says in a refusal, as an error of its own: the challenge of WWW-Authenticate,
// Retry-After, and of the body what says most. It is "" if there is none of them.
func (e *Exchange) Says() Sent {
	var parts []string
	for _, challenge := range e.Header.Values("WWW-Authenticate") {
		parts = append(parts, challengeIn(challenge))
	}
	if after := e.Header.Get("Retry-After"); after != "" {
		parts = append(parts, "Retry-After: "+after)
	}
	parts = slices.Compact(append(parts, e.bodySays()))
	return Sent(strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; "))
}

// windowsAuthentication says why a request without a login of Windows is refused (RFC 4559, [MS-NTHT]).
const windowsAuthentication = "it asks for Windows authentication (Negotiate, NTLM), which this suite does not speak"

// parameter matches a parameter of a challenge with its value (RFC 9110, section 11.2).
var parameter = regexp.MustCompile("([-!#$%&'*+.^_`|~0-9A-Za-z]+)\\s*=\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|[^\\s,\"]*)")

// ChallengeErrors returns the values of the parameters error and error_description of a challenge (RFC 6750, section
// 3), "" if it has none. All else of a challenge may be a secret.
func ChallengeErrors(challenge string) (code, description string) {
	for _, found := range parameter.FindAllStringSubmatch(challenge[:min(len(challenge), maxOfLine)], -1) {
		value := found[2]
		if text, quoted := strings.CutPrefix(value, `"`); quoted {
			value = strings.ReplaceAll(strings.TrimSuffix(text, `"`), `\`, "")
		}
		switch strings.ToLower(found[1]) {
		case "error":
			code = value
		case "error_description":
			description = value
		}
	}
	return code, description
}

// challengeIn returns what a challenge says (RFC 6750, section 3): its error and the description; of one without, the
// scheme.
func challengeIn(challenge string) string {
	if IsOfWindows(challenge) {
		return windowsAuthentication
	}
	if text := join(ChallengeErrors(challenge)); text != "" {
		return text
	}
	scheme, _, _ := strings.Cut(strings.TrimSpace(challenge), " ")
	return "WWW-Authenticate: " + scheme
}

// IsOfWindows reports whether a challenge asks for Windows authentication.
func IsOfWindows(challenge string) bool {
	scheme, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(challenge)), " ")
	return scheme == "negotiate" || scheme == "ntlm"
}

// bodySays returns the title and the detail of a problem (RFC 9457), the title or heading of a page, or the first line
// that is not blank.
func (e *Exchange) bodySays() string {
	if w := e.Unkept(); w != nil {
		return "a body " + w.String()
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(e.Body, []byte("\ufeff")))
	if strictjson.IsPage(text) {
		if title := strictjson.Title(text); title != "" {
			return title
		}
	}
	var problem struct{ Title, Detail, Message string }
	if len(text) <= maxOfLine && json.Unmarshal(text, &problem) == nil {
		if said := join(cmp.Or(problem.Title, problem.Message), problem.Detail); said != "" {
			return said
		}
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimSpace(line[:min(len(line), maxOfLine)]))
}

// Cookies returns the names of the cookies that an answer sets: "AMLB" or "AMLB and JSESSIONID"; "" if it sets none.
func (e *Exchange) Cookies() string {
	var names []string
	for _, value := range e.Header.Values("Set-Cookie") {
		name := CookieName(value)
		if name != "" && !slices.Contains(names, name) && len(names) < maxCookies {
			names = append(names, name)
		}
	}
	return wording.List(names)
}

// CookieName returns the name of the cookie that a Set-Cookie header sets; "" if it has other signs than those of real
// ones, such as % (RFC 6265, section 4.1.1, allows more).
func CookieName(header string) string {
	name, _, _ := strings.Cut(header, "=")
	if !cookieName.MatchString(name) {
		return ""
	}
	return name
}

var cookieName = regexp.MustCompile("^[-._0-9A-Za-z]{1,60}$")

// maxCookies is how many cookies are named.
const maxCookies = 3

// join joins a short text and a longer one, of which either may be "".
func join(short, long string) string {
	if short == "" || long == "" {
		return short + long
	}
	return short + ": " + long
}

// maxOfLine is how many bytes of a line are read for a message.
const maxOfLine = 64 << 10

// Summary describes the answer to a refused request for an error: the status and what the service says,
// where it redirects to, or why there is none.
func Summary(ex *Exchange) error {
	if ex.Fault != nil {
		return ex.Fault
	}
	err := errors.New(strings.TrimSpace(fmt.Sprintf("%03d %s", ex.Status, http.StatusText(ex.Status))))
	if location := ex.Header.Get("Location"); location != "" {
		err = fmt.Errorf("%w, a redirect to %w (redirects are not followed)", err, Sent(location))
	}
	if ex.Success() && strictjson.IsPage(bytes.TrimSpace(ex.Body)) {
		err = fmt.Errorf("%w and an HTML page", err)
	}
	if said := strings.TrimRight(string(ex.Says()), "."); said != "" {
		err = fmt.Errorf("%w: %w", err, Sent(said))
	}
	return err
}
