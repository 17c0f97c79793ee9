package input

import (
	"strconv"
	"strings"
)

// shownRunes is how many characters of a value an error shows.
const shownRunes = 80

// Quote returns a name or value for an error. It is quoted, unprintable characters are escaped, and a long text is cut.
func Quote(text string) string {
	if cut := Cut(text); cut != text {
		return strconv.Quote(strings.TrimSuffix(cut, "…")) + "…"
	}
	return strconv.Quote(text)
}

// Cut returns the first 80 characters of a longer text, with an ellipsis.
func Cut(text string) string {
	if runes := []rune(text); len(runes) > shownRunes {
		return string(runes[:shownRunes]) + "…"
	}
	return text
}

// Suggest returns the end of an error about an unknown name, such as `; did you mean "rate"?`. It is "" if no known
// name is similar.
func Suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + Quote(near) + "?"
	}
	return ""
}

// Nearest returns the known name that is most similar to an unknown one, ignoring case. If several are equally similar
// it is the first; if none is similar it is "".
func Nearest(name string, known []string) string {
	letters := len(lettersOf(name))
	best, least := "", 0
	for _, candidate := range known {
		d := distance(name, candidate)
		swapped := letters > 2 && d <= 3 // also accept two swapped letters, a large part of a short name
		if near := 4*d < 3*letters || swapped; near && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	return best
}

// comparedRunes limits the cost of comparing a very long unknown name.
const comparedRunes = 100

// distance returns an edit distance in runes, ignoring case. A missing letter costs half of a wrong one, because people
// omit words more often than they add them.
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
