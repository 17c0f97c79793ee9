package input

import (
	"strconv"
	"strings"
)

// shownRunes bounds how much of a value an error repeats.
const shownRunes = 80

// Quote shows a name or value inside an error: in quotes, what can't be printed escaped, a long one cut.
func Quote(text string) string {
	if cut := Cut(text); cut != text {
		return strconv.Quote(strings.TrimSuffix(cut, "…")) + "…"
	}
	return strconv.Quote(text)
}

// Cut shortens a long text.
func Cut(text string) string {
	if runes := []rune(text); len(runes) > shownRunes {
		return string(runes[:shownRunes]) + "…"
	}
	return text
}

// Suggest ends an error about an unknown name with the known one that is most likely meant, such as
// `; did you mean "rate"?`; "" if none is near.
func Suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + Quote(near) + "?"
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

// comparedRunes bounds the work that a very long unknown name may cause.
const comparedRunes = 100

// distance is an edit distance in runes, blind to case. A letter that the unknown name lacks costs half of a wrong
// one: words are left out more often than made up.
func distance(unknown, known string) int {
	const missing, wrong = 1, 2
	x, y := lettersOf(unknown), lettersOf(known)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j * missing
	}
	for i := range x {
		diagonal := row[0]
		row[0] = (i + 1) * wrong
		for j := range y {
			cost := wrong
			if x[i] == y[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+wrong, row[j]+missing, diagonal+cost)
		}
	}
	return row[len(y)]
}

func lettersOf(name string) []rune {
	runes := []rune(strings.ToLower(name))
	return runes[:min(len(runes), comparedRunes)]
}
