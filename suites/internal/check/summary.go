package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/strictjson"
)

// Summary returns what the observations at an open point show, in parts to be listed: at least one. It takes how often
// each was made, and how many to show at most.
type Summary func(count map[string]int, limit int) []string

// List returns a summary that lists the observations, or the text none if there are none.
func List(none string) Summary {
	return func(count map[string]int, limit int) []string {
		if len(count) == 0 {
			return []string{none}
		}
		return first(slices.Sorted(maps.Keys(count)), limit)
	}
}

func first(texts []string, limit int) []string {
	if more := len(texts) - limit; more > 0 {
		return append(texts[:limit:limit], fmt.Sprintf("and %d more", more))
	}
	return texts
}

// Range returns the smallest and the largest number observed, and the distinct numbers.
func Range(count map[string]int, limit int) []string {
	texts := sorted(count)
	switch len(texts) {
	case 0:
		return []string{"none"}
	case 1:
		return texts
	}
	shown := slices.Clone(first(texts, limit))
	shown[0] = texts[0] + " to " + texts[len(texts)-1] + ": " + shown[0]
	return shown
}

// Largest returns the largest size observed.
func Largest(count map[string]int, _ int) []string {
	sizes := sorted(count)
	if len(sizes) == 0 {
		return []string{"no answer"}
	}
	return []string{"largest answer " + sizes[len(sizes)-1] + " bytes"}
}

// sorted returns the observed numbers in the order of their values.
func sorted(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return strictjson.ParseDecimal(json.Number(a)).Compare(strictjson.ParseDecimal(json.Number(b)))
	})
}

// Percentiles returns the median, a high percentile and the maximum of the observed durations, given in nanoseconds.
func Percentiles(count map[string]int, _ int) []string {
	var durations []time.Duration
	for text, times := range count {
		if nanoseconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			durations = append(durations, slices.Repeat([]time.Duration{time.Duration(nanoseconds)}, times)...)
		}
	}
	slices.Sort(durations)
	percentile := func(share float64) string {
		i := int(math.Ceil(share*float64(len(durations)))) - 1
		return strconv.FormatFloat(float64(durations[max(i, 0)])/float64(time.Millisecond), 'f', 1, 64) + " ms"
	}
	if len(durations) == 0 {
		return []string{"none"}
	}
	return []string{"median " + percentile(0.5) + ", 95% within " + percentile(0.95) + ", slowest " + percentile(1)}
}

// PresenceCounts returns, for each member that was not always present, how often it was present, null and absent (§2).
func PresenceCounts(count map[string]int, _ int) []string {
	members := map[string]map[string]int{} // by name and state
	for text, times := range count {
		name, state, _ := strings.Cut(text, " ")
		if members[name] == nil {
			members[name] = map[string]int{}
		}
		members[name][state] += times
	}
	var texts []string
	for name, states := range members {
		if states["null"]+states["absent"] > 0 {
			texts = append(texts, fmt.Sprintf("%s present %d, null %d, absent %d", name, states["present"],
				states["null"], states["absent"]))
		}
	}
	if len(texts) == 0 {
		return []string{"every field present in every record, none null"}
	}
	slices.Sort(texts)
	return texts // at most 24 fields: all are shown
}
