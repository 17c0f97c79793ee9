package stats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
)

// maxRead is the maximum size of a sweep.json in bytes. A thousand groups with their samples take less.
const maxRead = 64 << 20

// maxCounted is the largest count accepted from a file, so that adding up a hundred thousand shards can't overflow.
const maxCounted = 1 << 45

// Read reads and validates a sweep.json. It accepts only what this suite can have written, because a file that was
// changed can hold anything. The error says what is wrong.
func Read(r io.Reader) (*Summary, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxRead+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxRead {
		return nil, fmt.Errorf("is no %s: it is longer than %d MiB", SummaryFile, maxRead>>20)
	}
	s := &Summary{}
	value, err := decodeSafe(content)
	if err == nil {
		err = report.Decode(s, "summary of a sweep", schemas.SweepSchema, content, value)
	}
	if err == nil {
		err = s.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("is no %s that this version of the suite wrote: %w", SummaryFile, err)
	}
	s.Tally.Restore(s.Identity.Seed)
	return s, nil
}

// Decode decodes a file with counts: one strict JSON text without unknown members, control characters, and numbers that
// are no possible count.
func Decode(content []byte, into any) error {
	if _, err := decodeSafe(content); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// decodeSafe decodes strict JSON, and returns an error for a text or a number that the suite never writes.
func decodeSafe(content []byte) (any, error) {
	value, err := strictjson.Decode(content)
	if fault := findInvalid("", value); fault != "" {
		err = fmt.Errorf("it holds %s", fault)
	}
	return value, err
}

// findInvalid describes a value that the suite never writes: a text with control characters, or a number that is no
// possible count. It returns "" if there is none.
func findInvalid(name string, value any) string {
	switch value := value.(type) {
	case string:
		if report.PrintableLines(value) != value {
			return fmt.Sprintf("the text %q", value)
		}
	case json.Number:
		n, _ := value.Float64() // of one past every number, infinity
		if name != seedMember && name != elapsedMember && (n < 0 || n > maxCounted) {
			return "the number " + value.String()
		}
	case []any:
		for _, element := range value {
			if fault := findInvalid(name, element); fault != "" {
				return fault
			}
		}
	case map[string]any:
		lowerNames := map[string]bool{}
		for name, member := range value {
			lower := strings.ToLower(name)
			if lowerNames[lower] {
				return fmt.Sprintf("the member %q twice, in different cases", name)
			}
			lowerNames[lower] = true
			if fault := cmp.Or(findInvalid("", name), findInvalid(name, member)); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// The members whose numbers are not counts.
const (
	seedMember    = "seed"
	elapsedMember = "elapsed" // nanoseconds, in a checkpoint
)

// validate returns an error if a summary contradicts itself.
func (s *Summary) validate() error {
	if err := s.Tally.Sound(); err != nil {
		return err
	}
	sample := int64(s.Identity.Sample)
	if _, err := settings.ParseMinServed(s.MinServed); s.MinServed != "" && err != nil {
		return err
	}
	switch {
	case s.Tally.Served == nil && !slices.Contains([]string{"1.0", "1.1"}, s.Format):
		return fmt.Errorf("it does not count the users who were served")
	case s.Complete && len(s.Tally.Pending) > 0:
		return fmt.Errorf("it is complete, and some users are still to be asked again")
	case s.Total != 0 && s.Total < s.Tally.Users:
		return fmt.Errorf("it checked %d users of %d", s.Tally.Users, s.Total)
	case s.Tally.Users > s.Read.Users:
		return fmt.Errorf("it checked %d users, and read %d", s.Tally.Users, s.Read.Users)
	case s.Complete && sample == 0 && s.Identity.Shard.Of == 1 && s.Tally.Users != s.Read.Users:
		return fmt.Errorf("it is complete, and checked %d users of %d", s.Tally.Users, s.Read.Users)
	case s.Complete && sample > 0 && s.Tally.Users != min(sample, s.Read.Users):
		return fmt.Errorf("it is complete, and checked %d users of a sample of %d", s.Tally.Users, sample)
	}
	return nil
}

// Sound returns an error if counts that Decode read from a file contradict themselves. An edited file must not turn a
// failure into a pass.
func (c *Counts) Sound() error {
	operations := len(schemas.Operations())
	if c == nil || c.Groups == nil || len(c.Witnessed) != operations || len(c.Findings) != operations ||
		len(c.Outcomes) != operations {
		return fmt.Errorf("it has no counts, or one that is not of these operations")
	}
	if err := c.Times.validate(); err != nil {
		return err
	}
	lines := c.Ungrouped
	for _, g := range c.Groups {
		if g == nil || g.Users < 1 || g.Findings < g.Users || g.Sample == nil ||
			int64(len(g.Sample)) > min(g.Users, maxSample) {
			return fmt.Errorf("a group of findings does not add up")
		}
		lines += g.Findings
	}
	for _, op := range schemas.Operations() {
		if err := c.soundFor(op); err != nil {
			return err
		}
	}
	if err := c.soundServed(); err != nil {
		return err
	}
	found := c.Found()
	if c.Differing > min(c.Users, found.Differences) || c.Violating > min(c.Users, found.Violations) {
		return fmt.Errorf("it counts more users with findings than users, or than findings")
	}
	if all := found.Differences + found.Violations + found.Waived; len(c.Groups) > maxGroups || lines != all {
		return fmt.Errorf("its groups have %d findings, and it has %d", lines, all)
	}
	return nil
}

func (c *Counts) soundFor(op schemas.Operation) error {
	counted, found := int64(0), c.Findings[op]
	if _, ok := c.Witnessed[op]; !ok || len(c.Outcomes[op]) != len(Outcomes()) {
		return fmt.Errorf("it has no outcomes for %s", op)
	}
	if found == nil {
		return fmt.Errorf("it does not count the findings of %s", op)
	}
	for _, o := range Outcomes() {
		share := c.Outcomes[op][o]
		if share == nil || share.Why == nil {
			return fmt.Errorf("it does not count the outcome %s of %s", o, op)
		}
		reasons := int64(0)
		for _, n := range share.Why {
			if reasons += n; n < 1 || reasons > share.Count { // at once, before the sum can overflow
				return fmt.Errorf("its reasons and the outcome %s of %s do not add up", o, op)
			}
		}
		counted += share.Count
	}
	count := func(o Outcome) int64 { return c.Outcomes[op][o].Count }
	switch {
	case counted+c.Pending[op] != c.Users:
		return fmt.Errorf("it has %d users, and %d outcomes of %s", c.Users, counted, op)
	case count(NotComparable) != found.Open:
		return fmt.Errorf("it has %d users that could not be compared by %s, and %d lines of them",
			count(NotComparable), op, found.Open)
	case count(Different) > found.Differences+found.Waived, count(BothViolate) > found.Violations+found.Waived:
		return fmt.Errorf("it has fewer findings of %s than users who show one", op)
	}
	return nil
}

func (t *Times) validate() error {
	if t.Seconds < 1 || t.Seconds > maxSeconds || t.Seconds&(t.Seconds-1) != 0 || t.Buckets == nil ||
		len(t.Buckets) > maxBuckets {
		return fmt.Errorf("its times are invalid")
	}
	for i, bucket := range t.Buckets {
		known := bucket.Outcomes != nil
		for o := range bucket.Outcomes {
			known = known && slices.Contains(Outcomes(), o)
		}
		if !known {
			return fmt.Errorf("period %d of its times does not add up", i)
		}
	}
	return nil
}
