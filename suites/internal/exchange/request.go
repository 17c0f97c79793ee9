package exchange

import (
	"bytes"
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

// Placeholders stand for the tokens wherever a request is shown: no secret is ever part of what is printed or kept (J21).
func Placeholders() Tokens {
	return Tokens{Real: "$AUTHN_ACCESS_TOKEN", Random: "$UNKNOWN_TOKEN", Changed: "$CHANGED_TOKEN"}
}

// Method is the HTTP method: POST in each operation (§4).
func (p Probe) Method() string {
	if p.Alteration == WrongMethod {
		return http.MethodGet
	}
	return http.MethodPost
}

// Path is where the request goes, below the version's base URL.
func (p Probe) Path() string { return schemas.Path(schemas.Version(p.Segment), p.Operation) }

// ContentType is the request's media type.
func (p Probe) ContentType() string {
	if p.Alteration == ContentType {
		return "text/plain"
	}
	return "application/json"
}

// Body is the request's body (§4.1, §4.2) with the tokens given; fields are the operation's request fields in the
// document's order. A GET has none.
func (p Probe) Body(fields []string, tokens Tokens, application string) []byte {
	switch p.Alteration {
	case WrongMethod, EmptyBody:
		return nil
	case NotJSON:
		return []byte("This body is no JSON.")
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, field := range fields {
		value := p.value(field, tokens, application)
		if value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(text(field))
		b.WriteByte(':')
		b.Write(value)
	}
	if p.Alteration == ExtraMember {
		b.WriteString(`,"UndocumentedMember":"sent to see whether it is ignored"`)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// value is the JSON text of a request field; nil leaves the field out.
func (p Probe) value(field string, tokens Tokens, application string) []byte {
	if p.Field == field {
		switch p.Alteration {
		case Absent:
			return nil
		case Null:
			return []byte("null")
		case WrongType:
			return []byte("12345")
		case EmptyToken:
			return []byte(`""`)
		case RandomToken:
			return text(tokens.Random)
		case ChangedToken:
			return text(tokens.Changed)
		}
	}
	switch field {
	case "Id":
		return text(p.User.ID)
	case "UserId":
		return text(p.User.UserID)
	case AccessToken:
		return text(tokens.Real)
	default:
		if p.Alteration == UnknownApplication {
			return text("application-unknown-to-the-target")
		}
		return text(application)
	}
}

// text is a string as JSON, without the HTML escapes that would make a request harder to read.
func text(s string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always has a JSON form, so Encode cannot fail here.
	_ = enc.Encode(s)
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
