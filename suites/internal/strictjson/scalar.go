package strictjson

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string and gives what stands between its quotation marks, still escaped.
func (c *checker) string() (string, *Error) {
	c.pos++
	start := c.pos
	for c.pos < len(c.text) {
		switch b := c.text[c.pos]; {
		case b == '"':
			raw := c.text[start:c.pos]
			c.pos++
			return raw, nil
		case b == '\\':
			if err := c.escape(); err != nil {
				return "", err
			}
		case b < ' ' && !c.lenient:
			return "", c.fault(ruleSyntax, c.pos, fmt.Sprintf("expected control characters in strings to be escaped, got a raw %U", b))
		case b < utf8.RuneSelf:
			c.pos++
		default:
			r, width := utf8.DecodeRuneInString(c.text[c.pos:])
			if r == utf8.RuneError && width == 1 && !c.lenient {
				return "", c.fault(ruleUTF8, c.pos, "expected a JSON text in UTF-8, got "+c.here()+" in a string")
			}
			c.pos += width
		}
	}
	return "", c.fault(ruleSyntax, c.pos, "expected a quotation mark to end the string, got the end of the text")
}

// escape reads one escape of a string; two where they make a surrogate pair.
func (c *checker) escape() *Error {
	start := c.pos
	c.pos++
	if c.pos == len(c.text) {
		return c.fault(ruleSyntax, c.pos, "expected the rest of an escape, got the end of the text")
	}
	if c.text[c.pos] != 'u' {
		if _, ok := shortEscape(c.text[c.pos]); !ok {
			return c.fault(ruleSyntax, start, `expected one of " \ / b f n r t u after a backslash, got `+c.here())
		}
		c.pos++
		return nil
	}
	unit, ok := hexUnit(c.text, c.pos+1)
	if !ok {
		return c.fault(ruleSyntax, start, `expected four hexadecimal digits after \u, got `+quote(c.text[start:min(start+6, len(c.text))]))
	}
	c.pos = start + 6
	if c.lenient || !utf16.IsSurrogate(unit) {
		return nil
	}
	if low, ok := escapedUnit(c.text, c.pos); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
		c.pos += 6
		return nil
	}
	return c.fault(ruleSurrogate, start, fmt.Sprintf("expected surrogates in pairs, got \\u%04X alone (RFC 7493, section 2.1)", unit))
}

// shortEscape gives the character of an escape of two characters.
func shortEscape(letter byte) (byte, bool) {
	const letters, plain = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(letters, letter); i >= 0 {
		return plain[i], true
	}
	return 0, false
}

// escapedUnit gives the UTF-16 unit that an escape of six characters at this place stands for.
func escapedUnit(text string, pos int) (rune, bool) {
	if !strings.HasPrefix(text[pos:], `\u`) {
		return 0, false
	}
	return hexUnit(text, pos+2)
}

// hexUnit reads four hexadecimal digits.
func hexUnit(text string, pos int) (rune, bool) {
	if pos+4 > len(text) {
		return 0, false
	}
	unit := rune(0)
	for _, b := range []byte(text[pos : pos+4]) {
		switch {
		case isDigit(b):
			unit = unit<<4 | rune(b-'0')
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			unit = unit<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// unescape gives the text of a string that was checked. Without an escape it shares the memory of raw. In a lenient
// reading what is not UTF-8 becomes U+FFFD, as unpaired surrogates do.
func unescape(raw string, lenient bool) string {
	if lenient {
		raw = strings.ToValidUTF8(raw, string(utf8.RuneError))
	}
	next := strings.IndexByte(raw, '\\')
	if next < 0 {
		return raw
	}
	plain := make([]byte, 0, len(raw))
	for next >= 0 {
		plain = append(plain, raw[:next]...)
		raw = raw[next:]
		unit, ok := escapedUnit(raw, 0)
		if !ok {
			b, _ := shortEscape(raw[1])
			plain, raw = append(plain, b), raw[2:]
		} else {
			raw = raw[6:]
			if utf16.IsSurrogate(unit) {
				low, _ := escapedUnit(raw, 0)
				if unit = utf16.DecodeRune(unit, low); unit != utf8.RuneError {
					raw = raw[6:]
				}
			}
			plain = utf8.AppendRune(plain, unit)
		}
		next = strings.IndexByte(raw, '\\')
	}
	return string(append(plain, raw...))
}

// number reads a number and judges its bounds. What follows it is judged by whoever reads on.
func (c *checker) number() *Error {
	start := c.pos
	if c.peek() == '-' {
		c.pos++
	}
	digits := 0
	if c.peek() == '0' {
		c.pos, digits = c.pos+1, 1
		if isDigit(c.peek()) {
			return c.fault(ruleSyntax, start, "expected a number without leading zeros, got "+quote(c.text[start:c.pos+1]))
		}
	} else if err := c.digits(&digits, "a digit after the minus sign"); err != nil {
		return err
	}
	if c.peek() == '.' {
		c.pos++
		if err := c.digits(&digits, "a digit after the decimal point"); err != nil {
			return err
		}
	}
	exponent := 0
	if c.peek()|0x20 == 'e' {
		c.pos++
		from := c.pos
		if c.peek() == '+' || c.peek() == '-' {
			c.pos++
		}
		if err := c.digits(&digits, "a digit in the exponent"); err != nil {
			return err
		}
		exponent = exponentValue(c.text[from:c.pos], MaxExponent)
	}
	if digits > MaxDigits {
		return c.fault(ruleDigits, start, fmt.Sprintf("expected a number of at most %d digits, got %d", MaxDigits, digits))
	}
	if exponent > MaxExponent || exponent < -MaxExponent {
		return c.fault(ruleExponent, start, fmt.Sprintf("expected an exponent from -%d to %d, got the number %s",
			MaxExponent, MaxExponent, quote(c.text[start:c.pos])))
	}
	return nil
}

// digits reads one digit or more and adds their count.
func (c *checker) digits(count *int, wanted string) *Error {
	start := c.pos
	for isDigit(c.peek()) {
		c.pos++
	}
	if c.pos == start {
		return c.unexpected(wanted)
	}
	*count += c.pos - start
	return nil
}
