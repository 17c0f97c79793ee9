package strictjson

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func (r *reader) readValue() (any, *Error) {
	kind, text, err := r.readToken()
	if err != nil {
		return nil, err
	}
	return r.buildValue(kind, text)
}

// buildValue builds the value that starts with a token. It recurses at most MaxDepth deep.
func (r *reader) buildValue(kind jsontext.Kind, text string) (any, *Error) {
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

func (r *reader) buildArray() (any, *Error) {
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

func (r *reader) buildObject() (any, *Error) {
	members := map[string]any{}
	for {
		kind, name, err := r.readToken()
		if err != nil {
			return nil, err
		}
		if kind == '}' {
			return members, nil
		}
		if members[unquote(name)], err = r.readValue(); err != nil {
			return nil, err
		}
	}
}

// unquote decodes the text of a string. If there is no escape, the result shares the memory of the body. An unpaired
// surrogate, which only lenient reading accepts, becomes U+FFFD.
func unquote(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return string(text)
}

// shortNumber is the length up to which a number's value is reused for the next equal one: 110 texts at most. Boxing a
// string in an any allocates memory, and arrays of single digits have the most values per byte.
const shortNumber = 2

func (r *reader) buildNumber(text string) any {
	if len(text) > shortNumber {
		return json.Number(text)
	}
	value, known := r.short[text]
	if !known {
		if r.short == nil {
			r.short = map[string]any{}
		}
		value = json.Number(text)
		r.short[text] = value
	}
	return value
}
