package page_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// hostileSweep is a summary with a text in every field.
func hostileSweep(text string) *stats.Summary {
	s := mixedSweepOf(1400)
	s.Complete = false
	corruptTexts(reflect.ValueOf(s).Elem(), text)
	for _, g := range s.Tally.Groups {
		g.Requirement, g.Kind, g.Pointer, g.Operation, g.Version = text, text, text, schemas.Operation(text),
			schemas.Version(text)
	}
	for _, shares := range s.Tally.Outcomes {
		for _, share := range shares {
			share.Why = map[string]int64{text: 1, "x" + text: 2}
		}
	}
	for _, bucket := range s.Tally.Times.Buckets {
		bucket.Outcomes[stats.Outcome(text)] = 1
	}
	why := text
	s.Error = &why
	s.Settings = append(s.Settings, report.Setting{Name: text, Value: text, Source: "flag --" + text})
	return s
}

// ordinarySweeps is that of sweeps.
func ordinarySweeps() (map[string]bool, error) {
	seen := map[string]bool{}
	wrong := mixedSweepOf(1400)
	why := "x"
	wrong.Complete, wrong.Error = false, &why
	for _, s := range []*stats.Summary{mixedSweepOf(1400), wrong, allEqual(10)} {
		var out strings.Builder
		if err := page.WriteSweep(&out, s); err != nil {
			return nil, err
		}
		if err := structureOf(out.String(), seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// FuzzWriteSweep: whatever texts and numbers a summary holds, the page parses, has no element or attribute that its
// templates do not have, shows no character that does something, and stays within its size.
func FuzzWriteSweep(f *testing.F) {
	for i, text := range hostileText() {
		f.Add(text, int64(i), int64(i*i), 1.5)
	}
	f.Add("x", int64(math.MaxInt64), int64(math.MinInt64), math.Inf(1))
	f.Add("", int64(0), int64(-1), math.NaN())
	f.Add("/0/Id", int64(1<<40), int64(1<<62), 1e300)
	expected, err := ordinarySweeps()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, width, count int64, seconds float64) {
		s := hostileSweep(text)
		s.Seconds, s.Tally.Times.Seconds, s.Tally.Ungrouped, s.Read.Users = seconds, width, count, width
		s.Tally.Times.Buckets = s.Tally.Times.Buckets[:min(len(s.Tally.Times.Buckets), 1+int(uint64(width)%150))]
		for i := range s.Tally.Times.Buckets {
			bucket := &s.Tally.Times.Buckets[i]
			bucket.Users, bucket.Outcomes[stats.Different],
				bucket.Latency[uint64(count)%uint64(len(bucket.Latency))] = count,
				count, width
		}
		for _, g := range s.Tally.Groups {
			g.Users, g.Count = count, width
		}
		for _, shares := range s.Tally.Outcomes {
			shares[stats.Equal].Count = count
		}
		var out strings.Builder
		if err := page.WriteSweep(&out, s); err != nil {
			t.Fatal(err)
		}
		if found, err := hostileName(out.String(), expected); err != nil || len(found) > 0 {
			t.Errorf("the page has %q, which its templates do not: %v", found, err)
		}
		if out.Len() > page.MaxSize {
			t.Errorf("the page has %d bytes", out.Len())
		}
	})
}
