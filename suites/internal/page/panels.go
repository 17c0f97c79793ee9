package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/wording"
)

// panel is a drawing over time. Its places are parts of its width and height, so that it fits any screen with letters
// of one size.
type panel struct {
	Name, Title, Unit, Told string // Told is what is to be seen, for those who do not see it
	Legend                  []legend
	Across, Up              []mark
	Bars                    []bar
	Width                   int // of the lines' own drawing: its unit is a stretch; 0: there are none
	Lines                   []path
	Stretches               []stretch
}

// legend is what a pattern or a line stands for.
type legend struct{ Name, Class, Fill string }

// mark is a tick where it is drawn, and how its label is aligned.
type mark struct{ At, Anchor, Label string }

// bar is a part of a stack.
type bar struct{ X, Y, Width, Height, Fill string }

// path is a line.
type path struct{ Class, Way string }

// stretch is a part of the drawing that tells its numbers when it is pointed at.
type stretch struct{ X, Width, Told string }

// placeOf writes a part of a length.
func placeOf(part float64) string { return strconv.FormatFloat(100*part, 'f', 3, 64) + "%" }

// panelOf makes a panel with its axes.
func (s stretches) panelOf(name, title, unit string, up []tick) *panel {
	p := &panel{Name: name, Title: title, Unit: unit}
	for _, t := range up {
		p.Up = append(p.Up, mark{At: placeOf(1 - t.at), Label: t.Label})
	}
	for _, t := range timeTicks(s.seconds()) {
		m := mark{placeOf(t.at), "middle", t.Label}
		switch {
		case t.at < 0.04:
			m.Anchor = "start"
		case t.at > 0.96:
			m.Anchor = "end"
		}
		p.Across = append(p.Across, m)
	}
	return p
}

// tell says what stands in each stretch.
func (p *panel) tell(s stretches, what func(i int) string) {
	n := float64(len(s.slots))
	for i := range s.slots {
		p.Stretches = append(p.Stretches, stretch{placeOf(float64(i) / n), placeOf(1 / n), "from " + s.from(i) + ": " + what(i)})
	}
}

const (
	separate = 60   // up to so many stretches stand apart from each other
	apart    = 0.12 // of their width
)

// stack draws bars on each other. No part is lower than the least.
func (p *panel) stack(s stretches, axis linear, shown []outcome, value func(i int, o outcome) float64, least float64) {
	n := float64(len(s.slots))
	gap := 0.0
	if len(s.slots) > 1 && len(s.slots) <= separate {
		gap = apart
	}
	for i := range s.slots {
		top := 1.0
		for _, o := range shown {
			x := value(i, o)
			if x <= 0 || top <= 0 {
				continue
			}
			height := min(top, max(least, axis.part(x)))
			top -= height
			p.Bars = append(p.Bars, bar{placeOf((float64(i) + gap/2) / n), placeOf(top), placeOf((1 - gap) / n), placeOf(height), fillOf(o)})
		}
	}
	for _, o := range shown {
		p.Legend = append(p.Legend, legend{Name: string(o.Outcome), Fill: fillOf(o)})
	}
}

// fillOf refers to the pattern of an outcome (see templates/patterns.html).
func fillOf(o outcome) string { return "url(#of-" + string(o.Outcome) + ")" }

// ratePanel shows how fast users were looked at, by what became of them.
func (s stretches) ratePanel(shown []outcome) *panel {
	const operations = 2 // each of which has an outcome of its own
	value := func(i int, o outcome) float64 { return float64(s.count(i, o.Outcome)) / operations / s.lasts(i) }
	rate := func(i int) (sum float64) {
		for _, o := range shown {
			sum += value(i, o)
		}
		return sum
	}
	least, most := rate(0), 0.0
	for i := range s.slots {
		least, most = min(least, rate(i)), max(most, rate(i))
	}
	axis := linearOf(most)
	p := s.panelOf("rate", "Users per second, by outcome", "A user counts half for each operation.", axis.ticks())
	p.stack(s, axis, shown, value, 0)
	p.Told = fmt.Sprintf("%s over %s: from %s to %s users per second.", wording.Plural(len(s.slots), "stretch", "stretches"), lasting(s.seconds()), rounded(least), rounded(most))
	p.tell(s, func(i int) string { return rounded(rate(i)) + " users per second" + s.counts(i, shown) })
	return p
}

