package schemas_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// formatOracles judge the texts of each format in formats.schema.json in another way than its pattern.
var formatOracles = map[string]func(string) bool{
	"guid": isGUID, "dateTime": isDateTime, "utcMilliseconds": endsInUTCMilliseconds,
}

// isGUID: the text form of RFC 9562, section 4, hex digits of either case, any version and variant bits.
func isGUID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 || len(s) != 36 {
		return false
	}
	for i, length := range []int{8, 4, 4, 4, 12} {
		if _, err := hex.DecodeString(parts[i]); err != nil || len(parts[i]) != length {
			return false
		}
	}
	return true
}

// isDateTime: ISO 8601 extended form of a real date and time in the years 0000 to 9999, with an optional fraction of
// any length and an optional offset. There is no leap second.
func isDateTime(s string) bool {
	const second = "2006-01-02T15:04:05"
	rest := s[min(len(second), len(s)):]
	if !isTime(second, strings.TrimSuffix(s, rest)) {
		return false
	}
	if strings.HasPrefix(rest, ".") {
		digits := rest[1:]
		rest = strings.TrimLeft(digits, "0123456789")
		if rest == digits {
			return false
		}
	}
	if rest == "" || rest == "Z" {
		return true
	}
	return strings.Contains("+-", rest[:1]) && isTime("15:04", rest[1:])
}

func isTime(layout, text string) bool {
	t, err := time.Parse(layout, text)
	return err == nil && t.Format(layout) == text
}

// endsInUTCMilliseconds: the only dot of the text is followed by three digits and the offset of UTC, and nothing else.
func endsInUTCMilliseconds(s string) bool {
	_, end, _ := strings.Cut(s, ".")
	if len(end) < 3 || strings.Trim(end[:3], "0123456789") != "" {
		return false
	}
	return end[3:] == "Z" || end[3:] == "+00:00"
}

// formatPatterns are those of formats.schema.json.
func formatPatterns() map[string]*regexp.Regexp {
	content, err := fs.ReadFile(schemas.Files(), "formats.schema.json")
	if err != nil {
		panic(err)
	}
	var file struct {
		Definitions map[string]struct{ Pattern string }
	}
	if err := json.Unmarshal(content, &file); err != nil {
		panic(err)
	}
	patterns := map[string]*regexp.Regexp{}
	for name, d := range file.Definitions {
		patterns[name] = regexp.MustCompile(d.Pattern)
	}
	return patterns
}

// formatTexts are matches and near misses of all formats: each part of a date-time with values around its limits.
func formatTexts() []string {
	out := []string{
		"", "Z", ".", "T", ".000Z", ".000+00:00", ".0000Z", "a.000Z", "a.b.000Z", "\n.000Z", "é.000Z", ".000Z\n",
		guid, strings.ToUpper(guid), "{" + guid + "}", guid + "\n", "\n" + guid, guid[:35], guid + "0",
		strings.Replace(guid, "-", "_", 1), strings.Replace(guid, "f", "g", 1), strings.Replace(guid, "f", "é", 1),
		strings.ReplaceAll(guid, "-", ""), "00000000-0000-0000-0000-000000000000",
		"2023-11-14T08:30:15." + strings.Repeat("0123456789", 1000) + "Z",
	}
	dates := []string{"2023-1-01", "20230101", "+2023-01-01", "12023-01-01", "２０２３-01-01"}
	for _, year := range []int{0, 1, 4, 100, 400, 1582, 1900, 2000, 2023, 2024, 9999} {
		for month := range 14 {
			for _, day := range []int{0, 1, 9, 10, 19, 20, 27, 28, 29, 30, 31, 32} {
				dates = append(dates, fmt.Sprintf("%04d-%02d-%02d", year, month, day))
			}
		}
	}
	for year := range 1000 {
		dates = append(dates, fmt.Sprintf("%04d-02-29", year*10+year%10))
	}
	for _, date := range dates {
		out = append(out, date, date+"T08:30:15.250Z", date+"T08:30:15")
	}
	for _, clock := range []string{
		"00:00:00", "09:59:59", "19:00:00", "20:00:00", "23:59:59", "24:00:00", "23:60:00", "23:59:60", "29:00:00",
		"8:30:15", "08:30", "083015", "08-30-15", "08:30:15:00", "08:3a:15", "08:30:15 ",
	} {
		for _, end := range []string{
			"", "Z", "z", "+00:00", "-00:00", "+23:59", "-23:59", "+24:00", "+00:60", "+0a:00", "+00-00", " 00:00",
			"+0000", "+00", "+0:00", "Z+00:00", "++0:00", ".", ".Z", ".0", ".000", ".000Z", ".000+00:00", ".000-00:00",
			".0000Z", ".00Z", ",000Z", ".00aZ", ".000Z ", ".000z", ".000+01:00", "..000Z", ".000.000Z", ".000Z\n",
			"−00:00",
		} {
			out = append(out, "2023-11-14T"+clock+end)
		}
		out = append(out, "2023-11-14t"+clock, "2023-11-14 "+clock, "2023-11-14"+clock)
	}
	return out
}

