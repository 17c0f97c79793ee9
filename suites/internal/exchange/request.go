package exchange

import (
	"encoding/json"
	"net/http"
	"strings"

	"authenticator-conformance/schemas"
)

// Tokens are the values that stand for the administrator's token in a request.
type Tokens struct {
	Real    string
	Random  string // as long as the real one, and unknown to the target
	Changed string // the real one but for a character in its middle
}

// UnknownToken stands for the random token where none was drawn yet, as in a plan.
const UnknownToken = "$UNKNOWN_TOKEN"

// Shown are the tokens as a request is shown: placeholders, as no secret is ever part of what is printed or kept (J21),
// and the random one as it is.
func Shown(random string) Tokens {
	return Tokens{Real: "$AUTHN_ACCESS_TOKEN", Random: random, Changed: "$CHANGED_TOKEN"}
}

// Method is the HTTP method: POST in each operation (§4).
func (p Probe) Method() string {
	if p.Kind == WrongMethod {
		return http.MethodGet
	}
	return http.MethodPost
}

// Path is where the request goes, below the version's base URL.
func (p Probe) Path() string { return schemas.Path(schemas.Version(p.Segment), p.Operation) }

// ContentType is the request's media type.
func (p Probe) ContentType() string {
	if p.Kind == ContentType {
		return "text/plain"
	}
	return "application/json"
}

// Body is the request's body (§4.1, §4.2) with the tokens given; request is the operation's schema, which
// has the fields in the document's order. A GET has none.
func (p Probe) Body(request *schemas.Schema, tokens Tokens, application string) []byte {
	switch p.Kind {
	case WrongMethod, EmptyBody:
		return nil
	case NotJSON:
		return []byte("This body is no JSON.")
	}
	body := append(make([]byte, 0, 256), '{') // room enough for nearly every request
	for _, field := range request.Members() {
		if p.Field == field && p.Kind == Absent {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = p.appendValue(append(appendText(body, field), ':'), field, request.Default(field), tokens, application)
	}
	if p.Kind == ExtraMember {
		body = append(body, `,"UndocumentedMember":"sent to see whether it is ignored"`...)
	}
	return append(body, '}')
}

// appendValue adds the JSON text of a request field; other is for a field that neither user nor settings have a value
// of.
func (p Probe) appendValue(to []byte, field, other string, tokens Tokens, application string) []byte {
	if p.Field == field {
		switch p.Kind {
		case Null:
			return append(to, "null"...)
		case WrongType:
			return append(to, "12345"...)
		case EmptyToken:
			return append(to, `""`...)
		case RandomToken:
			return appendText(to, tokens.Random)
		case ChangedToken:
			return appendText(to, tokens.Changed)
		}
	}
	switch field {
	case "Id":
		return appendText(to, p.User.ID)
	case "UserId":
		return appendText(to, p.User.UserID)
	case AccessToken:
		return appendText(to, tokens.Real)
	case "ApplicationId":
		if p.Kind == UnknownApplication {
			return appendText(to, "application-unknown-to-the-target")
		}
		return appendText(to, application)
	}
	return appendText(to, other)
}

// appendText adds a string as JSON, without the HTML escapes that would make a request harder to read.
func appendText(to []byte, s string) []byte {
	if plain(s) {
		return append(append(append(to, '"'), s...), '"')
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always has a JSON form, so Encode cannot fail here.
	_ = enc.Encode(s)
	return append(to, strings.TrimSuffix(b.String(), "\n")...)
}

// plain tells whether a string stands in JSON as it is: nearly all do, and a sweep writes millions of them.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
