package schemas_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// formatPatterns are those of formats.schema.json, compiled.
func formatPatterns(t interface{ Fatalf(string, ...any) }) map[string]*regexp.Regexp {
	texts, err := schemas.FormatPatterns()
	if err != nil {
		t.Fatalf("the patterns can't be read: %v", err)
	}
	out := map[string]*regexp.Regexp{}
	for name, text := range texts {
		out[name] = regexp.MustCompile(text)
	}
	return out
}

// formatTexts are matches and near misses of all formats: each part of a date-time with values around its limits.
func formatTexts() []string {
	guid := "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	out := []string{
		"", "Z", ".", "T", ".000Z", ".000+00:00", ".0000Z", "a.000Z", "a.b.000Z", "\n.000Z", "é.000Z", ".000Z\n",
		guid, strings.ToUpper(guid), "{" + guid + "}", guid + "\n", "\n" + guid, guid[:35], guid + "0",
		strings.Replace(guid, "-", "_", 1), strings.Replace(guid, "f", "g", 1), strings.Replace(guid, "f", "é", 1),
		strings.ReplaceAll(guid, "-", ""), "00000000-0000-0000-0000-000000000000",
	}
	dates := []string{"2023-1-01", "20230101", "0000-00-00", "+2023-01-01", "12023-01-01", "２０２３-01-01"}
	for _, year := range []string{"0000", "0004", "0100", "0400", "1900", "2000", "2023", "2024", "2100", "9996",
		"9999"} {
		for month := range 14 {
			for _, day := range []int{0, 1, 9, 10, 19, 20, 27, 28, 29, 30, 31, 32, 39} {
				dates = append(dates, fmt.Sprintf("%s-%02d-%02d", year, month, day))
			}
		}
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
			"+0000",
			"+00", "+0:00", "Z+00:00",
			".", ".Z", ".0", ".000", ".000Z", ".000+00:00", ".000-00:00", ".0000Z", ".00Z", ",000Z", ".00aZ", ".000Z ",
			".000z", ".000+01:00", ".123456789012345678901234567890-11:30", "..000Z", ".000.000Z", ".000Z\n", "−00:00",
		} {
			for _, separator := range []string{"T", "t", " ", ""} {
				out = append(out, "2023-11-14"+separator+clock+end)
			}
		}
	}
	return out
}

var _ = Describe("The formats", func() {
	It("agree with hand-written oracles on matches and near misses", func() {
		Expect(formatPatterns(GinkgoT())).To(HaveLen(len(formatOracles())))
		accepted := map[string]int{}
		for name, pattern := range formatPatterns(GinkgoT()) {
			for _, text := range formatTexts() {
				Expect(formatOracles()[name](text)).To(Equal(pattern.MatchString(text)), "%s: %q", name, text)
				if pattern.MatchString(text) {
					accepted[name]++
				}
			}
		}
		for name, count := range accepted {
			Expect(count).To(BeNumerically(">", 2), name)
		}
	})

	It("are the same in IsGUID and SplitDateTime", func() {
		for _, text := range formatTexts() {
			Expect(schemas.IsGUID(text)).To(Equal(isGUID(text)), "%q", text)
			second, fraction, offset, ok := schemas.SplitDateTime(text)
			Expect(ok).To(Equal(isDateTime(text)), "%q", text)
			if !ok {
				Expect(second+fraction+offset).To(BeEmpty(), "%q", text)
				continue
			}
			Expect(second + fraction + offset).To(Equal(text))
			Expect(second).To(HaveLen(len("2006-01-02T15:04:05")))
			Expect(fraction).To(MatchRegexp(`^(\.[0-9]+)?$`))
		}
	})

	It("accept every day of the calendar and no other", func() {
		pattern := formatPatterns(GinkgoT())["dateTime"]
		for _, year := range []int{0, 1, 4, 100, 400, 1582, 1700, 1900, 1999, 2000, 2023, 2024, 2400, 9999} {
			for month := range 14 {
				for day := range 33 {
					real := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
					want := real.Year() == year && int(real.Month()) == month && real.Day() == day
					text := fmt.Sprintf("%04d-%02d-%02dT12:00:00Z", year, month, day)
					Expect(isDateTime(text)).To(Equal(want), text)
					Expect(pattern.MatchString(text)).To(Equal(want), text)
				}
			}
		}
	})

	It("judge every year's leap day as the calendar does", func() {
		pattern := formatPatterns(GinkgoT())["dateTime"]
		for year := range 10000 {
			want := time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC).Month() == 2
			text := fmt.Sprintf("%04d-02-29T12:00:00Z", year)
			Expect(isDateTime(text)).To(Equal(want), text)
			Expect(pattern.MatchString(text)).To(Equal(want), text)
		}
	})

	It("accept a fraction of any length", func() {
		pattern := formatPatterns(GinkgoT())["dateTime"]
		digits := strings.Repeat("0123456789", 10_000)
		for text, want := range map[string]bool{
			"2023-11-14T08:30:15." + digits:             true,
			"2023-11-14T08:30:15." + digits + "Z":       true,
			"2023-11-14T08:30:15." + digits + "Z" + "Z": false,
			"2023-11-14T08:30:15." + digits + ".":       false,
		} {
			Expect(isDateTime(text)).To(Equal(want))
			Expect(pattern.MatchString(text)).To(Equal(want))
		}
	})
})

// FuzzFormats: each pattern agrees with its hand-written oracle.
func FuzzFormats(f *testing.F) {
	all := formatTexts()
	for i := 0; i < len(all); i += 7 {
		f.Add(all[i])
	}
	compiled := formatPatterns(f)
	f.Fuzz(func(t *testing.T, text string) {
		for name, format := range formatOracles() {
			if want, got := format(text), compiled[name].MatchString(text); want != got {
				t.Errorf("%s: %q is one: %v; the pattern says %v", name, text, want, got)
			}
		}
		if _, _, _, ok := schemas.SplitDateTime(text); ok != isDateTime(text) || schemas.IsGUID(text) != isGUID(text) {
			t.Errorf("%q: IsGUID says %v, SplitDateTime %v", text, schemas.IsGUID(text), ok)
		}
	})
}

var _ = DescribeTable("A GUID stands anywhere in a text, or nowhere", func(text string, holds bool) {
	Expect(schemas.HoldsGUID([]byte(text))).To(Equal(holds))
},
	Entry("alone", "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", true),
	Entry("first", "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13 was it", true),
	Entry("last", "it was 3F0C2A9E-6B1D-4C57-9A41-0D8E5F7B2C13", true),
	Entry("only nearly: a hyphen at its place", "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c1x", false),
	Entry("cut", "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c1", false),
)
