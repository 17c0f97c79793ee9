package settings

import "strings"

// comparedRunes bounds the work that a very long unknown name may cause.
const comparedRunes = 100

// nearest is the known name that an unknown one most likely means: the least to change, whatever the case; the first
// of several that are as near. Known must not be empty.
func nearest(name string, known []string) string {
	return nearestBy(known, func(candidate string) int { return distance(name, candidate) })
}

// nearestPath is nearest for dotted paths of members: one whose last part is right but stands elsewhere is near too.
func nearestPath(path string, known []string) string {
	return nearestBy(known, func(candidate string) int {
		return min(distance(path, candidate), 1+distance(lastPart(path), lastPart(candidate)))
	})
}

func nearestBy(known []string, measure func(string) int) string {
	best, least := known[0], measure(known[0])
	for _, candidate := range known[1:] {
		if d := measure(candidate); d < least {
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
