package input

import (
	"strconv"
	"strings"
)

// shownRunes is how many characters of a value an error shows.
const shownRunes = 80

// Quote returns a name or value for an error. It is quoted, unprintable characters are escaped, and a long text is cut.
func Quote(text string) string {
	if shortened := Shorten(text); shortened != text {
		return strconv.Quote(strings.TrimSuffix(shortened, "…")) + "…"
	}
	return strconv.Quote(text)
}

// Shorten returns the first 80 characters of a longer text, with an ellipsis.
func Shorten(text string) string {
	if runes := []rune(text); len(runes) > shownRunes {
		return string(runes[:shownRunes]) + "…"
	}
	return text
}

// Suggest returns the end of an error about an unknown name, such as `; did you mean "rate"?`. It is "" if no known
// name is similar.
func Suggest(name string, known []string) string {
	if similar := Nearest(name, known); similar != "" {
		return "; did you mean " + Quote(similar) + "?"
	}
	return ""
}

// Nearest returns the known name that is most similar to an unknown one, ignoring case. If several are equally similar
// it is the first; if none is similar it is "".
func Nearest(name string, known []string) string {
	length := len(comparedRunes(name))
	nearest, smallest := "", 0
	for _, candidate := range known {
		d := distance(name, candidate)
		swapped := length > 2 && d <= 3 // also accept two swapped letters, a large part of a short name
		if similar := 4*d < 3*length || swapped; similar && (nearest == "" || d < smallest) {
			nearest, smallest = candidate, d
		}
	}
	return nearest
}

// maxCompared limits the cost of comparing a very long unknown name.
const maxCompared = 100

// distance returns an edit distance in runes, ignoring case. A missing letter costs half of a wrong one, because people
// omit words more often than they add them.
func distance(unknown, known string) int {
	const missing, wrong = 1, 2
	x, y := comparedRunes(unknown), comparedRunes(known)
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

func comparedRunes(name string) []rune {
	runes := []rune(strings.ToLower(name))
	return runes[:min(len(runes), maxCompared)]
}
