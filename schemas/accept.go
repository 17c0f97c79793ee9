package schemas

import (
	"bytes"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on an answer that is accepted. They are far below those of J20, because larger answers are rare.
const (
	maxAcceptedBytes = 1 << 20
	maxAcceptedDepth = 16
)

// AcceptsAnswer reports whether a decoded body is certainly right by J1 to J12. It must be one strict JSON text: a
// record, or a non-empty list of records or GUIDs. Each documented member is right or null, and each UserId is the one
// asked for. Returns false when it is not sure; the full judge then decides. The caller judges the status.
//
// Nearly all answers are right, and this takes a fiftieth of the full judge's time.
func (s *Shapes) AcceptsAnswer(op Operation, userID string, body []byte) bool {
	if len(body) > maxAcceptedBytes || s.userIDNode == nil {
		return false
	}
	a := acceptors.Get().(*acceptor)
	defer acceptors.Put(a)
	a.reader = *bytes.NewBuffer(body)
	a.decoder.Reset(&a.reader)
	a.record, a.userIDNode, a.userID = s.Record.root, s.userIDNode, userID
	kind, accepted := a.next(), false
	switch {
	case op == FindByUserIDs:
		accepted = a.value(s.Identifiers.root, kind, 0)
	case op == GetUserAuth && kind == '[':
		accepted = a.array(a.record, 0)
	case op == GetUserAuth:
		accepted = a.value(a.record, kind, 0)
	}
	return accepted && len(bytes.TrimLeft(body[a.decoder.InputOffset():], " \t\r\n")) == 0
}

// AcceptsText reports whether a string is certainly right for a documented member of an object or, if member is "", for
// an element of an array. Returns false when it is not sure; Check then decides.
func (s *Schema) AcceptsText(member, text string) bool {
	n := s.root.Items
	if member != "" {
		n = s.root.Properties.get(member)
	}
	return n != nil && n.kinds&bitOf('"') != 0 && matchesFormats(n, text)
}

func matchesFormats[T string | []byte](n *definition, text T) bool {
	for _, format := range n.formats {
		if !matches(format, text) {
			return false
		}
	}
	return true
}

// acceptor reads one answer. Its methods return false when they are not sure that the answer is right. A nil node means
// an undocumented member, which may have any value (J9).
type acceptor struct {
	decoder jsontext.Decoder
	reader  bytes.Buffer
	raw     []byte // the last name, string or number as it was written, or another literal
	scratch []byte // the last string that had escapes

	record, userIDNode *definition // the record, and its UserId
	userID             string
}

// acceptors are reused, so that an answer allocates no memory.
var acceptors = sync.Pool{New: func() any { return new(acceptor) }}

// next reads a token. The decoder is strict by RFC 8259 and RFC 7493, so it refuses what J1 refuses.
func (a *acceptor) next() (kind jsontext.Kind) {
	var err error
	switch kind = a.decoder.PeekKind(); kind {
	case '{', '}', '[', ']':
		_, err = a.decoder.ReadToken()
	default:
		a.raw, err = a.decoder.ReadValue()
	}
	if err != nil {
		return jsontext.KindInvalid
	}
	return kind
}

// text returns the last token as a string. The result is valid until the next call.
func (a *acceptor) text() []byte {
	if bytes.IndexByte(a.raw, '\\') < 0 {
		return a.raw[1 : len(a.raw)-1]
	}
	a.scratch, _ = jsontext.AppendUnquote(a.scratch[:0], a.raw)
	return a.scratch
}

// value reads the rest of a value. Kind is that of its first token.
func (a *acceptor) value(n *definition, kind jsontext.Kind, depth int) bool {
	switch {
	case n != nil && n.kinds&bitOf(kind) == 0, depth > maxAcceptedDepth:
		return false
	case kind == '{':
		return a.object(n, depth)
	case kind == '[':
		return a.array(n.element(), depth)
	case kind == '0':
		return isPlain(string(a.raw)) && (n == nil || isPlainInteger(a.raw))
	case kind == '"' && n != nil:
		text := a.text()
		return matchesFormats(n, text) && (n != a.userIDNode || string(text) == a.userID ||
			strings.EqualFold(string(text), a.userID))
	}
	return kind != jsontext.KindInvalid
}

// isPlainInteger reports whether a number without exponent is whole (J5).
func isPlainInteger(number []byte) bool {
	_, fraction, _ := bytes.Cut(number, []byte("."))
	return len(bytes.Trim(fraction, "0")) == 0
}

// array reads the rest of an array whose elements match the node. An empty array as the whole answer is no witness
// (J10), so it returns false.
func (a *acceptor) array(element *definition, depth int) bool {
	for count := 0; ; count++ {
		kind := a.next()
		if kind == ']' {
			return count > 0 || depth > 0
		}
		if !a.value(element, kind, depth+1) {
			return false
		}
	}
}

// object reads the rest of an object. A record has at least one documented member (J1).
func (a *acceptor) object(n *definition, depth int) bool {
	var documented, next int
	for {
		switch a.next() {
		case '}':
			return n != a.record || documented > 0
		case jsontext.KindInvalid:
			return false
		}
		var member *definition
		if member, next = memberFrom(n, a.text(), next); member != nil {
			documented++
		}
		if !a.value(member, a.next(), depth+1) {
			return false
		}
	}
}
