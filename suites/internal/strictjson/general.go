package strictjson

import (
	"strconv"
	"strings"
)

// General replaces each array index in a JSON Pointer by `*`, so that one cause has one pointer for all elements of a
// list. A member whose name is a number becomes `*` too.
func General(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}
