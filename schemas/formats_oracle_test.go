package schemas_test

import "strings"

// formatOracles are hand-written versions of the patterns in formats.schema.json, which the tests compare.
func formatOracles() map[string]func(string) bool {
	return map[string]func(string) bool{
		"guid":            isGUID,
		"dateTime":        isDateTime,
		"utcMilliseconds": endsInUTCMilliseconds,
	}
}

// isGUID: the text form of RFC 9562, section 4, hex digits of either case, any version and variant bits.
func isGUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'f') && (s[i] < 'A' || s[i] > 'F') {
				return false
			}
		}
	}
	return true
}

// isDateTime: ISO 8601 extended form of a real date and time in the years 0000 to 9999, with an optional fraction of
// any length and an optional offset. A leap second is refused: the contract's seconds end at 59.
func isDateTime(s string) bool {
	const form = "0000-00-00T00:00:00"
	if len(s) < len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && !isDigit(s[i]) || form[i] != '0' && s[i] != form[i] {
			return false
		}
	}
	day := twoDigits(s[8:])
	if day < 1 || day > daysIn(twoDigits(s)*100+twoDigits(s[2:]), twoDigits(s[5:])) {
		return false
	}
	if twoDigits(s[11:]) > 23 || twoDigits(s[14:]) > 59 || twoDigits(s[17:]) > 59 {
		return false
	}
	rest := s[len(form):]
	if strings.HasPrefix(rest, ".") {
		end := 1
		for end < len(rest) && isDigit(rest[end]) {
			end++
		}
		if end == 1 {
			return false
		}
		rest = rest[end:]
	}
	return rest == "" || isOffset(rest)
}

// isOffset: Z, or a sign with hours 00 to 23 and minutes 00 to 59.
func isOffset(s string) bool {
	if s == "Z" {
		return true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return false
	}
	for _, i := range []int{1, 2, 4, 5} {
		if !isDigit(s[i]) {
			return false
		}
	}
	return twoDigits(s[1:]) <= 23 && twoDigits(s[4:]) <= 59
}

// endsInUTCMilliseconds: the only dot of the text is followed by three digits and the offset of UTC, and nothing else.
// The pattern for a date-time is a separate one.
func endsInUTCMilliseconds(s string) bool {
	_, end, found := strings.Cut(s, ".")
	if !found || len(end) < 3 || !isDigit(end[0]) || !isDigit(end[1]) || !isDigit(end[2]) {
		return false
	}
	return end[3:] == "Z" || end[3:] == "+00:00"
}

// daysIn returns the number of days of a month in the proleptic Gregorian calendar; 0 if there is no such month.
func daysIn(year, month int) int {
	switch month {
	case 1, 3, 5, 7, 8, 10, 12:
		return 31
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// twoDigits parses the first two characters, which must be digits.
func twoDigits(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }
