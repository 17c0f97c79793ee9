package schemas

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Off names the part of a value that is off, where it has another type or form than the schema has at a pointer: "no
// zone", "in braces". It is "" if there is no such part, and never has a part of the value.
func (s *Schema) Off(pointer string, value any) string {
	n := s.root.at(strings.Split(pointer, "/")[1:])
	if n == nil {
		return ""
	}
	text, isText := value.(string)
	switch number, isNumber := value.(json.Number); {
	case isText && n.allows("string"):
		return n.offForm(text)
	case isText && n.allows("integer") && json.Unmarshal([]byte(text), new(json.Number)) == nil:
		return "a number in quotation marks"
	case isText && n.allows("integer"):
		return "a text in place of a number"
	case isText && n.allows("boolean") && slices.Contains([]string{"true", "false"}, strings.ToLower(text)):
		return "true or false in quotation marks"
	case isNumber && n.allows("boolean"):
		return "a number in place of true or false"
	case isNumber && n.allows("integer") && !isWhole(string(number)):
		return "a number with a fraction"
	case isNumber && n.has(dateTime()):
		return "a number in place of a date"
	}
	return ""
}

func (d *definition) has(format *regexp.Regexp) bool {
	return slices.ContainsFunc(d.formats, func(f *regexp.Regexp) bool { return f.String() == format.String() })
}

// offForm names the part of a text that is off.
func (d *definition) offForm(text string) string {
	isGUID, isDate := d.has(guid()), d.has(dateTime())
	switch {
	case !isGUID && !isDate:
		return ""
	case text == "":
		return "an empty text"
	case strings.TrimSpace(text) != text:
		return "white space around it"
	case isDate && dateTime().MatchString(text):
		return offUTC(text)
	}
	faults := dateTimeFaults
	if isGUID {
		faults = guidFaults
	}
	i := slices.IndexFunc(faults, func(f fault) bool { return f.pattern.MatchString(text) })
	return faults[i].off // the last matches any text
}

// fault is what is off in a text that matches the pattern.
type fault struct {
	pattern *regexp.Regexp
	off     string
}

// guidFaults are what is off in a text that is no GUID (J3). The first that matches is named.
var guidFaults = []fault{
	{regexp.MustCompile(`^\{.*\}$`), "in braces"},
	{regexp.MustCompile(`^\(.*\)$`), "in parentheses"},
	{regexp.MustCompile(`^(?i)urn:uuid:`), "urn:uuid: in front of it"},
	{regexp.MustCompile(`^[0-9A-Fa-f]{32}$`), "no hyphens"},
	{regexp.MustCompile(`^[0-9]+$`), "a number in quotation marks"},
	{regexp.MustCompile(`^.{36}.*[\r\n]$`), "a line break at its end"},
	{regexp.MustCompile(`^[0-9A-Fa-f-]{36}$`), "hyphens at other places than 8-4-4-4-12"},
	{regexp.MustCompile(`^.{36}$`), "a character that is no hexadecimal digit"},
	{regexp.MustCompile(``), "another length than 36 characters"},
}

const date, clock = `[0-9]{4}-[0-9]{2}-[0-9]{2}`, `[0-9]{2}:[0-9]{2}:[0-9]{2}`

// dateTimeFaults are what is off in a text that is no date-time (J4). The first that matches is named.
var dateTimeFaults = []fault{
	{regexp.MustCompile(`^/Date\(`), "the form /Date(…)/"},
	{regexp.MustCompile(`^-?[0-9]+$`), "a number in quotation marks"},
	{regexp.MustCompile(`^` + date + `$`), "a date without a time"},
	{regexp.MustCompile(`^` + clock), "a time without a date"},
	{regexp.MustCompile(`^` + date + ` `), "a space in place of the T"},
	{regexp.MustCompile(`^` + date + `t`), "a lower-case t"},
	{regexp.MustCompile(`^` + date + `T.*z$`), "a lower-case z"},
	{regexp.MustCompile(`^` + date + `T` + clock + `,`), "a comma before the fraction"},
	{regexp.MustCompile(`^` + date + `T[0-9]{2}:[0-9]{2}(?:Z|[+-].*)?$`), "no seconds"},
	{regexp.MustCompile(`^` + date + `T` + clock + `\.(?:Z|[+-].*)?$`), "a dot without digits after it"},
	{regexp.MustCompile(`^` + date + `T` + clock + `(?:\.[0-9]+)?[+-][0-9]{2}(?:[0-9]{2})?$`),
		"an offset without a colon"},
	{regexp.MustCompile(`^` + date + `T` + clock + `(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?$`),
		"a date or time that does not exist"},
	{regexp.MustCompile(`^[A-Za-z]{3}, `), "the form of RFC 1123"},
	{regexp.MustCompile(`^[0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{2,4}`), "a date in the form of a country"},
	{regexp.MustCompile(`^[0-9]{8}(?:T|$)`), "no hyphens in the date"},
	{regexp.MustCompile(``), "another form than YYYY-MM-DDThh:mm:ss"},
}

// offUTC names what is off in a date-time that is not in UTC with milliseconds (J4).
func offUTC(text string) string {
	_, fraction, offset, _ := SplitDateTime(text)
	var off []string
	switch digits := max(0, len(fraction)-1); {
	case digits == 0:
		off = append(off, "no fraction of a second, where three digits are documented")
	case digits != 3:
		off = append(off, plural(digits)+" of a second, where exactly three are documented")
	}
	switch offset {
	case "":
		off = append(off, "no zone, where Z or +00:00 is documented")
	case "Z", "+00:00":
	default:
		off = append(off, "another zone than UTC, where Z or +00:00 is documented")
	}
	return strings.Join(off, "; ")
}

// plural names a number of digits.
func plural(digits int) string {
	words := []string{"one digit", "two digits", "", "four digits", "five digits", "six digits", "seven digits",
		"eight digits", "nine digits"}
	if digits <= len(words) {
		return words[digits-1]
	}
	return fmt.Sprintf("%d digits", digits)
}
