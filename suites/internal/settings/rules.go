package settings

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/settings/input"
)

// Ignore is a place in the answers that the parity comparison leaves out.
type Ignore struct {
	// Pointer is a JSON Pointer (RFC 6901) of at least one token; the token "*" matches every index of an array.
	Pointer, Reason string
	// Until is midnight UTC at the start of the last day on which the entry is valid; the zero time means for ever.
	Until time.Time
	// Where is the entry's place, "file:line".
	Where string
}

// Active reports whether the entry is still valid: its last day, in UTC, is included.
func (i Ignore) Active(now time.Time) bool { return i.Until.IsZero() || ledger.Active(i.Until, now) }

// Ended names the waivers and the ignored places that are past their date: they explain findings that nobody expects.
func (s *Settings) Ended(now time.Time) (notes []string) {
	note := func(format, name, where string, until time.Time) {
		text := fmt.Sprintf(format+" (%s) ended on %s (UTC) and no longer holds", name, where,
			until.Format(time.DateOnly))
		if !slices.Contains(notes, text) { // a pattern has a waiver for each requirement
			notes = append(notes, text)
		}
	}
	for _, w := range s.Waivers {
		if !w.Active(now) {
			note("the waiver of %s", w.Name(), w.Where, w.Until)
		}
	}
	for _, i := range s.Ignore {
		if !i.Active(now) {
			note("parity.ignore %s", i.Pointer, i.Where, i.Until)
		}
	}
	return notes
}

// Rules returns the settings that change verdicts, with entries that are not past their date, as JSON: they are equal
// if two sweeps judge alike. clean takes the secrets out of the targets' texts, so that evidence has the same rules.
// MinServed is none, so that a sweep can be resumed with another value.
func (s *Settings) Rules(now time.Time, clean func(string) string) []byte {
	pointers := []string{}
	for _, i := range Active(s.Ignore, now) {
		pointers = append(pointers, i.Pointer)
	}
	text, _ := json.Marshal(map[string]any{ // texts and lists of them
		nameURL:           s.eachTarget(func(t *Target) string { return clean(t.address(s.Embedded)) }),
		nameApplicationID: s.eachTarget(func(t *Target) string { return clean(t.ApplicationID) }),
		"parity":          s.ParityMode,
		"ignored places":  pointers,
		"divergence":      s.Divergence,
		"waivers":         Active(s.Waivers, now),
		"label filter":    s.LabelFilter,
		"focus":           s.Focus,
		nameLastFailed:    s.OnlyRows,
	})
	return text
}

// eachTarget returns a text of the target of each version under test.
func (s *Settings) eachTarget(text func(*Target) string) map[schemas.Version]string {
	all := map[schemas.Version]string{}
	for _, v := range s.Versions {
		if t := s.Targets[v]; t != nil {
			all[v] = text(t)
		}
	}
	return all
}

// Active returns the entries that are not past their date.
func Active[E interface{ Active(time.Time) bool }](list []E, now time.Time) []E {
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return !e.Active(now) })
}

// MinServed is the least share or number of users whom each version must serve in a sweep.
type MinServed struct {
	least int64 // of so many; of 0 it is a number of users
	of    int64
}

// ParseMinServed parses a share such as 50% or 99.5%, or a number of users such as 900.
func ParseMinServed(text string) (MinServed, error) {
	const whole = 100_000_000 // a share has up to six decimals
	if percent, isShare := strings.CutSuffix(text, "%"); isShare && strings.Trim(percent, "0123456789.") == "" {
		share, err := strconv.ParseFloat(percent, 64)
		if err == nil && len(percent) <= len("99.999999") && share <= 100 {
			return MinServed{int64(math.Round(share * whole / 100)), whole}, nil
		}
	} else if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text && n >= 0 {
		return MinServed{least: n}, nil
	}
	return MinServed{}, fmt.Errorf("expected a share such as 50%%, up to 100%%, or a number of users such as 900, "+
		"got %s", input.Quote(text))
}

// IsShare reports whether it is a share, not a number.
func (m MinServed) IsShare() bool { return m.of > 0 }

// Reached reports whether so many served users are enough, of those who should be served.
func (m MinServed) Reached(served, should int64) bool {
	if m.of == 0 {
		return served >= m.least
	}
	return served*m.of >= m.least*should
}

// minServed validates the text.
func minServed(text string) (string, error) {
	_, err := ParseMinServed(text)
	return text, err
}
