package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// node is a JSON value of a schema file. Unlike a plain decoding it keeps the order of members, and each name must be
// unique.
type node struct {
	scalar  any              // string, json.Number, bool or nil; unset for objects and arrays
	names   []string         // of an object, in the order of the file
	members map[string]*node // of an object; nil for other values
	items   []*node          // of an array
	isArray bool
}

// member returns a member of an object, or nil if there is none or the node is not an object.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	return n.members[name]
}

// text returns a string value. It returns false for any other value, and for a nil node.
func (n *node) text() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.scalar.(string)
	return s, ok
}

// parse reads exactly one JSON text.
func parse(content string) (*node, error) {
	decoder := json.NewDecoder(strings.NewReader(content))
	decoder.UseNumber()
	root, err := parseValue(decoder, "")
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected the end of the file after the JSON text, got more")
	}
	return root, nil
}

func parseValue(decoder *json.Decoder, pointer string) (*node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("at %s: expected a JSON value: %w", location(pointer), err)
	}
	switch token {
	case json.Delim('{'):
		return parseObject(decoder, pointer)
	case json.Delim('['):
		return parseArray(decoder, pointer)
	}
	return &node{scalar: token}, nil
}

func parseObject(decoder *json.Decoder, pointer string) (*node, error) {
	object := &node{members: map[string]*node{}}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("at %s: expected a member name: %w", location(pointer), err)
		}
		name, _ := token.(string)
		child := pointer + "/" + escape(name)
		if _, duplicate := object.members[name]; duplicate {
			return nil, fmt.Errorf("at %s: the member occurs twice; expected each name once", child)
		}
		value, err := parseValue(decoder, child)
		if err != nil {
			return nil, err
		}
		object.names = append(object.names, name)
		object.members[name] = value
	}
	return object, closeValue(decoder, pointer)
}

func parseArray(decoder *json.Decoder, pointer string) (*node, error) {
	array := &node{isArray: true}
	for decoder.More() {
		value, err := parseValue(decoder, pointer+"/"+strconv.Itoa(len(array.items)))
		if err != nil {
			return nil, err
		}
		array.items = append(array.items, value)
	}
	return array, closeValue(decoder, pointer)
}

func closeValue(decoder *json.Decoder, pointer string) error {
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("at %s: expected the end of the object or array: %w", location(pointer), err)
	}
	return nil
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escape returns a name as a token of a JSON Pointer (RFC 6901, section 3).
func escape(name string) string { return pointerEscapes.Replace(name) }

// location returns a pointer as an error message shows it.
func location(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}
