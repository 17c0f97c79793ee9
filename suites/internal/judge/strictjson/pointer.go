package strictjson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Pointer adds one reference token to a JSON Pointer: Pointer("/a", "b/c") is "/a/b~1c" (RFC 6901, section 3). The
// pointer of the whole value is "".
func Pointer(base, token string) string {
	return base + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// Tokens splits a JSON Pointer into its reference tokens, unescaped; "" has none. A pointer that does not start with
// "/", or has a "~" that is not "~0" or "~1", is an error (RFC 6901, section 3).
func Tokens(pointer string) ([]string, error) {
	if !jsontext.Pointer(pointer).IsValid() {
		return nil, fmt.Errorf("expected a JSON Pointer, got %s", quote(pointer))
	}
	return slices.Collect(jsontext.Pointer(pointer).Tokens()), nil
}

// Lookup returns the value at a JSON Pointer inside a decoded value. The second result is false if there is no such
// value or the pointer is malformed. An index has no sign and no leading zero; "-", the place after the last element,
// never has a value.
func Lookup(value any, pointer string) (any, bool) {
	tokens, err := Tokens(pointer)
	if err != nil {
		return nil, false
	}
	for _, token := range tokens {
		found := false
		switch parent := value.(type) {
		case map[string]any:
			value, found = parent[token]
		case []any:
			i, _ := strconv.Atoi(token)
			if found = 0 <= i && i < len(parent) && strconv.Itoa(i) == token; found {
				value = parent[i]
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

// General replaces each array index in a JSON Pointer by `*`, so that one cause has one pointer for all elements of a
// list. A member whose name is a number becomes `*` too.
func General(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// TypeOf names the JSON type of a decoded value (RFC 8259 §3): object, array, string, number, boolean or null.
func TypeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}
