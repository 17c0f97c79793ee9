package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads the tokens of a text with jsontext, checks their bounds, and builds values.
type reader struct {
	text    string
	decoder *jsontext.Decoder
	end     int            // offset after the last token
	short   map[string]any // the short numbers that were read; nil before the first
	members []member       // of the objects that are not yet read to their end
}

type member struct {
	name  string
	value any
}

// decoders are reused: a new one allocates half as much as a record.
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
func (r *reader) readToken() (jsontext.Kind, string, error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return 0, "", r.explain(err)
	}
	start, kind := r.end, token.Kind()
	r.end = int(r.decoder.InputOffset())
	if r.decoder.StackDepth() > MaxDepth {
		return 0, "", r.fault(ruleDepth, r.end-1,
			fmt.Sprintf("arrays and objects nested more than %d deep", MaxDepth))
	}
	if kind != '"' && kind != '0' {
		return kind, "", nil
	}
	text := strings.TrimLeft(r.text[start:r.end], whiteSpace+",:")
	if kind == '0' {
		if err := r.checkNumber(text); err != nil {
			return 0, "", err
		}
	}
	return kind, text, nil
}

// fault returns an *Error at an offset, for the last token or for the body.
func (r *reader) fault(rule string, offset int, detail string) *Error {
	return &Error{offset, string(r.decoder.StackPointer()), rule, detail}
}

// checkNumber checks the bounds of a number, which is the last token. A digit after it means a leading zero: jsontext
// reads 01 as 0 and leaves the 1.
func (r *reader) checkNumber(text string) error {
	start := r.end - len(text)
	if r.end < len(r.text) && strings.IndexByte(digits, r.text[r.end]) >= 0 {
		return r.fault(ruleSyntax, start, "a number with a leading zero: "+quote(r.text[start:r.end+1]))
	}
	if len(text) > MaxDigits {
		count := len(strings.NewReplacer("-", "", "+", "", ".", "", "e", "", "E", "").Replace(text))
		if count > MaxDigits {
			return r.fault(ruleDigits, start,
				fmt.Sprintf("a number of %d digits, over the bound of %d", count, MaxDigits))
		}
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		// Of one past every integer it is the largest or smallest integer.
		if exponent, _ := strconv.Atoi(text[e+1:]); exponent > MaxExponent || exponent < -MaxExponent {
			return r.fault(ruleExponent, start, fmt.Sprintf("a number whose exponent is past the bound of %d: %s",
				MaxExponent, quote(text)))
		}
	}
	return nil
}

// skipValue reads a value without building it.
func (r *reader) skipValue() error {
	for {
		if _, _, err := r.readToken(); err != nil || r.decoder.StackDepth() == 0 {
			return err
		}
	}
}

func (r *reader) readValue() (any, error) {
	kind, text, err := r.readToken()
	if err != nil {
		return nil, err
	}
	return r.buildValue(kind, text)
}

// buildValue builds the value that starts with a token. It recurses at most MaxDepth deep.
func (r *reader) buildValue(kind jsontext.Kind, text string) (any, error) {
	switch kind {
	case '{':
		return r.buildObject()
	case '[':
		return r.buildArray()
	case '"':
		return unquote(text), nil
	case '0':
		return r.buildNumber(text), nil
	case 'n':
		return nil, nil
	}
	return kind == 't', nil
}

func (r *reader) buildArray() (any, error) {
	elements := []any{}
	for {
		kind, text, err := r.readToken()
		if err != nil {
			return nil, err
		}
		if kind == ']' {
			return elements, nil
		}
		element, err := r.buildValue(kind, text)
		if err != nil {
			return nil, err
		}
		if len(elements) == cap(elements) {
			elements = slices.Grow(elements, len(elements)+1) // append grows in smaller steps, which leave more garbage
		}
		elements = append(elements, element)
	}
}

// buildObject collects the members first, so that the map is as large as they need from the start: one that grows takes
// most of the time of a large body.
func (r *reader) buildObject() (any, error) {
	begin := len(r.members)
	for {
		kind, name, err := r.readToken()
		if err != nil {
			return nil, err
		}
		if kind == '}' {
			break
		}
		value, err := r.readValue()
		if err != nil {
			return nil, err
		}
		r.members = append(r.members, member{unquote(name), value})
	}
	members := make(map[string]any, len(r.members)-begin)
	for _, m := range r.members[begin:] {
		members[m.name] = m.value
	}
	clear(r.members[begin:])
	r.members = r.members[:begin]
	return members, nil
}

// unquote decodes the text of a string. If there is no escape, the result shares the memory of the body. Invalid UTF-8
// and unpaired surrogates, which only lenient reading accepts, become U+FFFD.
func unquote(quoted string) string {
	if !strings.Contains(quoted, `\`) && utf8.ValidString(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	return Unquoted(quoted)
}

// buildNumber returns the same value for equal numbers of one or two characters. A string in an any takes memory of its
// own, and arrays of single digits have the most values per byte.
func (r *reader) buildNumber(text string) any {
	if len(text) > 2 {
		return json.Number(text)
	}
	if r.short == nil {
		r.short = map[string]any{}
	}
	if r.short[text] == nil {
		r.short[text] = json.Number(text)
	}
	return r.short[text]
}

// skipSpace returns the offset of the first character at an offset or later that is no white space.
func (r *reader) skipSpace(offset int) int {
	return len(r.text) - len(strings.TrimLeft(r.text[offset:], whiteSpace))
}

const whiteSpace, digits = " \n\r\t", "0123456789"
