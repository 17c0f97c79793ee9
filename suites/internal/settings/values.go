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
	"authenticator-conformance/suites/internal/settings/users"
)

// The bounds of the numbers.
const (
	maxConcurrency = 256
	minRate        = 0.01
)

// listSeparator separates the words of a list in one text.
const listSeparator = ","

// setter validates a value and stores it in the settings of the resolver or, for a setting of a target, in the target.
// It may set how the value is shown.
type setter func(*resolver, *Target, *rawValue) error

// inSettings returns a setter that parses the text and stores the value in a field of the settings.
func inSettings[T any](parse func(string) (T, error), field func(*Settings) *T) setter {
	return func(r *resolver, _ *Target, g *rawValue) (err error) {
		*field(r.settings), err = parse(g.text)
		return err
	}
}

// inTarget returns a setter that parses the text and stores the value in a field of the target.
func inTarget[T any](parse func(string) (T, error), field func(*Target) *T) setter {
	return func(_ *resolver, t *Target, g *rawValue) (err error) {
		*field(t), err = parse(g.text)
		return err
	}
}

// path returns a setter that stores the text as a path, relative to its source's folder.
func path(field func(*Settings) *string) setter {
	return func(r *resolver, _ *Target, g *rawValue) error {
		*field(r.settings) = g.path()
		return nil
	}
}

// ShardPlace is the placeholder for the number of the shard in the name of a sweep's report folder.
const ShardPlace = "{shard}"

// setReportDir sets the report folder, with the start in the place of {date}. A sweep replaces {shard} itself.
func (r *resolver) setReportDir(_ *Target, g *rawValue) error {
	r.settings.ReportDir = Dated(g.path(), r.now)
	name := regexp.MustCompile(`\{\w*\}`).FindString(r.settings.ReportDir)
	known := datePlace + ", which is the day and time of the start"
	if r.in.command == Sweep {
		known += ", or " + ShardPlace + ", which is the number of the shard"
	}
	if name != "" && !(r.in.command == Sweep && name == ShardPlace) {
		return fmt.Errorf("%s stands for nothing: expected %s", name, known)
	}
	return nil
}

// alreadyRead is the setter of a setting that was already read elsewhere.
func alreadyRead(*resolver, *Target, *rawValue) error { return nil }

func unchanged(text string) (string, error) { return text, nil }

// applicationID accepts an identifier as it stands, without what may be copied with it.
func applicationID(text string) (string, error) {
	return text, form{subject: "the identifier"}.fault(text)
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

// oneOf returns a parser that accepts exactly one of the words. Case matters.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		return "", fmt.Errorf("expected %s, got %s%s", strings.Join(words, " or "), input.Quote(text),
			input.Suggest(text, words))
	}
}

// setConcurrency is for a sweep only: a run has none.
func (r *resolver) setConcurrency(_ *Target, g *rawValue) error {
	n, err := wholeNumber(g.text)
	if r.in.command == Sweep {
		r.settings.Concurrency = n
	}
	return err
}

func wholeNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < 1 || n > maxConcurrency {
		return 0, fmt.Errorf("expected a whole number from 1 to %d, got %s", maxConcurrency, input.Quote(text))
	}
	return n, nil
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

// setVersions stores the versions in the order of the API document.
func (r *resolver) setVersions(_ *Target, g *rawValue) error {
	var asked []schemas.Version
	for word := range strings.SplitSeq(g.text, listSeparator) {
		v := schemas.Version(strings.TrimSpace(word))
		switch {
		case v == "":
			return fmt.Errorf("an entry of %s is empty: expected versions such as %s", input.Quote(g.text),
				joined(schemas.Versions(), listSeparator))
		case !slices.Contains(schemas.Versions(), v):
			return NotAVersion(string(v))
		case slices.Contains(asked, v):
			return fmt.Errorf("%s occurs twice: give each version once", v)
		}
		asked = append(asked, v)
	}
	r.settings.Versions = slices.DeleteFunc(schemas.Versions(),
		func(v schemas.Version) bool { return !slices.Contains(asked, v) })
	if r.in.command == Sweep {
		return r.sweptVersions()
	}
	return nil
}

// NotAVersion is the error for a word that is no version of the API.
func NotAVersion(word string) error {
	return fmt.Errorf("%s is not a version of the API: expected %s", input.Quote(word),
		joined(schemas.Versions(), " or "))
}

// hidesValues reports whether values are hidden, before that setting is validated. Any value but "show" hides them.
func (r *resolver) hidesValues() bool {
	g, given := r.chosen[nameValues]
	return given && g.text != ValuesShow
}

// setUsers reads the users of a run. For a sweep it only stores the path, as a sweep reads its users as a stream.
func (r *resolver) setUsers(_ *Target, g *rawValue) (err error) {
	r.settings.UsersFile = g.path()
	switch {
	case r.in.command != Sweep:
		var notes []string
		r.settings.Users, notes, err = users.ReadAll(g.path(), r.contract, r.hidesValues())
		for _, note := range notes {
			r.caution("%s: %s", g.path(), note)
		}
	case g.text == StandardInput:
		r.settings.UsersFile = StandardInput
	case g.path() == StandardInput: // a file of that name, given as ./-
		r.settings.UsersFile = "./" + StandardInput
	}
	return err
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
