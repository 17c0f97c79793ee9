package page

import (
	"io"
	"strconv"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report/evidence"
)

// maxValues is how many values of a body are parsed.
const maxValues = 50_000

// body is a body in the form to show: a JSON value, or lines of text.
type body struct {
	value *value
	text  []line
	notes []string // what is missing from it
}

// value is a JSON value as it was written: it keeps the order, duplicate members, and the spelling of numbers and
// strings.
type value struct {
	name, raw   string // name of a member, with its quotes; text of a scalar
	open        byte   // '{' or '['; 0 for a scalar
	children    []*value
	broken      bool // it was not parsed to its end
	highlighted bool
	id          string // for an element of a list that is compared with another
}

// bodyOf prepares an answer's body for the page.
func bodyOf(k *evidence.Entry) *body {
	switch {
	case len(k.Body) > 0:
		return formatBody(k.Body, k.Cut != nil)
	case k.Empty() && k.Fault == nil:
		return &body{notes: []string{"The body is empty."}}
	}
	return &body{}
}

// formatBody parses a body. If it was cut or is too large, only the beginning is parsed.
func formatBody(content []byte, cut bool) *body {
	p := parser{strictjson.NewDecoder(content), maxValues}
	v := p.value("")
	// The beginning of a cut body proves to be JSON only if it is an object or an array.
	if v == nil || cut && v.open == 0 || !cut && !strictjson.IsJSON(content) {
		return &body{text: plainLines(string(content)), notes: []string{"The body is no JSON; it is shown as text."}}
	}
	out := &body{value: v}
	if v.broken && !cut {
		out.notes = []string{"The body is large; only its beginning was read for this page."}
	}
	return out
}

// parser builds values from a JSON text.
type parser struct {
	*strictjson.Decoder
	left int // values that may still be read
}

// value parses the next value. It returns nil if there is none.
func (p *parser) value(name string) *value {
	if p.left--; p.left < 0 {
		return nil
	}
	open := p.PeekKind()
	if open != '{' && open != '[' {
		raw, err := p.ReadValue()
		if err != nil {
			return nil
		}
		return &value{name: name, raw: string(raw)}
	}
	v := &value{name: name, open: byte(open)}
	_, err := p.ReadToken()
	for err == nil && p.PeekKind() != '}' && p.PeekKind() != ']' {
		var member strictjson.Raw
		if open == '{' {
			if member, err = p.ReadValue(); err != nil {
				break
			}
		}
		child := p.value(string(member))
		if child == nil {
			err = io.ErrUnexpectedEOF
			break
		}
		v.children = append(v.children, child)
		if child.broken {
			err = io.ErrUnexpectedEOF
		}
	}
	if err == nil {
		_, err = p.ReadToken()
	}
	v.broken = err != nil
	return v
}

// highlight marks the value that a JSON Pointer names, or the innermost existing one around it. The pointer "" marks
// nothing: highlighting the whole body would not help.
func (b *body) highlight(pointer string) {
	if tokens, err := strictjson.Tokens(pointer); b.value != nil && err == nil && len(tokens) > 0 {
		b.value.lookup(tokens).highlighted = true
	}
}

// lookup returns the value that the reference tokens of a JSON Pointer name (RFC 6901, section 4), or the last existing
// one on the way. If a member is duplicated, the last one counts.
func (v *value) lookup(tokens []string) *value {
	for _, token := range tokens {
		next := v.child(token)
		if next == nil {
			return v
		}
		v = next
	}
	return v
}

func (v *value) child(token string) *value {
	for i := len(v.children) - 1; i >= 0; i-- {
		if c := v.children[i]; v.open == '{' && c.key() == token || v.open == '[' && strconv.Itoa(i) == token {
			return c
		}
	}
	return nil
}

// key returns the unquoted name of a member.
func (v *value) key() string { return strictjson.Unquoted(v.name) }
