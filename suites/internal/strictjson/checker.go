package strictjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const byteOrderMark = "\uFEFF"

// checker looks at a text once and judges it. It recurses at most MaxDepth deep.
type checker struct {
	text    string
	pos     int
	lenient bool // the rules of First
	sized   bool // keep sizes

	start int      // where the value begins
	sizes []uint32 // how many children each array and object has, in the order in which they open
	path  []step   // from the whole text down to the value being read
	names names
}

// step is one level of the path: an index, or the last name of the object at that level.
type step struct {
	index  int
	object bool
	name   string
}

// document judges a text that has to be one JSON text and nothing else.
func (c *checker) document() *Error {
	if strings.HasPrefix(c.text, byteOrderMark) {
		return c.fault(ruleMark, 0, "expected a JSON text, got a byte order mark before it: it has to go (RFC 8259, section 8.1)")
	}
	c.skipSpace()
	if c.pos == len(c.text) {
		return c.fault(ruleEmpty, c.pos, "expected a JSON text, got nothing but white space or no byte at all")
	}
	if err := c.value(); err != nil {
		return err
	}
	c.skipSpace()
	if c.pos < len(c.text) {
		return c.fault(ruleTrailing, c.pos, "expected the end after one JSON text, got "+c.here())
	}
	return nil
}

// first judges the first value alone, for First.
func (c *checker) first() *Error {
	if strings.HasPrefix(c.text, byteOrderMark) {
		c.pos = len(byteOrderMark)
	}
	c.skipSpace()
	c.start = c.pos
	return c.value()
}

func (c *checker) value() *Error {
	switch next := c.peek(); {
	case next == '{':
		return c.object()
	case next == '[':
		return c.array()
	case next == '"':
		_, err := c.string()
		return err
	case next == '-' || isDigit(next):
		return c.number()
	default:
		for _, literal := range []string{"true", "false", "null"} {
			if strings.HasPrefix(c.text[c.pos:], literal) {
				c.pos += len(literal)
				return nil
			}
		}
	}
	return c.unexpected("a value")
}

func (c *checker) array() *Error {
	size, err := c.open()
	if err != nil {
		return err
	}
	c.skipSpace()
	count := 0
	for more := c.peek() != ']'; more; {
		c.path[len(c.path)-1].index = count
		c.skipSpace()
		if err := c.value(); err != nil {
			return err
		}
		count++
		if more, err = c.comma(']'); err != nil {
			return err
		}
	}
	c.close(size, count)
	return nil
}

func (c *checker) object() *Error {
	size, err := c.open()
	if err != nil {
		return err
	}
	known := c.names.open()
	c.skipSpace()
	count := 0
	for more := c.peek() != '}'; more; {
		c.skipSpace()
		if err := c.member(); err != nil {
			return err
		}
		count++
		if more, err = c.comma('}'); err != nil {
			return err
		}
	}
	c.names.close(known)
	c.close(size, count)
	return nil
}

// member reads a name, a colon and a value. Until the name is known, a fault is the object's.
func (c *checker) member() *Error {
	level := &c.path[len(c.path)-1]
	level.object, level.name = true, ""
	start := c.pos
	if c.peek() != '"' {
		return c.outside("a member name in quotation marks")
	}
	raw, err := c.string()
	if err != nil {
		return c.lift(err)
	}
	if !c.lenient {
		name := unescape(raw, false)
		level.name = name
		if !c.names.add(name) {
			return c.fault(ruleDuplicate, start, "expected each member name once in an object, got "+quote(name)+" a second time")
		}
	}
	c.skipSpace()
	if c.peek() != ':' {
		return c.unexpected("a colon after the member name")
	}
	c.pos++
	c.skipSpace()
	return c.value()
}

// comma reads what follows a child: true after a comma, false after the closing character, which it leaves in place.
func (c *checker) comma(closing byte) (bool, *Error) {
	c.skipSpace()
	switch c.peek() {
	case ',':
		c.pos++
		return true, nil
	case closing:
		return false, nil
	}
	return false, c.outside(fmt.Sprintf("a comma or %q", string(closing)))
}

// open enters an array or object and gives its place in sizes.
func (c *checker) open() (int, *Error) {
	if len(c.path) == MaxDepth {
		return 0, c.fault(ruleDepth, c.pos, fmt.Sprintf("expected arrays and objects nested at most %d deep, got one more", MaxDepth))
	}
	c.pos++
	c.path = append(c.path, step{})
	if c.sized {
		c.sizes = append(c.sizes, 0)
	}
	return len(c.sizes) - 1, nil
}

func (c *checker) close(size, count int) {
	c.pos++
	c.path = c.path[:len(c.path)-1]
	if c.sized {
		c.sizes[size] = uint32(count)
	}
}

func (c *checker) skipSpace() { c.pos = skipSpace(c.text, c.pos) }

// peek gives the next byte, or 0 at the end: no rule of JSON takes a zero byte where one is peeked for.
func (c *checker) peek() byte {
	if c.pos == len(c.text) {
		return 0
	}
	return c.text[c.pos]
}

// unexpected is the fault of something else than what was wanted at this place.
func (c *checker) unexpected(wanted string) *Error {
	if c.pos < len(c.text) {
		if r, width := utf8.DecodeRuneInString(c.text[c.pos:]); r == utf8.RuneError && width == 1 {
			return c.fault(ruleUTF8, c.pos, "expected a JSON text in UTF-8, got "+c.here())
		}
	}
	return c.fault(ruleSyntax, c.pos, "expected "+wanted+", got "+c.here())
}

// outside is unexpected for a place between the children of an array or object.
func (c *checker) outside(wanted string) *Error { return c.lift(c.unexpected(wanted)) }

// lift makes a fault that of the array or object around.
func (c *checker) lift(err *Error) *Error {
	err.Pointer = c.pointer(len(c.path) - 1)
	return err
}

func (c *checker) fault(rule string, offset int, detail string) *Error {
	return &Error{Offset: offset, Pointer: c.pointer(len(c.path)), Rule: rule, Detail: detail}
}

// pointer is the JSON Pointer of the first levels of the path.
func (c *checker) pointer(levels int) string {
	pointer := ""
	for _, level := range c.path[:levels] {
		if level.object {
			pointer = Pointer(pointer, level.name)
		} else {
			pointer = Pointer(pointer, strconv.Itoa(level.index))
		}
	}
	return pointer
}

// here describes what stands at this place.
func (c *checker) here() string {
	if c.pos == len(c.text) {
		return "the end of the text"
	}
	r, width := utf8.DecodeRuneInString(c.text[c.pos:])
	if r == utf8.RuneError && width == 1 {
		return fmt.Sprintf("the byte 0x%02X", c.text[c.pos])
	}
	return quote(string(r))
}

func skipSpace(text string, pos int) int {
	for pos < len(text) {
		switch text[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
