package sanitize

import (
	"errors"
	"io"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// isName reports whether the token that was read last is the name of a member.
func isName(decoder *strictjson.Decoder) bool {
	parent, count := decoder.StackIndex(decoder.StackDepth())
	return parent == '{' && count%2 == 1
}

// hide returns what is stored of a body: its JSON, in which the type and length of each value take the place of the
// value. If it is not one JSON text, that is its size. After limit bytes the result is cut off.
func (n names) hide(body []byte, limit int) (hidden []byte, cut bool) {
	out, complete, isJSON := n.hideJSON(body, limit)
	if !isJSON {
		return []byte("no JSON: " + wording.Count(len(body), "byte")), false
	}
	return out, !complete
}

func (n names) hideJSON(body []byte, limit int) (out []byte, complete, isJSON bool) {
	decoder := strictjson.NewDecoder(body)
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

// separate appends a comma if a value or a name follows another value.
func separate(out []byte) []byte {
	if n := len(out); n > 0 && out[n-1] != '{' && out[n-1] != '[' && out[n-1] != ':' {
		return append(out, ',')
	}
	return out
}
