package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"authenticator-conformance/suites/internal/judge/wording"
)

// maxShared is how many characters are named that refused ids have.
const maxShared = 3

// Common says which characters the user ids have that were refused, and none that was served: a rule of a firewall may
// be about these. It is "" if there are none.
func Common(refused, served []string) string {
	elsewhere := strings.Join(served, "")
	ids := map[rune]int{} // how many of the refused ones have it
	for _, id := range refused {
		seen := map[rune]bool{}
		for _, r := range id {
			if isSpecial(r) && !seen[r] && !strings.ContainsRune(elsewhere, r) {
				seen[r] = true
				ids[r]++
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(ids), func(a, b rune) int {
		return cmp.Or(cmp.Compare(ids[b], ids[a]), cmp.Compare(a, b))
	})
	if len(most) == 0 || len(served) == 0 {
		return ""
	}
	var list []string
	for _, r := range most[:min(len(most), maxShared)] {
		list = append(list, fmt.Sprintf("%s is in %d", named(r), ids[r]))
	}
	return fmt.Sprintf("%s of the %s refused, and in none that was served", wording.List(list),
		wording.Plural(len(refused), "user id that was", "user ids that were"))
}

// isSpecial reports whether a character is no ASCII letter or digit.
func isSpecial(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// named returns a character as it is shown in a sentence.
func named(r rune) string {
	if r == ' ' {
		return "a blank"
	}
	if !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.IsMark(r) {
		return fmt.Sprintf("U+%04X", r)
	}
	return string(r)
}
