package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
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
	Cells             []string
}

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
	shown := slices.DeleteFunc(allOutcomes(), func(o outcome) bool {
		return !slices.ContainsFunc(buckets, func(s stats.Bucket) bool { return s.Outcomes[o.Outcome] > 0 })
	})
	for _, o := range shown {
		t.Heads = append(t.Heads, o.Sign+" "+string(o.Outcome))
	}
	t.Heads = append(t.Heads, "p50", "p95", "p99")
	for i, period := range slices.Collect(slices.Chunk(buckets, each)) {
		sum := stats.Bucket{Outcomes: map[stats.Outcome]int64{}}
		for _, bucket := range period {
			sum.Add(bucket)
		}
		start := width * float64(i*each)
		row := timeRow{From: clock(start), Users: wording.Number(sum.Users),
			PerSecond: max(0, float64(sum.Users)) / b.periodLength(start, width*float64(len(period)))}
		row.Rate = rounded(row.PerSecond)
		t.MaxRate = max(t.MaxRate, row.PerSecond)
		for _, o := range shown {
			row.Cells = append(row.Cells, wording.Number(sum.Outcomes[o.Outcome]))
		}
		for _, part := range []float64{0.5, 0.95, 0.99} {
			row.Cells = append(row.Cells, latency(sum.Quantile(part)))
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

// rounded formats a number with as many digits as are meaningful.
func rounded(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case x == 0:
		return "0"
	case x >= 100 && x < 1<<62:
		return wording.Number(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// formatDuration formats a time in seconds in suitable units.
func formatDuration(seconds float64) string {
	switch {
	case seconds < 60:
		return rounded(seconds) + " s"
	case seconds > math.MaxInt64/float64(time.Second):
		return rounded(seconds/24/3600) + " days"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// latency formats the duration of a request with two digits and a unit.
func latency(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	x, unit := float64(d.Microseconds()), "µs"
	switch {
	case d >= time.Second:
		x, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		x, unit = d.Seconds()*1000, "ms"
	}
	decimals := 0
	if x < 10 && x != math.Trunc(x) {
		decimals = 1
	}
	return fmt.Sprintf("%.*f %s", decimals, x, unit)
}

// clock formats a time since the beginning.
func clock(seconds float64) string {
	if seconds >= 1<<53 {
		return rounded(seconds) + " s"
	}
	s := int64(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
