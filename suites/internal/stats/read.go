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
	"authenticator-conformance/suites/internal/redact"
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
	value, err := strictjson.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("is no %s: %w", SummaryFile, err)
	}
	if fault := findInvalid("", value); fault != "" {
		return nil, fmt.Errorf("is no %s that this suite wrote: it holds %s", SummaryFile, fault)
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
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("is no %s that this suite wrote: %w", SummaryFile, err)
	}
	s.Tally.Restore(s.Identity.Seed)
	return s, nil
}

func major(format string) string {
	version, _, _ := strings.Cut(format, ".")
	return version
}

// findInvalid describes a value that the suite never writes: a text with control characters, or a number that is no
// possible count. It returns "" if there is none.
func findInvalid(name string, value any) string {
	switch value := value.(type) {
	case string:
		if redact.PrintableLines(value) != value {
			return fmt.Sprintf("the text %q", value)
		}
	case json.Number:
		if n, err := value.Float64(); name != seedMember && (err != nil || n < 0 || n > maxCounted) {
			return "the number " + value.String()
		}
	case []any:
		for _, element := range value {
			if fault := findInvalid(name, element); fault != "" {
				return fault
			}
		}
	case map[string]any:
		groupKeys := map[string]bool{}
		for name, member := range value {
			if lower := strings.ToLower(name); groupKeys[lower] {
				return fmt.Sprintf("the member %q twice, in different cases", name)
			} else {
				groupKeys[lower] = true
			}
			if fault := cmp.Or(findInvalid("", name), findInvalid(name, member)); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// seedMember is the only member whose number is not a count.
const seedMember = "seed"

// validate returns an error if a summary contradicts itself.
func (s *Summary) validate() error {
	if err := s.Tally.Sound(); err != nil {
		return err
	}
	if s.Shards == nil || s.Notes == nil || s.Settings == nil || s.Identity.Target == nil || s.Suite.Libraries == nil ||
		s.Suite.Files == nil {
		return fmt.Errorf("it lacks shards, notes, settings, target, or what the suite is made of")
	}
	switch {
	case !s.Traffic.Sound() || !s.Read.Sound() || !inRange(int64(s.Identity.Sample), s.Total) || s.Seconds < 0:
		return fmt.Errorf("it counts what can't be counted")
	case s.Total != 0 && s.Total < s.Tally.Users:
		return fmt.Errorf("it looked at %d users of %d", s.Tally.Users, s.Total)
	case s.Tally.Users > s.Read.Users:
		return fmt.Errorf("it looked at %d users, and read %d", s.Tally.Users, s.Read.Users)
	case s.Complete && s.Identity.Sample == 0 && s.Identity.Shard.Of == 1 && s.Tally.Users != s.Read.Users:
		return fmt.Errorf("it is complete, and looked at %d users of %d", s.Tally.Users, s.Read.Users)
	case s.Complete && s.Identity.Sample > 0 && s.Tally.Users != min(int64(s.Identity.Sample), s.Read.Users):
		return fmt.Errorf("it is complete, and looked at %d users of a sample of %d", s.Tally.Users, s.Identity.Sample)
	}
	return nil
}

// Sound reports whether all numbers are possible counts.
func (t Traffic) Sound() bool { return inRange(t.Requests, t.Throttled, t.Repeated, t.Outages) }

// Sound reports whether the number of users is a possible count.
func (p Population) Sound() bool { return inRange(p.Users) }

// inRange reports whether all numbers are possible counts: not negative, and small enough that adding them up can't
// overflow.
func inRange(numbers ...int64) bool {
	for _, n := range numbers {
		if n < 0 || n > maxCounted {
			return false
		}
	}
	return true
}

// Sound returns an error if counts that were read from a file contradict themselves. An edited file must not turn a
// failure into a pass.
func (t *Counts) Sound() error {
	if t == nil || t.Groups == nil || len(t.Witnessed) != len(schemas.Operations()) ||
		len(t.Findings) != len(schemas.Operations()) || len(t.Outcomes) != len(schemas.Operations()) {
		return fmt.Errorf("it has no counts, or one that is not of these operations")
	}
	if err := t.Times.validate(); err != nil {
		return err
	}
	lines := t.Ungrouped
	for _, g := range t.Groups {
		if g == nil || g.Users < 1 || g.Findings < g.Users || !inRange(g.Findings, g.Count) || g.Sample == nil ||
			int64(len(g.Sample)) > min(g.Users, maxSample) {
			return fmt.Errorf("a group of findings does not add up")
		}
		lines += g.Findings
	}
	for _, op := range schemas.Operations() {
		if err := t.soundFor(op); err != nil {
			return err
		}
	}
	found := t.Found()
	if min(t.Differing, t.Violating) < 0 || t.Differing > min(t.Users, found.Differences) ||
		t.Violating > min(t.Users, found.Violations) {
		return fmt.Errorf("it counts more users with findings than users, or than findings")
	}
	if len(t.Groups) > maxGroups || !inRange(t.Ungrouped, t.Requests, t.Users) || lines != found.Differences+
		found.Violations+found.Waived {
		return fmt.Errorf("its groups have %d findings, and it has %d", lines, found.Differences+found.Violations+
			found.Waived)
	}
	return nil
}

func (t *Counts) soundFor(op schemas.Operation) error {
	counted, found := int64(0), t.Findings[op]
	if _, ok := t.Witnessed[op]; !ok || len(t.Outcomes[op]) != len(Outcomes()) {
		return fmt.Errorf("it does not tell of %s what became of its users", op)
	}
	if found == nil || !inRange(found.Differences, found.Violations, found.Waived, found.Open) {
		return fmt.Errorf("it does not count the findings of %s", op)
	}
	for _, o := range Outcomes() {
		share := t.Outcomes[op][o]
		if share == nil || share.Why == nil || share.Count < 0 {
			return fmt.Errorf("it does not count the outcome %s of %s", o, op)
		}
		reason := int64(0)
		for _, n := range share.Why {
			if n < 1 || n > share.Count {
				return fmt.Errorf("it counts a ground of %s of %s otherwise than the outcome", o, op)
			}
			reason += n
		}
		if reason > share.Count {
			return fmt.Errorf("it has more grounds of %s of %s than users", o, op)
		}
		counted += share.Count
	}
	count := func(o Outcome) int64 { return t.Outcomes[op][o].Count }
	switch {
	case counted != t.Users:
		return fmt.Errorf("it has %d users, and %d outcomes of %s", t.Users, counted, op)
	case count(NotComparable) != found.Open:
		return fmt.Errorf("it has %d users that could not be compared by %s, and %d lines of them",
			count(NotComparable), op,
			found.Open)
	case count(Different) > found.Differences+found.Waived, count(BothViolate) > found.Violations+found.Waived:
		return fmt.Errorf("it has fewer findings of %s than users who show one", op)
	}
	return nil
}

func (t *Times) validate() error {
	if t.Seconds < 1 || t.Seconds > maxSeconds || t.Seconds&(t.Seconds-1) != 0 || t.Buckets == nil ||
		len(t.Buckets) > maxBuckets {
		return fmt.Errorf("its times are no times")
	}
	for i, bucket := range t.Buckets {
		valid := bucket.Outcomes != nil && inRange(bucket.Users) && inRange(bucket.Latency[:]...)
		for o, n := range bucket.Outcomes {
			valid = valid && slices.Contains(Outcomes(), o) && inRange(n)
		}
		if !valid {
			return fmt.Errorf("its slot %d of time does not add up", i)
		}
	}
	return nil
}
