package stats

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// maxRead is the maximum size of a sweep.json in bytes. Two hundred groups with their samples take less.
const maxRead = 64 << 20

// maxCounted is the largest count accepted from a file, so that adding up a hundred thousand shards can't overflow.
const maxCounted = 1 << 45

// Read reads a sweep.json. It accepts only what its schema accepts, and no text that does something where it is shown.
// Whether the numbers add up is not checked. The error says what is wrong.
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
		err = report.Decode(s, "summary of a sweep", "sweep", content, value)
	}
	if err == nil {
		err = s.Tally.check()
	}
	if err == nil && s.MinServed != "" {
		_, err = settings.ParseMinServed(s.MinServed)
	}
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		return nil, fmt.Errorf("%w; sweep again with --restart", err)
	}
	if err != nil {
		return nil, fmt.Errorf("is no %s that this version of the suite wrote: %w", SummaryFile, err)
	}
	s.Tally.Restore(s.Identity.Seed)
	return s, nil
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
		if name != seedMember && (n < 0 || n > maxCounted) {
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

// seedMember is the member whose number is not a count.
const seedMember = "seed"

// check returns an error for counts that the schema accepts, and that are not of these operations or of two versions.
func (c *Counts) check() error {
	operations := len(schemas.Operations())
	switch {
	case len(c.Witnessed) != operations, len(c.Findings) != operations, len(c.Outcomes) != operations,
		slices.ContainsFunc(c.Unsteady, func(p *UnsteadyPlace) bool {
			return len(p.Users) != 2 || len(p.Settled) != 2
		}):
		return errors.New("it has counts that are not of these operations and versions")
	case c.Times.Seconds < 1 || c.Times.Seconds > maxSeconds:
		return errors.New("its times are invalid")
	}
	return nil
}
