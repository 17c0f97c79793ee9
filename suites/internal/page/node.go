package page

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// node is a value of a JSON text as it was written: order, doubled members and the form of each number and string stay.
type node struct {
	raw      string // of a scalar
	open     byte   // '{' or '['; 0 for a scalar
	children []child
	broken   bool // not all of it was read
	mark     bool
}

// child is a member of an object, or an element of an array.
type child struct {
	raw   string // the member's name as it was written; "" in an array
	name  string // decoded
	value *node
}

// mostTokens bounds how much of one body is read for showing it; a record has about 60.
const mostTokens = 100_000

// parse reads a body. The second result is false where it is no JSON. Of a body that was cut, and of one that is too
// large to be read whole, what there is of the value is given.
func parse(body []byte, cut bool) (*node, bool) {
	if !cut && !json.Valid(body) {
		return nil, false
	}
	p := parser{body: body, decoder: json.NewDecoder(bytes.NewReader(body)), left: mostTokens}
	p.decoder.UseNumber()
	value := p.value()
	// A cut body that is not even an object or an array in its beginning may be anything.
	return value, value != nil && (!p.failed || value.open != 0)
}

// parser builds nodes from the decoder's tokens; their places in the body tell how they were written.
type parser struct {
	body    []byte
	decoder *json.Decoder
	left    int  // tokens that may still be read
	failed  bool // the text broke off, or no more of it is read
}

// next is the next token, and how it was written; false where there is none.
func (p *parser) next() (json.Token, string, bool) {
	start := p.decoder.InputOffset()
	token, err := p.decoder.Token()
	p.left--
	if err != nil || p.left < 0 {
		p.failed = true
		return nil, "", false
	}
	return token, string(bytes.TrimLeft(p.body[start:p.decoder.InputOffset()], " \t\r\n,:")), true
}

// value is the next value, nil where there is none.
func (p *parser) value() *node {
	token, raw, ok := p.next()
	switch {
	case !ok:
		return nil
	case token == json.Delim('{') || token == json.Delim('['):
		n := &node{open: raw[0]}
		p.fill(n)
		return n
	}
	return &node{raw: raw}
}

// fill reads the children of an object or an array, up to its closing bracket.
func (p *parser) fill(n *node) {
	for !p.failed && p.decoder.More() {
		var c child
		if n.open == '{' {
			name, raw, _ := p.next()
			c.raw = raw
			c.name, _ = name.(string)
		}
		if c.value = p.value(); c.value == nil {
			break
		}
		n.children = append(n.children, c)
	}
	if !p.failed {
		p.next()
	}
	n.broken = p.failed
}

// at is the value that reference tokens of a JSON Pointer name (RFC 6901, section 4), or the last one on the way to it
// that is there. Of a doubled member it is the last.
func (n *node) at(tokens []string) *node {
	for _, token := range tokens {
		next := n.child(token)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

func (n *node) child(token string) *node {
	if n.open == '[' {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.children) && strconv.Itoa(i) == token {
			return n.children[i].value
		}
		return nil
	}
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].name == token {
			return n.children[i].value
		}
	}
	return nil
}
