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

	"authenticator-conformance/schemas"
)

// The bounds of the numbers and durations.
const (
	maxConcurrency = 256
	minRate        = 0.01
	maxTimeout     = 10 * time.Minute
	maxDeadline    = 24 * time.Hour
)

// listSeparator stands between the words of a list that is one text.
const listSeparator = ","

func takeApplicationID(r *resolver, g given) error {
	if strings.ContainsFunc(g.text, unicode.IsControl) {
		return errors.New("holds a control character or line break: expected the identifier on one line")
	}
	r.settings.ApplicationID = g.text
	return nil
}

func takeReportDir(r *resolver, g given) error {
	r.settings.ReportDir = g.path()
	return nil
}

func takeBaseline(r *resolver, g given) error {
	r.settings.Baseline = g.path()
	return nil
}

func takeUsers(r *resolver, g given) error {
	users, err := readUsers(g.path(), r.contract)
	r.settings.Users, r.settings.UsersFile = users, g.path()
	return err
}

func takeLabelFilter(r *resolver, g given) error {
	r.settings.LabelFilter = g.text
	return nil
}

func takeFocus(r *resolver, g given) error {
	if _, err := regexp.Compile(g.text); err != nil {
		return fmt.Errorf("%s is no regular expression (RE2): %w", quote(g.text), err)
	}
	r.settings.Focus = g.text
	return nil
}

func takeParity(r *resolver, g given) (err error) {
	r.settings.ParityMode, err = oneOf(g.text, ParityValue, ParityShape)
	return err
}

func takeDivergence(r *resolver, g given) (err error) {
	r.settings.Divergence, err = oneOf(g.text, DivergenceReport, DivergenceFail)
	return err
}

// oneOf takes one of a few words, as written.
func oneOf(text string, words ...string) (string, error) {
	if slices.Contains(words, text) {
		return text, nil
	}
	return "", fmt.Errorf("expected %s, got %s%s", strings.Join(words, " or "), quote(text), guess(text, words))
}

func takeVersions(r *resolver, g given) error {
	known := versionWords()
	var asked []string
	for word := range strings.SplitSeq(g.text, listSeparator) {
		word = strings.TrimSpace(word)
		switch {
		case word == "":
			return fmt.Errorf("an entry of %s is empty: expected versions such as %s", quote(g.text), allVersions())
		case !slices.Contains(known, word):
			return fmt.Errorf("%s is no version of the API: expected %s", quote(word), strings.Join(known, " or "))
		case slices.Contains(asked, word):
			return fmt.Errorf("%s stands twice: give each version once", word)
		}
		asked = append(asked, word)
	}
	for _, v := range schemas.Versions() {
		if slices.Contains(asked, string(v)) {
			r.settings.Versions = append(r.settings.Versions, v)
		}
	}
	return nil
}

func versionWords() []string {
	var words []string
	for _, v := range schemas.Versions() {
		words = append(words, string(v))
	}
	return words
}

// allVersions names all versions as one setting would.
func allVersions() string { return strings.Join(versionWords(), listSeparator) }

func takeConcurrency(r *resolver, g given) error {
	n, err := strconv.Atoi(g.text)
	if err != nil || strconv.Itoa(n) != g.text || n < 1 || n > maxConcurrency {
		return fmt.Errorf("expected a whole number from 1 to %d, got %s", maxConcurrency, quote(g.text))
	}
	r.settings.Concurrency = n
	return nil
}

func takeRate(r *resolver, g given) error {
	rate, err := strconv.ParseFloat(g.text, 64)
	ok := err == nil && !math.IsNaN(rate) && !math.IsInf(rate, 0) && !math.Signbit(rate) && (rate == 0 || rate >= minRate)
	if !ok || !plainNumber(g.text) {
		return fmt.Errorf("expected 0 (unlimited) or a number of at least %v such as 5 or 0.5, got %s", minRate, quote(g.text))
	}
	r.settings.Rate = rate
	return nil
}

// plainNumber tells whether a number is written in the one way that YAML, a shell and a person read alike: without
// the leading zeros, underscores and hexadecimal digits in which they differ.
func plainNumber(text string) bool {
	octal := len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'
	return !octal && strings.Trim(text, "0123456789.eE+-") == ""
}

func takeTimeout(r *resolver, g given) (err error) {
	r.settings.Timeout, err = duration(g.text, maxTimeout)
	return err
}

func takeDeadline(r *resolver, g given) (err error) {
	r.settings.Deadline, err = duration(g.text, maxDeadline)
	return err
}

func duration(text string, most time.Duration) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil && plainNumber(text) {
		return 0, fmt.Errorf("%s has no unit: write %s for seconds", quote(text), quote(text+"s"))
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > most {
		return 0, fmt.Errorf("expected a duration over 0 and up to %s such as 10s or 1m30s, got %s", shortDuration(most), quote(text))
	}
	return d, nil
}

// shortDuration writes a whole number of hours or minutes without the zeros that follow.
func shortDuration(d time.Duration) string {
	if d%time.Hour == 0 {
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/time.Minute)) + "m"
}

// date reads a day such as 2027-01-31 as midnight UTC at its start.
func date(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("expected a date such as 2027-01-31, got %s", quote(text))
	}
	return day, nil
}
