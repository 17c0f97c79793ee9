package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Summary returns what the observations at an open point show, in parts to be listed: at least one. It takes how often
// each was made, a function for an observation in words, and how many to show at most.
type Summary func(count map[any]int, text func(any) string, limit int) []string

// List returns a summary that lists the observations, or the text none if there are none.
func List(none string) Summary {
	return func(count map[any]int, text func(any) string, limit int) []string {
		var list []string
		for seen := range count {
			list = append(list, text(seen))
		}
		if len(list) == 0 {
			return []string{none}
		}
		slices.Sort(list)
		return first(slices.Compact(list), limit)
	}
}

func first(texts []string, limit int) []string {
	if more := len(texts) - limit; more > 0 {
		return append(texts[:limit:limit], fmt.Sprintf("and %d more", more))
	}
	return texts
}

// seen returns the observations of one type, in order.
func seen[T any](count map[any]int, compare func(a, b T) int) []T {
	var list []T
	for one := range count {
		if one, ok := one.(T); ok {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, compare)
	return list
}

// Range returns the smallest and the largest number observed, and the distinct numbers.
func Range(count map[any]int, text func(any) string, limit int) []string {
	numbers := seen(count, func(a, b json.Number) int {
		return strictjson.ParseDecimal(a).Compare(strictjson.ParseDecimal(b))
	})
	var texts []string
	for _, n := range numbers {
		texts = append(texts, text(n))
	}
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
func Largest(count map[any]int, _ func(any) string, _ int) []string {
	sizes := seen(count, func(a, b int) int { return a - b })
	if len(sizes) == 0 {
		return []string{"no answer"}
	}
	return []string{fmt.Sprintf("largest answer %d bytes", sizes[len(sizes)-1])}
}

// Percentiles returns the median, a high percentile and the maximum of the observed durations.
func Percentiles(count map[any]int, _ func(any) string, _ int) []string {
	durations := Durations(count)
	if len(durations) == 0 {
		return []string{"none"}
	}
	percentile := func(part float64) string {
		return strconv.FormatFloat(float64(Quantile(durations, part))/float64(time.Millisecond), 'f', 1, 64) + " ms"
	}
	return []string{"median " + percentile(0.5) + ", 95% within " + percentile(0.95) + ", slowest " + percentile(1)}
}

// Durations returns how many of the observations are of which duration; none if they are of something else.
func Durations(count map[any]int) map[time.Duration]int64 {
	durations := map[time.Duration]int64{}
	for seen, n := range count {
		if d, ok := seen.(time.Duration); ok {
			durations[d] += int64(n)
		}
	}
	return durations
}

// Quantile returns the duration that a part of the requests (0 to 1) did not exceed, of how many requests took how
// long; 0 of none.
func Quantile(count map[time.Duration]int64, part float64) time.Duration {
	all, seen := int64(0), int64(0)
	for _, n := range count {
		all += n
	}
	for _, d := range slices.Sorted(maps.Keys(count)) {
		if seen += count[d]; float64(seen) >= part*float64(all) {
			return d
		}
	}
	return 0
}

// PresenceCounts returns, for each member that was not always present, how often it was present, null and absent (§2).
func PresenceCounts(count map[any]int, _ func(any) string, _ int) []string {
	members := map[string]map[string]int{} // by name and state
	for one, times := range count {
		if p, ok := one.(Presence); ok {
			if members[p.Member] == nil {
				members[p.Member] = map[string]int{}
			}
			members[p.Member][p.State] += times
		}
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if states := members[name]; states["null"]+states["absent"] > 0 {
			texts = append(texts, fmt.Sprintf("%s present %d, null %d, absent %d", name, states["present"],
				states["null"], states["absent"]))
		}
	}
	if len(texts) == 0 {
		return []string{"every field present in every record, none null"}
	}
	return texts // at most 24 fields: all are shown
}
