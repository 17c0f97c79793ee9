package strictjson

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads the tokens of a text with jsontext, and checks their bounds.
type reader struct {
	text    string
	decoder *jsontext.Decoder
	end     int // offset after the last token
	short   map[string]any
}

var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func newReader(body []byte, options ...jsontext.Options) *reader {
	r := &reader{text: string(body), decoder: decoders.Get().(*jsontext.Decoder)}
	r.decoder.Reset(bytes.NewBuffer(body), options...)
	return r
}

// close frees the body.
func (r *reader) close() {
	r.decoder.Reset(bytes.NewBuffer(nil))
	decoders.Put(r.decoder)
}

// readToken reads a token. It returns its kind and, for a string or number, its text.
func (r *reader) readToken() (jsontext.Kind, string, *Error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return 0, "", r.explain(err)
	}
	start, kind := r.end, token.Kind()
	r.end = int(r.decoder.InputOffset())
	switch kind {
	case '{', '[':
		if r.decoder.StackDepth() > MaxDepth {
			return 0, "", r.fault(ruleDepth, r.end-1,
				fmt.Sprintf("expected arrays and objects nested at most %d deep, got one more", MaxDepth))
		}
	case '"':
		start = r.skipSeparators(start)
	case '0':
		start = r.skipSeparators(start)
		if err := r.checkNumber(start); err != nil {
			return 0, "", err
		}
	}
	return kind, r.text[start:r.end], nil
}

// skipValue reads a value without building it.
func (r *reader) skipValue() *Error {
	for {
		if _, _, err := r.readToken(); err != nil {
			return err
		}
		if r.decoder.StackDepth() == 0 {
			return nil
		}
	}
}

// checkNumber checks the bounds of the number that starts at an offset and ends with the last token. A digit after it
// means a leading zero: jsontext reads 01 as 0 and leaves the 1.
func (r *reader) checkNumber(start int) *Error {
	text := r.text[start:r.end]
	if r.end < len(r.text) && isDigit(r.text[r.end]) {
		return r.fault(ruleSyntax, start, "expected a number without leading zeros, got "+quote(r.text[start:r.end+1]))
	}
	if len(text) > MaxDigits {
		digits := 0
		for i := range len(text) {
			if isDigit(text[i]) {
				digits++
			}
		}
		if digits > MaxDigits {
			return r.fault(ruleDigits, start,
				fmt.Sprintf("expected a number of at most %d digits, got %d", MaxDigits, digits))
		}
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		if exponent := exponentValue(text[e+1:], MaxExponent); exponent > MaxExponent || exponent < -MaxExponent {
			return r.fault(ruleExponent, start, fmt.Sprintf("expected an exponent from -%d to %d, got the number %s",
				MaxExponent, MaxExponent, quote(text)))
		}
	}
	return nil
}

func (r *reader) skipSpace(offset int) int {
	for offset < len(r.text) && isSpace(r.text[offset]) {
		offset++
	}
	return offset
}

// skipSeparators returns the offset of the next token.
func (r *reader) skipSeparators(offset int) int {
	for isSpace(r.text[offset]) || r.text[offset] == ',' || r.text[offset] == ':' {
		offset++
	}
	return offset
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
