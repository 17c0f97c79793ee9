package schemas

import (
	"regexp"
	"strings"
)

func (l *linter) pattern(pointer string, n *node) {
	text, ok := n.text()
	if _, err := regexp.Compile(text); !ok || err != nil {
		l.fault(pointer, "expected a regular expression that compiles: %v", err)
		return
	}
	if !portable(text) {
		l.fault(pointer, "expected a regular expression that RE2 and ECMA-262 read alike: ASCII, no \\d or other named class, no dot outside of a class, no group with flags")
	}
	if !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") {
		l.fault(pointer, "expected a regular expression anchored by ^ and $")
	}
}

// portable tells whether RE2 and ECMA-262 read a pattern alike: ASCII, no escape but of punctuation, no group but plain
// ones, no character class by name, no dot (which takes other line ends in each).
func portable(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i+1:]
		switch c := pattern[i]; {
		case c >= 0x80:
			return false
		case c == '\\':
			if rest == "" || !strings.ContainsAny(rest[:1], `^$\.*+?()[]{}|/-`) {
				return false
			}
			i++
		case c == '[':
			if strings.HasPrefix(rest, ":") {
				return false
			}
			inClass = true
		case c == ']':
			inClass = false
		case c == '.' && !inClass:
			return false
		case c == '(' && !inClass && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:"):
			return false
		}
	}
	return true
}
