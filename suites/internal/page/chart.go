package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/wording"
)

// chart is what happened when: panels over the same time, and the numbers in a table.
type chart struct {
	Caption  string
	Patterns []outcome
	Panels   []*panel
	Heads    []string // of the table, from its second column on
	Rows     []chartRow
	More     string
}

// chartRow is a stretch of time in the table.
type chartRow struct {
	From  string
	Cells []chartCell
}

type chartCell struct{ Of, Value string }

// mostStretches bounds the chart. A tally has fewer; a summary that was changed may have more.
const mostStretches = 200

// stretches are the slots of a sweep's time, as they are shown.
type stretches struct {
	slots []tally.Slot
	width float64 // of one, in seconds
	last  float64 // of the last one as far as it was spent
}

func (b *sweepBuilder) stretches() stretches {
	times := b.tally.Times
	s := stretches{slots: times.Slots[:min(len(times.Slots), mostStretches)], width: float64(max(1, times.Seconds))}
	s.last = s.width
	// The last stretch may have been cut short; shards did not end at the same time.
	if rest := b.summary.Seconds - s.width*float64(len(s.slots)-1); rest > 0 && rest < s.width && len(b.summary.Shards) == 0 {
		s.last = max(rest, s.width/10)
	}
	return s
}

// lasts is how long a stretch was, in seconds.
func (s stretches) lasts(i int) float64 {
	if i == len(s.slots)-1 {
		return s.last
	}
	return s.width
}

func (s stretches) seconds() float64 { return s.width * float64(len(s.slots)) }

// from names a stretch by when it begins.
func (s stretches) from(i int) string { return clock(s.width * float64(i)) }

// count is how often an outcome came in a stretch. A summary that was changed may have less than none.
func (s stretches) count(i int, o tally.Outcome) int64 { return max(0, s.slots[i].Outcomes[o]) }

// seen tells whether an outcome came in any of them.
func (s stretches) seen(o tally.Outcome) bool {
	for i := range s.slots {
		if s.count(i, o) > 0 {
			return true
		}
	}
	return false
}

// chart draws what happened when; nil where nothing did.
func (b *sweepBuilder) chart() *chart {
	s := b.stretches()
	if len(s.slots) == 0 {
		return nil
	}
	shown := slices.DeleteFunc(kinds(), func(o outcome) bool { return !s.seen(o.Outcome) })
	c := &chart{Patterns: shown, Caption: fmt.Sprintf("Time is that spent looking at users, in stretches of %s: where a sweep was stopped and gone on with, the pause is left out.", lasting(s.width))}
	if len(b.summary.Shards) > 0 {
		c.Caption += " Each of the merged shards is shown from its own beginning on."
	}
	if left := len(b.tally.Times.Slots) - len(s.slots); left > 0 {
		c.More = "… and " + wording.Plural(left, "more stretch", "more stretches") + ", in " + b.data
	}
	c.Panels = append(c.Panels, s.ratePanel(shown))
	if unlike := slices.DeleteFunc(slices.Clone(shown), func(o outcome) bool { return o.Alike }); len(unlike) > 0 {
		c.Panels = append(c.Panels, s.unlikePanel(unlike))
	}
	if p := s.latencyPanel(); p != nil {
		c.Panels = append(c.Panels, p)
	}
	c.table(s, shown)
	return c
}

// table lists the numbers that the panels show.
func (c *chart) table(s stretches, shown []outcome) {
	c.Heads = []string{"Users", "Users per second"}
	for _, o := range shown {
		c.Heads = append(c.Heads, string(o.Outcome))
	}
	for _, q := range quantiles() {
		c.Heads = append(c.Heads, q.Name)
	}
	for i := range s.slots {
		slot := &s.slots[i]
		values := []string{grouped(slot.Users), rounded(float64(slot.Users) / s.lasts(i))}
		for _, o := range shown {
			values = append(values, grouped(slot.Outcomes[o.Outcome]))
		}
		for _, q := range quantiles() {
			values = append(values, latency(slot.Quantile(q.part)))
		}
		row := chartRow{From: s.from(i)}
		for j, value := range values {
			row.Cells = append(row.Cells, chartCell{c.Heads[j], value})
		}
		c.Rows = append(c.Rows, row)
	}
}
