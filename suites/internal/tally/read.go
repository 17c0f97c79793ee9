package tally

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/strictjson"
)

// mostRead bounds what is read of a sweep.json, in bytes: a thousand groups with their samples take less.
const mostRead = 64 << 20

// mostCounted bounds what is counted in a file, so that a hundred thousand shards can be added up.
const mostCounted = 1 << 45

// Read reads a sweep.json. It takes only what this suite may have written: of a file that was changed since, nobody knows
// what it holds. The error says what is wrong with it.
func Read(r io.Reader) (*Summary, error) {
	content, err := io.ReadAll(io.LimitReader(r, mostRead+1))
	if err != nil {
		return nil, err
	}
	if len(content) > mostRead {
		return nil, fmt.Errorf("is no %s: it is longer than %d MiB", SummaryFile, mostRead>>20)
	}
	value, err := strictjson.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("is no %s: %w", SummaryFile, err)
	}
	if text := unprintable(value); text != "" {
		return nil, fmt.Errorf("is no %s that this suite wrote: it holds the text %q", SummaryFile, text)
	}
	s := &Summary{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("is no %s of this version of the suite: %w", SummaryFile, err)
	}
	if major(s.Format) != major(Format) {
		return nil, fmt.Errorf("has the format %q: expected %s", s.Format, Format)
	}
	if err := s.sound(); err != nil {
		return nil, fmt.Errorf("is no %s that this suite wrote: %w", SummaryFile, err)
	}
	s.Tally.Restored(s.Identity.Seed)
	return s, nil
}

func major(format string) string {
	version, _, _ := strings.Cut(format, ".")
	return version
}

// unprintable finds a text that could do something where it is shown; "" where there is none.
func unprintable(value any) string {
	switch value := value.(type) {
	case string:
		if redact.PrintableLines(value) != value {
			return value
		}
	case []any:
		for _, element := range value {
			if text := unprintable(element); text != "" {
				return text
			}
		}
	case map[string]any:
		for name, member := range value {
			for _, text := range []string{unprintable(name), unprintable(member)} {
				if text != "" {
					return text
				}
			}
		}
	}
	return ""
}

// sound tells what contradicts itself in a summary.
func (s *Summary) sound() error {
	if err := s.Tally.Sound(); err != nil {
		return err
	}
	switch {
	case s.Traffic.least() < 0 || s.Read.Users < 0 || s.Identity.Sample < 0:
		return fmt.Errorf("it counts less than nothing")
	case s.Read.Users > mostCounted:
		return fmt.Errorf("it has more users than there can be")
	case s.Tally.Users > s.Read.Users:
		return fmt.Errorf("it looked at %d users, and read %d", s.Tally.Users, s.Read.Users)
	case s.Complete && s.Identity.Sample == 0 && s.Identity.Shard.Of == 1 && s.Tally.Users != s.Read.Users:
		return fmt.Errorf("it is complete, and looked at %d users of %d", s.Tally.Users, s.Read.Users)
	case s.Complete && s.Identity.Sample > 0 && s.Tally.Users != min(int64(s.Identity.Sample), s.Read.Users):
		return fmt.Errorf("it is complete, and looked at %d users of a sample of %d", s.Tally.Users, s.Identity.Sample)
	}
	return nil
}

func (t Traffic) least() int64 { return min(t.Requests, t.Throttled, t.Repeated, t.Outages) }

// Sound tells what contradicts itself in a tally that was read from a file: what was changed there must not make red green.
func (t *Tally) Sound() error {
	if t == nil || t.Groups == nil || len(t.Witnessed) != len(schemas.Operations()) || len(t.Findings) != len(schemas.Operations()) || len(t.Outcomes) != len(schemas.Operations()) {
		return fmt.Errorf("it has no tally, or one that is not of these operations")
	}
	if err := t.Times.sound(); err != nil {
		return err
	}
	lines := t.Lumped
	for _, g := range t.Groups {
		if g == nil || g.Users < 1 || g.Findings < g.Users || g.Count < 0 || g.Sample == nil || int64(len(g.Sample)) > min(g.Users, mostSample) {
			return fmt.Errorf("a group of findings does not add up")
		}
		lines += g.Findings
	}
	for _, op := range schemas.Operations() {
		if err := t.soundFor(op); err != nil {
			return err
		}
	}
	if found := t.Found(); len(t.Groups) > mostGroups || t.Lumped < 0 || t.Requests < 0 || lines != found.Differences+found.Violations+found.Waived {
		return fmt.Errorf("its groups have %d findings, and it has %d", lines, found.Differences+found.Violations+found.Waived)
	}
	return nil
}

func (t *Tally) soundFor(op schemas.Operation) error {
	counted, found := int64(0), t.Findings[op]
	if _, ok := t.Witnessed[op]; !ok || len(t.Outcomes[op]) != len(Outcomes()) {
		return fmt.Errorf("it does not tell of %s what became of its users", op)
	}
	if found == nil || min(found.Differences, found.Violations, found.Waived, found.Open) < 0 || max(found.Differences, found.Violations, found.Waived, found.Open) > mostCounted {
		return fmt.Errorf("it does not count the findings of %s", op)
	}
	for _, o := range Outcomes() {
		share := t.Outcomes[op][o]
		if share == nil || share.Why == nil || share.Count < 0 {
			return fmt.Errorf("it does not count the outcome %s of %s", o, op)
		}
		why := int64(0)
		for _, n := range share.Why {
			if n < 1 || n > share.Count {
				return fmt.Errorf("it counts a ground of %s of %s otherwise than the outcome", o, op)
			}
			why += n
		}
		if why > share.Count {
			return fmt.Errorf("it has more grounds of %s of %s than users", o, op)
		}
		counted += share.Count
	}
	count := func(o Outcome) int64 { return t.Outcomes[op][o].Count }
	switch {
	case counted != t.Users:
		return fmt.Errorf("it has %d users, and %d outcomes of %s", t.Users, counted, op)
	case count(NotComparable) != found.Open:
		return fmt.Errorf("it has %d users that could not be compared by %s, and %d lines of them", count(NotComparable), op, found.Open)
	case count(Different) > found.Differences+found.Waived, count(BothViolate) > found.Violations+found.Waived:
		return fmt.Errorf("it has fewer findings of %s than users who show one", op)
	}
	return nil
}

func (t *Times) sound() error {
	if t.Seconds < 1 || t.Seconds > mostSeconds || t.Seconds&(t.Seconds-1) != 0 || t.Slots == nil || len(t.Slots) > mostSlots {
		return fmt.Errorf("its times are no times")
	}
	for i, slot := range t.Slots {
		if slot.Outcomes == nil || slot.Users < 0 {
			return fmt.Errorf("its slot %d of time does not add up", i)
		}
		for _, n := range slot.Outcomes {
			if n < 0 {
				return fmt.Errorf("its slot %d of time does not add up", i)
			}
		}
		for _, n := range slot.Latency {
			if n < 0 {
				return fmt.Errorf("its slot %d of time does not add up", i)
			}
		}
	}
	return nil
}
