package settings

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/settings/input"
)

// setToken takes the token from a variable or a field. No error shows any part of it.
func (r *resolver) setToken(t *Target, g *rawValue) error {
	if g.priority == fromEnvironment {
		t.TokenVariable = g.location
	}
	g.shown = "set"
	return r.useToken(t, g, g.text)
}

// setTokenFile reads the token from its file. A plan needs no token. A pipe is not read again, as it can block.
func (r *resolver) setTokenFile(t *Target, g *rawValue) error {
	pipe := input.IsPipe(g.path())
	if pipe && r.in.command == Plan {
		return nil
	}
	data, err := r.content(g.path())
	switch {
	case r.in.command == Plan && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		// The error leaves out the file name: it may be the token itself, given in the wrong setting.
		return fmt.Errorf("the file that it names %w", err)
	case pipe:
		r.caution("%s: names a pipe, which is read once: name a file if the token is renewed during the run",
			g.location)
	default:
		t.TokenFile = g.path()
	}
	return r.useToken(t, g, withoutLineBreak(string(data)))
}

func (r *resolver) useToken(t *Target, g *rawValue, token string) error {
	t.AccessToken, t.tokenFrom = token, g.location
	r.secret(token)
	return tokenForm.fault(token)
}

// withoutLineBreak removes one final line break: editors and shells end a file with one.
func withoutLineBreak(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// tokenForm is that of a token.
var tokenForm = form{subject: "the token", isCredential: true, isVisible: true}

// form is how a secret or an application id is written.
type form struct {
	subject   string // for errors, such as "the token"
	isVisible bool   // inside it, too, has no invisible characters, and no white space but spaces
	scheme    string // what it may begin with, such as "Bearer "; "" if nothing
	// isCredential is true for a token and an application id. The value of a header may be any word or text.
	isCredential bool
}

const bearer = "Bearer "

// otherScheme is the start of a header with another scheme of authentication.
var otherScheme = regexp.MustCompile(`^(?i:basic|digest|dpop|negotiate|ntlm|token|apikey) `)

// maxSecret is the most bytes of a secret. No server takes a header with more.
const maxSecret = 64 << 10

// fault returns what is wrong with a value, mostly what was copied with it. It shows no part of the value.
func (f form) fault(value string) error {
	wrong := func(format string, values ...any) error {
		return fmt.Errorf(f.subject+" "+format, values...)
	}
	switch {
	case strings.TrimSpace(value) == "":
		return wrong("is empty: expected it alone, on one line")
	case len(value) > maxSecret:
		return wrong("is longer than 64 KiB: expected it alone, on one line")
	case !utf8.ValidString(value):
		return wrong("is not valid UTF-8: give it in UTF-8")
	case f.isCredential && copiedText(value) != "":
		return wrong("%s", copiedText(value))
	case strings.ContainsFunc(value, unicode.IsControl):
		return wrong("contains a control character or line break: expected it alone, on one line")
	case isUnfilled(value), f.isCredential && noValue.MatchString(value):
		return wrong("%w", errUnfilled)
	case value[0] == '{':
		return wrong("begins with {, as a JSON object does: give the value of its member alone")
	case len(value) > len(bearer) && strings.EqualFold(value[:len(bearer)], bearer) && f.scheme != bearer:
		return wrong("begins with %q: give what follows it", bearer)
	case f.isVisible && otherScheme.MatchString(value):
		return wrong("begins with %q, as a header does: give a token alone", otherScheme.FindString(value))
	}
	for at, r := range value {
		where := "contains"
		switch {
		case at == 0:
			where = "begins with"
		case at+utf8.RuneLen(r) == len(value):
			where = "ends with"
		case !f.isVisible || r == ' ':
			continue
		}
		switch {
		case unicode.IsSpace(r):
			return wrong("%s white space: remove it", where)
		case where != "contains" && strings.ContainsRune("\"'`´‘’‚‛“”„‟«»‹›", r):
			return wrong("%s a quotation mark: give the value alone, without quotation marks", where)
		case !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r):
			return wrong("%s an invisible character (U+%04X): remove it", where, r)
		}
	}
	return nil
}

// TokenEnd returns when a token ends: the exp of a JSON Web Token (RFC 7519), which is not verified.
func TokenEnd(token string) (end time.Time, known bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return end, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Exp *float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil || claims.Exp == nil || math.Abs(*claims.Exp) > 1<<40 {
		return end, false
	}
	return time.Unix(int64(*claims.Exp), 0), true
}

// checkTokenEnds adds an error for each token that has ended. A plan sends none.
func (r *resolver) checkTokenEnds() {
	if r.in.command == Plan {
		return
	}
	for _, v := range r.settings.Versions {
		t := r.settings.Targets[v]
		if end, known := TokenEnd(t.AccessToken); known && !end.After(r.now) {
			r.fail("%s: the token ended at %s, as its exp says (RFC 7519): get a new one", t.tokenFrom,
				end.UTC().Format(time.RFC3339))
		}
	}
}

// ReadToken reads the token's file again, as it may have been renewed. It returns false if there is no file, or no
// valid token in it.
func (t *Target) ReadToken() (string, bool) {
	if t.TokenFile == "" {
		return "", false
	}
	content, err := input.ReadFile(t.TokenFile)
	token := withoutLineBreak(string(content))
	return token, err == nil && tokenForm.fault(token) == nil
}
