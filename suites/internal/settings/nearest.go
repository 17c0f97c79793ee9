package settings

import (
	"slices"
	"strings"
)

// comparedRunes bounds the work that a very long unknown name may cause.
const comparedRunes = 100

// guess ends an error about an unknown name with the known name that is most likely meant, such as `; did you mean
// "rate"?`; "" if none is near.
func guess(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + quote(near) + "?"
	}
	return ""
}

// guessPath is guess for dotted paths of members: one whose last part is right but stands elsewhere is near too.
func guessPath(path string, known []string) string {
	if text := guess(path, known); text != "" {
		return text
	}
	byLastPart := map[string]string{}
	var parts []string
	for _, candidate := range slices.Backward(known) {
		byLastPart[lastPart(candidate)] = candidate
		parts = append(parts, lastPart(candidate))
	}
	slices.Reverse(parts)
	if near := Nearest(lastPart(path), parts); near != "" {
		return "; did you mean " + quote(byLastPart[near]) + "?"
	}
	return ""
}

// Nearest is the known name that an unknown one most likely means: the least to change, whatever the case; the first of
// several that are as near. It is "" if none is near.
func Nearest(name string, known []string) string {
	letters := len(lettersOf(name))
	best, least := "", 0
	for _, candidate := range known {
		d := distance(name, candidate)
		swapped := letters > 2 && d <= 3 // two letters, which is much of a short name
		if near := 4*d < 3*letters || swapped; near && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	return best
}

func lastPart(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// distance is an edit distance in runes, blind to case. A letter that the unknown name lacks costs half of a wrong
// one: words are left out more often than made up.
func distance(unknown, known string) int {
	const lacking, wrong = 1, 2
	x, y := lettersOf(unknown), lettersOf(known)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j * lacking
	}
	for i := range x {
		diagonal := row[0]
		row[0] = (i + 1) * wrong
		for j := range y {
			cost := wrong
			if x[i] == y[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+wrong, row[j]+lacking, diagonal+cost)
		}
	}
	return row[len(y)]
}

func lettersOf(name string) []rune {
	runes := []rune(strings.ToLower(name))
	return runes[:min(len(runes), comparedRunes)]
}
