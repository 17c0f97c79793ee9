package strictjson

import (
	"fmt"
	"strconv"
	"strings"
)

// Pointer adds one reference token to a JSON Pointer: Pointer("/a", "b/c") is "/a/b~1c" (RFC 6901, section 3). The
// pointer of the whole value is "".
func Pointer(base, token string) string {
	if strings.ContainsAny(token, "~/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	}
	return base + "/" + token
}

// Tokens splits a JSON Pointer into its reference tokens, unescaped; "" has none. A pointer that does not start with
// "/", or has a "~" that is not "~0" or "~1", is an error (RFC 6901, section 3).
func Tokens(pointer string) ([]string, error) {
	if pointer == "" {
		return []string{}, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("expected a JSON Pointer that is empty or starts with \"/\", got %s; write %s",
			quote(pointer), quote("/"+pointer))
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		plain, ok := unescapeToken(token)
		if !ok {
			return nil, fmt.Errorf(
				"expected ~0 (for ~) or ~1 (for /) after the tilde in token %s of the JSON Pointer %s",
				quote(token), quote(pointer))
		}
		tokens[i] = plain
	}
	return tokens, nil
}

func unescapeToken(token string) (string, bool) {
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", false
		}
	}
	// In this order "~01" becomes "~1" and not "/" (RFC 6901, section 4).
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true
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
			if i, ok := index(token, len(parent)); ok {
				value, found = parent[i], true
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

func index(token string, length int) (int, bool) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= length || strconv.Itoa(i) != token {
		return 0, false
	}
	return i, true
}