// formatFault says how the formats and their oracles disagree about a text; "" if they agree.
func formatFault(patterns map[string]*regexp.Regexp, text string) string {
	for name, oracle := range formatOracles {
		if patterns[name].MatchString(text) != oracle(text) {
			return fmt.Sprintf("%q: the pattern %s says %v", text, name, !oracle(text))
		}
	}
	second, fraction, offset, ok := schemas.SplitDateTime(text)
	switch {
	case schemas.IsGUID(text) != isGUID(text), ok != isDateTime(text):
		return fmt.Sprintf("%q: IsGUID says %v, SplitDateTime %v", text, schemas.IsGUID(text), ok)
	case !ok && second+fraction+offset != "":
		return fmt.Sprintf("%q: SplitDateTime returns parts of what is none", text)
	case ok && (len(second) != 19 || fraction != strings.TrimRight(fraction, "Z+-:") || second+fraction+offset != text):
		return fmt.Sprintf("%q: SplitDateTime returns %q, %q and %q", text, second, fraction, offset)
	}
	return ""
}

var _ = Describe("The formats", func() {
	It("agree with their oracles on matches and near misses", func() {
		patterns, accepted := formatPatterns(), map[string]int{}
		Expect(patterns).To(HaveLen(len(formatOracles)))
		for _, text := range formatTexts() {
			Expect(formatFault(patterns, text)).To(BeEmpty())
			for name, pattern := range patterns {
				if pattern.MatchString(text) {
					accepted[name]++
				}
			}
		}
		Expect(accepted).To(HaveEach(BeNumerically(">", 2)))
	})

	It("split a date-time into second, fraction and offset", func() {
		for text, parts := range map[string][]string{
			"2023-11-14T08:30:15":            {"2023-11-14T08:30:15", "", ""},
			"2023-11-14T08:30:15.250Z":       {"2023-11-14T08:30:15", ".250", "Z"},
			"2023-11-14T08:30:15.2501-11:30": {"2023-11-14T08:30:15", ".2501", "-11:30"},
		} {
			second, fraction, offset, _ := schemas.SplitDateTime(text)
			Expect([]string{second, fraction, offset}).To(Equal(parts))
		}
	})

	DescribeTable("find a GUID that stands anywhere in a text", func(text string, holds bool) {
		Expect(schemas.HoldsGUID([]byte(text))).To(Equal(holds))
	},
		Entry("alone", guid, true),
		Entry("first", guid+" was it", true),
		Entry("last", "it was "+strings.ToUpper(guid), true),
		Entry("only nearly", guid[:35]+"x", false),
		Entry("cut", guid[:35], false),
	)
})

// FuzzFormats: each pattern agrees with its oracle.
func FuzzFormats(f *testing.F) {
	all := formatTexts()
	for i := 0; i < len(all); i += 29 {
		f.Add(all[i])
	}
	patterns := formatPatterns()
	f.Fuzz(func(t *testing.T, text string) {
		if fault := formatFault(patterns, text); fault != "" {
			t.Error(fault)
		}
	})
}
