package sanitize_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Body", func() {
	const token, guid = "9f86d081884c7d659a2feaa0c55ad015", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	s := sanitize.NewSecrets(token, "4711081547", `q"uo\te-key`, guid, "2024-01-01", `{"tenant":"acme-1","role":"x"}`)
	body := func(text string) string {
		GinkgoHelper()
		got, ok := s.Body(text)
		Expect(ok).To(BeTrue(), text)
		Expect(s.Found(got)).To(BeFalse(), got)
		again, ok := s.Body(got)
		Expect(ok).To(BeTrue())
		Expect(again).To(Equal(got))
		return got
	}

	DescribeTable("replaces what has a trace, as a whole, and nothing else", func(text, want string) {
		Expect(maskPseudonyms(body(text))).To(Equal(want))
	},
		testkit.Entries("bodies"),
		Entry("two members of one name", `{"`+token+`":1,"\u0039`+token[1:]+`":1}`, `{"[redacted]":1,"[redacted]":1}`),
	)

	DescribeTable("replaces by what is judged alike", func(text, want string) {
		got := body(text)
		Expect(got).To(MatchRegexp("^" + want + "$"))
		Expect(got).NotTo(Equal(text))
		Expect(json.Valid([]byte(got))).To(BeTrue())
	},
		Entry("a GUID", `"`+guid+`"`, `"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`),
		Entry("a GUID in upper case", `"`+strings.ToUpper(guid)+`"`, `"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}"`),
		Entry("a GUID in braces is none", `"{`+guid+`}"`, `"redacted-[a-zA-Z]{16}"`),
		Entry("an integer", `4711081547`, `[1-9][0-9]{9}`),
		Entry("a negative one", `-4711081547`, `-[1-9][0-9]{9}`),
		Entry("a whole number with a fraction", `4711081547.00`, `[1-9][0-9]{9}\.00`),
		Entry("a fraction", `0.4711081547`, `0\.[0-9]{9}[1-9]`),
		Entry("an exponent", `4711081547e-2`, `[1-9][0-9]{9}e-2`),
		Entry("an exponent that is a secret", `1e4711081547`, `[1-9]e[0-9]{9}[1-9]`),
		Entry("digits in a string", `"4711081547"`, `"redacted-[a-zA-Z]{16}"`),
		Entry("a date-time", `"2024-01-01T10:11:12.130Z"`, `"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d[1-9]0Z"`),
		Entry("a date-time with an offset", `"2024-01-01T10:11:12+02:00"`, `"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\+02:00"`),
		Entry("a local date-time", `"2024-01-01T10:11:12"`, `"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d"`),
		Entry("a date that is none", `"2024-01-01T25:11:12Z"`, `"redacted-[A-Z]{16}"`),
	)

	It("leaves a date-time one", func() {
		for milliseconds := range 200 {
			text := body(fmt.Sprintf(`"2024-01-01T10:11:12.%03dZ"`, milliseconds))
			testkit.Must(time.Parse(`"`+time.RFC3339+`"`, text))
		}
	})

	DescribeTable("keeps equal what is equal", func(a, b string) { Expect(body(a)).To(Equal(body(b))) },
		Entry("strings", `"`+token+`"`, `"`+token+`"`),
		Entry("strings in other escapes", `"`+token+`"`, `"\u0039`+token[1:]+`"`),
	)

	DescribeTable("keeps apart what is not", func(a, b string) { Expect(body(a)).NotTo(Equal(body(b))) },
		Entry("strings", `"`+token+`"`, `"`+token+` "`),
		Entry("the case of a string", `"`+token+`"`, `"9F`+token[2:]+`"`),
		Entry("two encodings", `"`+token+`"`, `"`+base64.StdEncoding.EncodeToString([]byte(token))+`"`),
		Entry("numbers", `4711081547`, `14711081547`),
		Entry("signs of numbers", `4711081547`, `-4711081547`),
		Entry("instants", `"2024-01-01T10:11:12Z"`, `"2024-01-01T10:11:12.001Z"`),
	)

	DescribeTable("keeps equal but for the way of writing", func(a, b string, same func(a, b string) bool) {
		a, b = body(a), body(b)
		Expect(a).NotTo(Equal(b))
		Expect(same(a, b)).To(BeTrue(), "%s and %s", a, b)
	},
		Entry("GUIDs", `"`+guid+`"`, `"`+strings.ToUpper(guid)+`"`, strings.EqualFold),
		Entry("GUIDs with some letters in upper case", `"3F`+guid[2:]+`"`, `"`+strings.ToUpper(guid)+`"`,
			strings.EqualFold),
		Entry("strings", `"x`+guid+`"`, `"X`+guid+`"`, strings.EqualFold),
		Entry("numbers", `4711081547`, `4711081547.0`, func(a, b string) bool { return a+".0" == b }),
		Entry("instants", `"2024-01-01T10:11:12Z"`, `"2024-01-01T12:11:12.00+02:00"`, func(a, b string) bool {
			left, err := time.Parse(`"`+time.RFC3339+`"`, a)
			Expect(err).NotTo(HaveOccurred())
			right, err := time.Parse(`"`+time.RFC3339+`"`, b)
			Expect(err).NotTo(HaveOccurred())
			return left.Equal(right)
		}),
	)

	It("gives a string the pseudonym of its literal, and others in another run", func() {
		for _, value := range []string{token, "x " + token, guid, "4711081547", "2024-01-01T10:11:12Z"} {
			Expect(body(`"` + value + `"`)).To(Equal(`"` + s.String(value) + `"`))
			Expect(sanitize.NewSecrets(token, guid, "4711081547",
				"2024-01-01").String(value)).NotTo(Equal(s.String(value)))
		}
		Expect(s.String("plain")).To(Equal("plain"))
	})

	It("says where it can't take a secret out", func() {
		got, ok := sanitize.NewSecrets("[[{{,,}}]]").Body(`x[[{{,,}}]]`)
		Expect(ok).To(BeFalse())
		Expect(got).To(BeEmpty())
		Expect(sanitize.NewSecrets("[[{{,,}}]]").Show(`x[[{{,,}}]]`, 0)).To(MatchRegexp("^redacted-[a-zA-Z]{16}$"))
	})

	It("leaves no trace in a large body that has hardly anything but beginnings", func() {
		const size = 1 << 13
		for _, part := range []string{`"` + token + `",`, token + " ", "5A 71 37 2D ", `\`, `"`, `\"`, "1,", "%25",
			"VGhl", "4711081547,", "\x00a"} {
			text := strings.Repeat(part, size/len(part))
			for _, text := range []string{text, text + " " + token, text + " q \" uo", strings.Repeat("x ", size/2) +
				"q\"uo\\te-key"} {
				if got, ok := s.Body(text); ok {
					Expect(s.Found(got)).To(BeFalse())
				}
			}
		}
	})
})

var _ = It("A cleaned body keeps words of the contract that a secret has in it, and hides its rest", func() {
	secrets := sanitize.NewSecrets("registrationDate-7Fq2")
	secrets.Ignore([]string{"RegistrationDate", "Id"})
	text, ok := secrets.Body(`{"RegistrationDate":"registrationDate-7Fq2","Id":"trationDate-7F"}`)
	Expect(ok).To(BeTrue())
	Expect(text).To(MatchRegexp(`^{"RegistrationDate":"redacted-[a-zA-Z]{16}","Id":"redacted-[a-zA-Z]{16}"}$`))
})
