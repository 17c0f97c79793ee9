package fast

import "bytes"

// form tells whether a text without escapes keeps a form. Package schemas has the same on strings; these read bytes, so
// that no answer is copied, and are held against those by tests.
type form func(text []byte) bool

// formOf gives the form of a format of package schemas; nil for a format that is not known.
func formOf(format string) form {
	switch format {
	case "authn-guid":
		return isGUID
	case "authn-date-time":
		return isDateTime
	case "authn-utc-milliseconds":
		return endsInUTCMilliseconds
	}
	return nil
}

// isGUID is J3: 8-4-4-4-12 hex digits of either case.
func isGUID(text []byte) bool {
	const example = "00000000-0000-0000-0000-000000000000"
	if len(text) != len(example) {
		return false
	}
	for i, c := range text {
		if c == '-' != (example[i] == '-') || c != '-' && !isHex(c) {
			return false
		}
	}
	return true
}

// isDateTime is J4.
func isDateTime(text []byte) bool {
	const example = "0000-00-00T00:00:00"
	if len(text) < len(example) {
		return false
	}
	for i := range len(example) {
		if c := text[i]; c != example[i] && (example[i] != '0' || !isDigit(c)) {
			return false
		}
	}
	year, month, day := 100*two(text)+two(text[2:]), two(text[5:]), two(text[8:])
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return false
	}
	if two(text[11:]) > 23 || two(text[14:]) > 59 || two(text[17:]) > 59 {
		return false
	}
	rest := text[len(example):]
	if len(rest) > 0 && rest[0] == '.' {
		digits := 1
		for digits < len(rest) && isDigit(rest[digits]) {
			digits++
		}
		if digits == 1 {
			return false
		}
		rest = rest[digits:]
	}
	return len(rest) == 0 || isOffset(rest)
}

// isOffset takes Z and ±hh:mm.
func isOffset(text []byte) bool {
	if len(text) == 1 {
		return text[0] == 'Z'
	}
	return len(text) == len("+00:00") && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
		isDigit(text[1]) && isDigit(text[2]) && isDigit(text[4]) && isDigit(text[5]) &&
		two(text[1:]) <= 23 && two(text[4:]) <= 59
}

// endsInUTCMilliseconds is what J4 asks of a date-time beside being one: exactly three fraction digits, then UTC.
func endsInUTCMilliseconds(text []byte) bool {
	dot := bytes.IndexByte(text, '.')
	if dot < 0 || len(text) < dot+len(".000Z") {
		return false
	}
	end := text[dot+1:]
	return isDigit(end[0]) && isDigit(end[1]) && isDigit(end[2]) && (string(end[3:]) == "Z" || string(end[3:]) == "+00:00")
}

// daysIn counts the days of a month, 1 to 12, in the Gregorian calendar.
func daysIn(year, month int) int {
	switch {
	case month != 2:
		return 30 + (month+month/8)%2
	case year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	default:
		return 28
	}
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isHex(c byte) bool { return isDigit(c) || c|0x20-'a' <= 5 }

// two reads the number that two digits write.
func two(digits []byte) int { return int(digits[0]-'0')*10 + int(digits[1]-'0') }
