package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
)

// Latency has the durations of the well-formed requests of an operation and version, with how often each occurred.
type Latency struct {
	Operation schemas.Operation
	Version   schemas.Version
	count     map[time.Duration]int
}

// Quantiles are the parts of the requests for which latencies are reported.
func Quantiles() []float64 { return []float64{0.5, 0.95, 1} }

// Of returns the latency that a part of the requests (0 to 1) did not exceed.
func (l Latency) Of(part float64) time.Duration {
	all, seen := 0, 0
	for _, n := range l.count {
		all += n
	}
	for _, d := range slices.Sorted(maps.Keys(l.count)) {
		if seen += l.count[d]; float64(seen) >= part*float64(all) {
			return d
		}
	}
	return 0
}

// latenciesOf returns what was observed of durations.
func latenciesOf(observations []ledger.Observation) (list []Latency) {
	for _, o := range observations {
		for v, seen := range o.Seen {
			if seen == nil {
				continue
			}
			l := Latency{o.Operation, v, map[time.Duration]int{}}
			for value, n := range seen.Count {
				if d, ok := value.(time.Duration); ok {
					l.count[d] += n
				}
			}
			if len(l.count) > 0 {
				list = append(list, l)
			}
		}
	}
	slices.SortFunc(list, func(a, b Latency) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Version, b.Version))
	})
	return list
}
