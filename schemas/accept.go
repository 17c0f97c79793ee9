package schemas

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// AcceptsAnswer reports whether a decoded body is certainly right by J1 to J12. It must be one strict JSON text: a
// record, or a non-empty list of records or GUIDs. Each documented member is right or null, and each UserId is the one
// asked for. Returns false when it is not sure; the full judge then decides. The caller judges the status.
//
// Nearly all answers are right, and this takes a small part of the full judge's time: it reads tokens and builds no
// values.
func (s *Shapes) AcceptsAnswer(op Operation, userID string, body []byte) bool {
	a := acceptors.Get().(*acceptor)
	defer func() {
		a.body = bytes.Buffer{}
		a.decoder.Reset(&a.body) // frees the body
		acceptors.Put(a)
	}()
	a.body = *bytes.NewBuffer(body)
	a.decoder.Reset(&a.body)
	a.record, a.userID, a.ofUser = s.Record.root, userID, s.Record.root.Properties.get("UserId")
	accepted := false
	switch isList := a.decoder.PeekKind() == '['; {
	case op == FindByUserIDs:
		accepted = isList && a.value(s.Identifiers.root, 0)
	case op == GetUserAuth && isList:
		accepted = a.array(a.record, 0)
	case op == GetUserAuth:
		accepted = a.value(a.record, 0)
	}
	if !accepted {
		return false
	}
	_, err := a.decoder.ReadToken()
	return err == io.EOF
}

// AcceptsText reports whether a string is certainly right for a documented member of an object or, if member is "", for
// an element of an array. Returns false when it is not sure; Check then decides.
func (s *Schema) AcceptsText(member, text string) bool {
	n := s.root.Items
	if member != "" {
		n = s.root.Properties.get(member)
	}
	return n != nil && n.allows("string") && n.matches([]byte(text))
}

// allows reports whether values of a type are allowed, and acceptance knows each keyword about them.
func (d *definition) allows(name string) bool { return !d.opaque && slices.Contains(d.Type, name) }

func (d *definition) matches(text []byte) bool {
	return !slices.ContainsFunc(d.formats, func(format *regexp.Regexp) bool { return !format.Match(text) })
}

// acceptor reads one answer. Its methods return false when they are not sure that the answer is right. A nil definition
// is that of an undocumented member, which may have any value (J9). The decoder is strict by RFC 8259 and RFC 7493.
type acceptor struct {
	body    bytes.Buffer
	decoder jsontext.Decoder
	record  *definition
	ofUser  *definition // the record's UserId
	userID  string
}

// acceptors are reused, because a new one allocates as much as an answer has.
var acceptors = sync.Pool{New: func() any { return new(acceptor) }}

// The bounds of what is accepted are far below those of a body (J20).
const maxAcceptedDepth, maxAcceptedDigits = 16, 32

// kindNames are the types of values, by how a value begins. A number may still have a fraction.
var kindNames = [256]string{'n': "null", 't': "boolean", 'f': "boolean", '0': "integer", '"': "string",
	'{': "object", '[': "array"}

func (a *acceptor) value(d *definition, depth int) bool {
	kind := a.decoder.PeekKind()
	switch {
	case d != nil && !d.allows(kindNames[kind]), depth > maxAcceptedDepth:
		return false
	case kind == '{':
		return a.object(d, depth)
	case kind == '[' && d == nil:
		return a.array(nil, depth)
	case kind == '[':
		return a.array(d.Items, depth)
	}
	raw, err := a.decoder.ReadValue()
	switch {
	case err != nil:
		return false
	case kind == '0':
		return len(raw) <= maxAcceptedDigits && !bytes.ContainsAny(raw, "eE") && (d == nil || isWhole(string(raw)))
	case kind == '"' && d != nil:
		text := text(raw)
		return d.matches(text) && (d != a.ofUser || strings.EqualFold(string(text), a.userID))
	}
	return true
}

// array reads an array. If it is empty and the whole answer, it is no witness (J10).
func (a *acceptor) array(element *definition, depth int) bool {
	if _, err := a.decoder.ReadToken(); err != nil {
		return false
	}
	for count := 0; ; count++ {
		if a.decoder.PeekKind() == ']' {
			_, err := a.decoder.ReadToken()
			return err == nil && (count > 0 || depth > 0)
		}
		if !a.value(element, depth+1) {
			return false
		}
	}
}

// object reads an object. A record has at least one documented member (J1).
func (a *acceptor) object(d *definition, depth int) bool {
	documented := d != a.record
	if _, err := a.decoder.ReadToken(); err != nil {
		return false
	}
	for a.decoder.PeekKind() != '}' {
		name, err := a.decoder.ReadValue()
		if err != nil {
			return false
		}
		var member *definition
		if d != nil {
			member = d.Properties.get(string(text(name)))
		}
		documented = documented || member != nil
		if !a.value(member, depth+1) {
			return false
		}
	}
	_, err := a.decoder.ReadToken()
	return err == nil && documented
}

// text decodes a string.
func text(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	decoded, _ := jsontext.AppendUnquote(nil, raw) // the decoder has checked it
	return decoded
}
