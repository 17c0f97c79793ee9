package strictjson

import "encoding/json"

// builder makes the value of a text that a checker accepted. It trusts that text and judges nothing.
type builder struct {
	text    string
	pos     int
	lenient bool
	sizes   []uint32 // of the arrays and objects still to be opened
	short   map[string]any
}

func (b *builder) value() any {
	switch b.text[b.pos] {
	case '{':
		return b.object()
	case '[':
		return b.array()
	case '"':
		return b.string()
	case 't':
		b.pos += len("true")
		return true
	case 'f':
		b.pos += len("false")
		return false
	case 'n':
		b.pos += len("null")
		return nil
	}
	return b.number()
}

func (b *builder) array() any {
	size := b.open()
	elements := make([]any, size)
	for i := range elements {
		b.skipSpace()
		elements[i] = b.value()
		b.separator()
	}
	b.close()
	return elements
}

func (b *builder) object() any {
	size := b.open()
	members := make(map[string]any, size)
	for range size {
		b.skipSpace()
		name := b.string()
		b.separator()
		b.skipSpace()
		members[name] = b.value()
		b.separator()
	}
	b.close()
	return members
}

func (b *builder) open() uint32 {
	size := b.sizes[0]
	b.sizes = b.sizes[1:]
	b.pos++
	return size
}

// close passes the closing character of an array or object; separator has passed it where there was a child.
func (b *builder) close() {
	b.skipSpace()
	b.pos++
}

// separator passes the comma or colon after a name or child, where there is one.
func (b *builder) separator() {
	b.skipSpace()
	if next := b.text[b.pos]; next == ',' || next == ':' {
		b.pos++
	}
}

func (b *builder) string() string {
	start := b.pos + 1
	for b.pos = start; b.text[b.pos] != '"'; b.pos++ {
		if b.text[b.pos] == '\\' {
			b.pos++
		}
	}
	b.pos++
	return unescape(b.text[start:b.pos-1], b.lenient)
}

// shortNumber is how long the text of a number may be to have its value kept for the next one: 110 texts at most. An
// any that holds a text takes memory beside the any itself, and an array of single digits has the most anys to a byte.
const shortNumber = 2

func (b *builder) number() any {
	start := b.pos
	for b.pos < len(b.text) && inNumber(b.text[b.pos]) {
		b.pos++
	}
	text := b.text[start:b.pos]
	if len(text) > shortNumber {
		return json.Number(text)
	}
	value, known := b.short[text]
	if !known {
		if b.short == nil {
			b.short = map[string]any{}
		}
		value = json.Number(text)
		b.short[text] = value
	}
	return value
}

func inNumber(b byte) bool {
	return isDigit(b) || b == '.' || b == '-' || b == '+' || b|0x20 == 'e'
}

func (b *builder) skipSpace() { b.pos = skipSpace(b.text, b.pos) }
