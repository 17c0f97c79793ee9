package sanitize

import (
	"encoding/json"
	"errors"
	"io"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// isName reports whether the token that was read last is the name of a member.
func isName(decoder *strictjson.Decoder) bool {
	parent, count := decoder.StackIndex(decoder.StackDepth())
	return parent == '{' && count%2 == 1
}

// Body returns what is stored of a body: its JSON, in which a text about each value takes the place of the value. If it
// is not one JSON text, that is a text about the whole. The scope is that of a user, without a member. After limit
// bytes the result is cut off.
func (v *Values) Body(body []byte, id, userID string, limit int) (hidden []byte, cut bool) {
	out, complete, isJSON := v.values(body, id, userID, limit)
	if !isJSON {
		return []byte("no JSON: " + v.Bytes(len(body), strictjson.SumOfText(body))), false
	}
	return out, !complete
}

func (v *Values) values(body []byte, id, userID string, limit int) (out []byte, complete, isJSON bool) {
	decoder := strictjson.NewDecoder(body)
	name := ""
	for {
		ended := len(out) > 0 && decoder.StackDepth() == 0
		token, err := decoder.ReadToken()
		atEnd := errors.Is(err, io.EOF)
		switch {
		case err != nil && !atEnd, ended && !atEnd: // a second value
			return nil, false, false
		case len(out) > limit:
			return out[:limit], false, true
		case atEnd:
			return out, true, len(out) > 0
		}
		kind := token.Kind()
		if kind != '}' && kind != ']' {
			out = separate(out)
		}
		switch {
		case kind == '{' || kind == '[' || kind == '}' || kind == ']':
			out = append(out, byte(kind))
		case isName(decoder):
			name = token.String()
			out = append(strictjson.AppendQuoted(out, v.Name(name)), ':')
		default:
			out = append(out, v.scalar(token, Scope(id, userID, name))...)
		}
	}
}

// separate appends a comma if a value or a name follows another value.
func separate(out []byte) []byte {
	if n := len(out); n > 0 && out[n-1] != '{' && out[n-1] != '[' && out[n-1] != ':' {
		return append(out, ',')
	}
	return out
}

// scalar returns the text that takes the place of a scalar, as JSON.
func (v *Values) scalar(token strictjson.Token, scope string) []byte {
	var value any
	switch token.Kind() {
	case 'n':
		return []byte("null")
	case 't', 'f':
		value = token.Bool()
	case '0':
		value = json.Number(token.String())
	default:
		value = token.String()
	}
	return strictjson.AppendQuoted(nil, v.Text(strictjson.ExcerptOf(value), scope))
}
