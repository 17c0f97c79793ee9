package strictjson

import (
	"strconv"
	"strings"
)

// General is a JSON Pointer with `*` for each array index, so that one cause reads as one place, whichever element of a
// list it shows in. A member whose name is a number reads as `*` too.
func General(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}
