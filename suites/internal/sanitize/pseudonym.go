package sanitize

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// word is the start of a pseudonym, unless it replaces a GUID, a date-time or a number. 16 letters follow.
const word = "redacted-"

// pseudonym matches pseudonyms that start with word. digests matches the digests in what is shown of hidden values and
// names.
var (
	pseudonym = regexp.MustCompile(word + `[A-Za-z]{16}`)
	digests   = regexp.MustCompile(`(?i)(#|` + hiddenName + `)[0-9a-f]{10,16}\b`)
)

// Anonymous replaces each pseudonym that starts with word by "redacted". Texts of two runs, whose pseudonyms differ,
// can then be compared.
func Anonymous(text string) string {
	return pseudonym.ReplaceAllLiteralString(text, strings.TrimRight(word, "-"))
}

// WithoutDigests removes the digests of hidden values and names from a text. Texts of two runs with different keys can
// then be compared.
func WithoutDigests(text string) string { return digests.ReplaceAllString(text, "$1") }

// tooShort replaces a text for which every pseudonym would contain a trace. It is too short to contain one.
const tooShort = "***"

// attempts is how many pseudonyms are tried until one has no trace. The word, a number's exponent or its outer digits
// may be the secret, so the later half of the attempts omits them.
const attempts = 20

// free returns the first pseudonym without a trace. create gets 32 bytes derived from the text, its kind, the attempt
// and the run's key.
func (s *Secrets) free(kind, text string, create func(random []byte, late bool) string) string {
	for attempt := range attempts {
		if name := create(s.random(strconv.Itoa(attempt)+kind, text), attempt >= attempts/2); !s.Found(name) {
			return name
		}
	}
	return tooShort
}

func (s *Secrets) random(kind, text string) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(kind + " " + text))
	return mac.Sum(nil)
}

// ofString returns the pseudonym of a string: a GUID for a GUID, a date-time for a date-time, else the word and 16
// letters. Strings that differ only in case get pseudonyms that do too.
func (s *Secrets) ofString(text string) string {
	second, fraction, offset, _ := schemas.SplitDateTime(text)
	if local, err := time.Parse(secondsForm, second); err == nil {
		return s.ofDateTime(local, fraction, offset)
	}
	isGUID := schemas.IsGUID(text)
	return s.free("string", strings.ToLower(text), func(random []byte, late bool) string {
		if isGUID {
			r := random
			return s.inCaseOf(text, fmt.Sprintf("%x-%x-%x-%x-%x", r[:4], r[4:6], r[6:8], r[8:10], r[10:16]))
		}
		letters := random[:16]
		for i, b := range letters {
			letters[i] = 'a' + b%26
		}
		if late {
			return s.inCaseOf(text, string(letters))
		}
		return word + s.inCaseOf(text, string(letters))
	})
}

// inCaseOf returns name in the case of text, lower or upper. For mixed case its capitals depend on the text.
func (s *Secrets) inCaseOf(text, name string) string {
	upper := strings.ToUpper(name)
	switch text {
	case strings.ToLower(text):
		return name
	case strings.ToUpper(text):
		return upper
	}
	mixed, random := []byte(name), s.random("case", text)
	for i := range mixed {
		if random[i%len(random)]&1 == 1 {
			mixed[i] = upper[i]
		}
	}
	return string(mixed)
}

const (
	secondsForm = "2006-01-02T15:04:05"
	century     = 100 * 365 * 24 * 60 * 60 // in seconds
)

// ofDateTime returns another date-time in the same form. Equal instants get equal ones.
func (s *Secrets) ofDateTime(local time.Time, fraction, offset string) string {
	offsetSeconds := 0
	if zone, err := time.Parse("Z07:00", offset); err == nil {
		_, offsetSeconds = zone.Zone()
	}
	instant := fmt.Sprint(local.Unix()-int64(offsetSeconds), strings.TrimRight(fraction, ".0"), offset == "")
	return s.free("date-time", instant, func(random []byte, _ bool) string {
		seconds := int(binary.BigEndian.Uint32(random) % century)
		local := time.Date(2000, time.January, 2, 0, 0, seconds+offsetSeconds, 0, time.UTC)
		return local.Format(secondsForm) + otherDigits(fraction, random, "123456789") + offset
	})
}

// jsonNumber matches a JSON number: the part before the exponent, and the exponent.
var jsonNumber = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)([eE][+-]?[0-9]+)?$`)

// ofNumber returns another number of the same length and form. A whole number stays whole, and equal values get equal
// ones. It returns "" for a text that is no number.
func (s *Secrets) ofNumber(text string) string {
	m := jsonNumber.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	significant := strings.Trim(strings.ReplaceAll(strings.TrimLeft(m[1], "-"), ".", ""), "0")
	return s.free("number", significant, func(random []byte, late bool) string {
		if late {
			return otherDigits(text, random, "0123456789")
		}
		return otherDigits(m[1], random, "123456789") + m[2]
	})
}

// otherDigits replaces the digits of a text from the first to the last byte that ends contains. These two do not become
// 0.
func otherDigits(text string, random []byte, ends string) string {
	out, first, last := []byte(text), strings.IndexAny(text, ends), strings.LastIndexAny(text, ends)
	for at := max(first, 0); at <= last; at++ {
		if out[at] < '0' || out[at] > '9' {
			continue
		}
		random = append(random[1:], random[0]^random[1]+1)
		if out[at] = '0' + random[0]%10; at == first || at == last {
			out[at] = '1' + random[0]%9
		}
	}
	return string(out)
}
