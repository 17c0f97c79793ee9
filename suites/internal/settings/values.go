package settings

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings/input"
)

// The bounds of the numbers.
const (
	maxConcurrency = 256
	minRate        = 0.01
)

// listSeparator separates the words of a list in one text.
const listSeparator = ","

func unchanged(text string) (string, error) { return text, nil }

// applicationID accepts an identifier as it stands, without what may be copied with it.
func applicationID(text string) (string, error) {
	return text, form{subject: "the identifier", isCredential: true}.fault(text)
}

// shortLine accepts what fits into the head of a report.
func shortLine(text string) (string, error) {
	if utf8.RuneCountInString(text) > 200 {
		return "", errors.New("has over 200 characters: expected a short text")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("contains a control character or line break: expected a text on one line")
	}
	return text, nil
}

// Days reads a number of days such as 90d.
func Days(text string) (int, error) {
	number, ok := strings.CutSuffix(text, "d")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > 3650 {
		return 0, fmt.Errorf("expected days such as 90d, up to 3650d, got %s", input.Quote(text))
	}
	return n, nil
}

func expression(text string) (string, error) {
	if _, err := regexp.Compile(text); err != nil {
		return "", fmt.Errorf("%s is not a regular expression (RE2): %w", input.Quote(text), err)
	}
	return text, nil
}

// checkWord returns an error unless a text is one of the words. Case matters.
func checkWord(text string, words ...string) error {
	if slices.Contains(words, text) {
		return nil
	}
	return fmt.Errorf("expected %s, got %s%s", strings.Join(words, " or "), input.Quote(text),
		input.Suggest(text, words))
}

func rate(text string) (float64, error) {
	rate, err := strconv.ParseFloat(text, 64)
	if inRange := rate >= minRate || rate == 0 && !math.Signbit(rate); err != nil || !inRange || !plainNumber(text) {
		return 0, fmt.Errorf("expected 0 (unlimited) or a number of at least %v such as 5 or 0.5, got %s", minRate,
			input.Quote(text))
	}
	return rate, nil
}

// plainNumber reports whether YAML, a shell and a person read the number alike. It has no leading zeros, underscores or
// hexadecimal digits.
func plainNumber(text string) bool {
	octal := len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'
	return !octal && strings.Trim(text, "0123456789.eE+-") == ""
}

func durationUpTo(limit string) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		if _, err := strconv.ParseFloat(text, 64); err == nil && plainNumber(text) {
			return 0, fmt.Errorf("%s has no unit: write %s for seconds", input.Quote(text), input.Quote(text+"s"))
		}
		d, err := time.ParseDuration(text)
		if bound, _ := time.ParseDuration(limit); err != nil || d <= 0 || d > bound {
			return 0, fmt.Errorf("expected a duration over 0 and up to %s such as 10s or 1m30s, got %s", limit,
				input.Quote(text))
		}
		return d, nil
	}
}

// joined returns the names of versions in one text.
func joined(versions []schemas.Version, separator string) string {
	var words []string
	for _, v := range versions {
		words = append(words, string(v))
	}
	return strings.Join(words, separator)
}

// NotAVersion is the error for a word that is no version of the API.
func NotAVersion(word string) error {
	return fmt.Errorf("%s is not a version of the API: expected %s", input.Quote(word),
		joined(schemas.Versions(), " or "))
}

// MinServed is the least share or number of users whom each operation of a version must serve in a sweep.
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
