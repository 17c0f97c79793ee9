package exchange

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Tokens are the values that can be sent as the administrator's token.
type Tokens struct {
	Real    string
	Random  string // as long as the real one, but unknown to the target
	Changed string // the real one with a character in its middle changed
}

// BadTokens returns the tokens that a target must refuse (J13). Random is as many letters as the real one has
// characters. Changed is the real one with one character changed into another of its kind, so that it keeps its form: a
// GUID stays one. It is the one in the middle or, as that of three parts or more may be text that can be read, such as
// the claims of a JSON Web Token (RFC 7519), in the middle of the last part, the signature. Both are other tokens also
// if case makes no difference.
func BadTokens(real string) Tokens {
	t := Tokens{Real: real}
	runes := []rune(real)
	random := make([]byte, len(runes))
	_, _ = rand.Read(random) // it never fails
	for i, b := range random {
		random[i] = "abcdefghijklmnopqrstuvwxyzABCDEF"[b%32]
	}
	if t.Random = string(random); real != "" && strings.EqualFold(t.Random, real) {
		t.Random = string(another(rune(random[0]))) + t.Random[1:]
	}
	if real != "" {
		at := middleOf(real)
		runes[at] = another(runes[at])
	}
	t.Changed = string(runes)
	return t
}

// middleOf returns where the changed token differs, in characters: at the first letter or digit from the middle on.
func middleOf(token string) (at int) {
	characters, last := []rune(token), token
	if parts := strings.Split(token, "."); len(parts) > 2 && parts[len(parts)-1] != "" {
		last = parts[len(parts)-1]
	}
	size := utf8.RuneCountInString(last)
	for at = len(characters) - size + size/2; at+1 < len(characters) && kindOf(characters[at]) == ""; at++ {
	}
	return at
}

// kindOf returns two characters of the kind of a letter or digit of ASCII, which are hexadecimal digits as well; "" for
// any other.
func kindOf(r rune) string {
	switch {
	case '0' <= r && r <= '9':
		return "01"
	case 'a' <= r && r <= 'z':
		return "ab"
	case 'A' <= r && r <= 'Z':
		return "AB"
	}
	return ""
}

// another returns another character of the same kind, also if case makes no difference.
func another(r rune) rune {
	kind := cmp.Or(kindOf(r), "ab")
	if rune(kind[0]) == r {
		return rune(kind[1])
	}
	return rune(kind[0])
}

// UnknownToken is shown for the random token if none was drawn yet, as in a plan.
const UnknownToken = "$UNKNOWN_TOKEN"

// Shown returns the tokens that are shown in a request. They are placeholders for the secrets, as no secret may be
// printed or kept (J21), and the random token itself.
func Shown(random string) Tokens {
	return Tokens{Real: "$AUTHN_ACCESS_TOKEN", Random: random, Changed: "$CHANGED_TOKEN"}
}

// Method returns the HTTP method: POST in each operation (§4).
func (p Probe) Method() string {
	if p.Kind == WrongMethod {
		return http.MethodGet
	}
	return http.MethodPost
}

// Path returns the request's path below the version's base URL.
func (p Probe) Path() string { return schemas.Path(schemas.Version(p.Segment), p.Operation) }

// ContentType returns the request's media type.
func (p Probe) ContentType() string {
	if p.Kind == ContentType {
		return "text/plain"
	}
	return "application/json"
}

// Body returns the request's body (§4.1, §4.2) with the tokens given. Request is the operation's schema; it defines
// the order of the fields. A GET has no body.
func (p Probe) Body(request *schemas.Schema, tokens Tokens, application string) []byte {
	switch p.Kind {
	case WrongMethod, EmptyBody:
		return nil
	case NotJSON:
		return []byte("This body is no JSON.")
	}
	body := append(make([]byte, 0, 256), '{') // large enough for nearly every request
	for _, field := range request.Members() {
		if p.Field == field && p.Kind == Absent {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = p.appendValue(append(strictjson.AppendQuoted(body, field), ':'), field, request.Default(field), tokens,
			application)
	}
	if p.Kind == ExtraMember {
		body = append(body, `,"UndocumentedMember":"sent to see whether it is ignored"`...)
	}
	if body = append(body, '}'); p.Control {
		body = append(body, p.padding()...)
	}
	return body
}

// padding returns white space whose length is the control's number. A cache in front, which may have the answer to the
// same bytes, would say "yes" in the place of a target that is gone (J23).
func (p Probe) padding() string {
	number, _ := strconv.Atoi(strings.TrimLeft(p.ID, "ce"))
	return strings.Repeat(" ", 1+number%maxPadding)
}

// maxPadding is more than a run has requests from its first control to its last.
const maxPadding = 256

// appendValue appends the JSON value of a request field. Other is the value for a field that neither user nor settings
// define.
func (p Probe) appendValue(to []byte, field, other string, tokens Tokens, application string) []byte {
	text := other
	switch field {
	case "Id":
		text = p.User.ID
	case "UserId":
		text = p.User.UserID
	case AccessToken:
		text = tokens.Real
	case "ApplicationId":
		if text = application; p.Kind == UnknownApplication {
			text = "application-unknown-to-the-target"
		}
	}
	if p.Field == field {
		switch p.Kind {
		case Null:
			return append(to, "null"...)
		case WrongType:
			return append(to, "12345"...)
		case EmptyToken:
			text = ""
		case RandomToken:
			text = tokens.Random
		case ChangedToken:
			text = tokens.Changed
		}
	}
	return strictjson.AppendQuoted(to, text)
}
