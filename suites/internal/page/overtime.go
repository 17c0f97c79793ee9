package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/stats"
)

// times is what happened over time: a table with a row for each of a few periods.
type times struct {
	Caption string
	Heads   []string // of the columns after Rate
	Rows    []timeRow
	More    string
	MaxRate float64 // users per second in the fastest period
}

// timeRow is one period: when it begins, how fast users were checked, and the outcomes.
type timeRow struct {
	From, Users, Rate string
	PerSecond         float64
	Cells             []timeCell
}

type timeCell struct{ Of, Value string }

// Limits on the table. The counts have at most 120 buckets; a summary that was edited may have more.
const (
	maxBuckets = 240
	maxPeriods = 24
)

// times returns the table, or nil if nothing happened.
func (b *sweepBuilder) times() *times {
	buckets := b.counts.Times.Buckets[:min(len(b.counts.Times.Buckets), maxBuckets)]
	if len(buckets) == 0 {
		return nil
	}
	each := (len(buckets) + maxPeriods - 1) / maxPeriods
	width := float64(max(1, b.counts.Times.Seconds))
	t := &times{
		Caption: fmt.Sprintf("Each period is %s of the time spent looking at users; the pause of a sweep that was "+
			"stopped and continued is left out.", formatDuration(width*float64(each))),
		More: b.rest(len(b.counts.Times.Buckets)-len(buckets), "slot", "slots"),
	}
	if len(b.summary.Shards) > 0 {
		t.Caption += " Each of the merged shards is shown from its own beginning on."
	}
	periods := slices.Collect(slices.Chunk(buckets, each))
	shown := slices.DeleteFunc(allOutcomes(), func(o outcome) bool {
		return !slices.ContainsFunc(buckets, func(s stats.Bucket) bool { return s.Outcomes[o.Outcome] > 0 })
	})
	for _, o := range shown {
		t.Heads = append(t.Heads, o.Sign+" "+string(o.Outcome))
	}
	t.Heads = append(t.Heads, "p50", "p95", "p99")
	for i, period := range periods {
		sum := sumBuckets(period)
		start := width * float64(i*each)
		row := timeRow{From: clock(start), Users: grouped(sum.Users),
			PerSecond: max(0, float64(sum.Users)) / b.periodLength(start, width*float64(len(period)))}
		row.Rate = rounded(row.PerSecond)
		t.MaxRate = max(t.MaxRate, row.PerSecond)
		var values []string
		for _, o := range shown {
			values = append(values, grouped(sum.Outcomes[o.Outcome]))
		}
		for _, part := range []float64{0.5, 0.95, 0.99} {
			values = append(values, latency(sum.Quantile(part)))
		}
		for j, value := range values {
			row.Cells = append(row.Cells, timeCell{t.Heads[j], value})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// periodLength returns the duration of a period in seconds. The last period may be shorter, and shards may have ended
// at different times.
func (b *sweepBuilder) periodLength(start, width float64) float64 {
	if rest := b.summary.Seconds - start; rest > 0 && rest < width && len(b.summary.Shards) == 0 {
		return max(rest, width/10)
	}
	return width
}

// sumBuckets merges several buckets into one.
func sumBuckets(buckets []stats.Bucket) stats.Bucket {
	sum := stats.Bucket{Outcomes: map[stats.Outcome]int64{}}
	for _, s := range buckets {
		sum.Users += s.Users
		for o, n := range s.Outcomes {
			sum.Outcomes[o] += n
		}
		for i, n := range s.Latency {
			sum.Latency[i] += n
		}
	}
	return sum
}
