package page

import (
	"math"
	"time"
)

// tick is a place on an axis: how far along it is, as a part of its length, and what is written there.
type tick struct {
	at    float64
	Label string
}

// linear is an axis from 0 up to a round number at or above the largest value.
type linear struct{ top, step float64 }

// linearOf makes an axis with few steps of 1, 2 or 5 times a power of ten.
func linearOf(largest float64) linear {
	if !(largest > 0) || math.IsInf(largest, 0) {
		return linear{1, 1}
	}
	const steps = 4
	power := math.Pow(10, math.Floor(math.Log10(largest/steps)))
	for _, times := range []float64{1, 2, 5, 10} {
		if step := times * power; step*steps >= largest {
			return linear{math.Ceil(largest/step) * step, step}
		}
	}
	return linear{largest, largest}
}

// part is how far along the axis a value is.
func (l linear) part(x float64) float64 { return min(1, max(0, x/l.top)) }

func (l linear) ticks() []tick {
	var list []tick
	for i := 0; ; i++ {
		x := float64(i) * l.step
		if x > l.top*1.001 {
			return list
		}
		list = append(list, tick{l.part(x), rounded(x)})
	}
}

// logarithmic is an axis of latencies, on which each tick is 1, 2 or 5 times a power of ten, or only such a power.
type logarithmic struct{ marks []time.Duration }

// logarithmicOf makes an axis that holds all latencies from one to another.
func logarithmicOf(least, most time.Duration) logarithmic {
	fine := float64(most) < 30*float64(least)
	var l logarithmic
	for power := time.Microsecond; power <= time.Hour; power *= 10 {
		for _, times := range []time.Duration{1, 2, 5} {
			if times > 1 && !fine {
				break
			}
			mark := times * power
			if mark <= least {
				l.marks = l.marks[:0] // the last one that is not above all
			}
			l.marks = append(l.marks, mark)
			if mark >= most && len(l.marks) > 1 {
				return l
			}
		}
	}
	return l
}

func (l logarithmic) part(d time.Duration) float64 {
	least, most := math.Log(float64(l.marks[0])), math.Log(float64(l.marks[len(l.marks)-1]))
	return min(1, max(0, (math.Log(float64(max(1, d)))-least)/(most-least)))
}

func (l logarithmic) ticks() []tick {
	var list []tick
	for _, mark := range l.marks {
		list = append(list, tick{l.part(mark), latency(mark)})
	}
	return list
}

// timeTicks are those of a time in seconds from its beginning, few enough to be read on a narrow screen.
func timeTicks(seconds float64) []tick {
	const most = 5
	for _, unit := range []struct {
		seconds float64
		name    string
		steps   []float64
	}{
		{1, "s", []float64{1, 2, 5, 10, 20, 30}},
		{60, "min", []float64{1, 2, 5, 10, 20, 30}},
		{3600, "h", []float64{1, 2, 4, 6, 12}},
		{24 * 3600, "d", []float64{1, 2, 5, 10, 20, 50, 100}},
	} {
		for _, step := range unit.steps {
			if step*unit.seconds*most < seconds {
				continue
			}
			list := []tick{{0, "0"}}
			for x := step; x*unit.seconds <= seconds; x += step {
				list = append(list, tick{x * unit.seconds / seconds, rounded(x) + " " + unit.name})
			}
			return list
		}
	}
	return []tick{{0, "0"}, {1, lasting(seconds)}}
}