// counts lists the outcomes of a stretch.
func (s stretches) counts(i int, shown []outcome) string {
	text := ""
	for _, o := range shown {
		if n := s.count(i, o.Outcome); n > 0 {
			text += "; " + string(o.Outcome) + " " + grouped(n)
		}
	}
	return text
}

// leastBar keeps the few that are not alike in sight beside many.
const leastBar = 0.02

// unlikePanel shows what leaves something to look into, on a scale of its own.
func (s stretches) unlikePanel(shown []outcome) *panel {
	most, with, all := int64(0), 0, int64(0)
	for i := range s.slots {
		sum := int64(0)
		for _, o := range shown {
			sum += s.count(i, o.Outcome)
		}
		most, all = max(most, sum), all+sum
		if sum > 0 {
			with++
		}
	}
	axis := linearOf(float64(most))
	p := s.panelOf("unlike", "What is not alike, on a scale of its own", "Users and operations in each stretch.", axis.ticks())
	p.stack(s, axis, shown, func(i int, o outcome) float64 { return float64(s.count(i, o.Outcome)) }, leastBar)
	p.Told = fmt.Sprintf("%s users and operations in %d of %s, at most %s in one.", grouped(all), with, wording.Plural(len(s.slots), "stretch", "stretches"), grouped(most))
	p.tell(s, func(i int) string {
		if told := s.counts(i, shown); told != "" {
			return strings.TrimPrefix(told, "; ")
		}
		return "none"
	})
	return p
}

// quantile is a part of the requests, and how it is told.
type quantile struct {
	Name, Class string
	part        float64
}

func quantiles() []quantile {
	return []quantile{{"p50", "half", 0.5}, {"p95", "most", 0.95}, {"p99", "nearly", 0.99}}
}

// high is the height of the lines' own drawing.
const high = 1000

// latencyPanel shows how long requests took; nil where none was sent.
func (s stretches) latencyPanel() *panel {
	var least, most time.Duration
	for i := range s.slots {
		for _, q := range quantiles() {
			if d := s.slots[i].Quantile(q.part); d > 0 {
				most = max(most, d)
				if least == 0 || d < least {
					least = d
				}
			}
		}
	}
	if most == 0 {
		return nil
	}
	axis := logarithmicOf(least, most)
	p := s.panelOf("latency", "Latency of requests, logarithmic", "Half of the requests of a stretch stay under p50, 95 and 99 in 100 of them under p95 and p99.", axis.ticks())
	p.Width = len(s.slots)
	for _, q := range quantiles() {
		p.Legend = append(p.Legend, legend{Name: q.Name, Class: q.Class})
		p.Lines = append(p.Lines, path{q.Class, s.way(axis, q.part)})
	}
	p.Told = fmt.Sprintf("Between %s and %s, over %s.", latency(least), latency(most), lasting(s.seconds()))
	p.tell(s, func(i int) string {
		var told []string
		for _, q := range quantiles() {
			told = append(told, q.Name+" "+latency(s.slots[i].Quantile(q.part)))
		}
		return strings.Join(told, ", ")
	})
	return p
}

// way is a line that is level within each stretch, and broken where there was no request.
func (s stretches) way(axis logarithmic, part float64) string {
	var out strings.Builder
	broken := true
	for i := range s.slots {
		d := s.slots[i].Quantile(part)
		if d == 0 {
			broken = true
			continue
		}
		y := strconv.FormatFloat(high*(1-axis.part(d)), 'f', 1, 64)
		if broken {
			fmt.Fprintf(&out, "M%d %sH%d", i, y, i+1)
		} else {
			fmt.Fprintf(&out, "V%sH%d", y, i+1)
		}
		broken = false
	}
	return out.String()
}
