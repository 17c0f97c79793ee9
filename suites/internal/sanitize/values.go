package sanitize

import (
	"errors"
	"io"

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

// isName reports whether the token that was read last is the name of a member.
func isName(decoder *strictjson.Decoder) bool {
	parent, count := decoder.StackIndex(decoder.StackDepth())
	return parent == '{' && count%2 == 1
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
