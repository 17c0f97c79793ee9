package sanitize_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
)

var _ = Describe("ShowJSON", func() {
	const token = "9f86d081884c7d659a2feaa0c55ad015"
	s := sanitize.NewSecrets(token, "k/7\"<'>\\x9|{y}")

	DescribeTable("writes", func(value any, want string) {
		Expect(maskPseudonyms(s.ShowJSON(value, 0))).To(Equal(want))
		Expect(maskPseudonyms(s.ShowJSON(value, 2000))).To(Equal(want))
		Expect(json.Valid([]byte(want))).To(BeTrue())
	},
		Entry("null", nil, "null"),
		Entry("booleans", []any{true, false}, "[true,false]"),
		Entry("numbers as they were written", []any{json.Number("1.50E+1"), json.Number("-0")}, "[1.50E+1,-0]"),
		Entry("an empty array, object and string", []any{[]any{}, map[string]any{}, ""}, `[[],{},""]`),
		Entry("members by name",
			map[string]any{"b": json.Number("1"), "a": map[string]any{"d": nil, "c": "x"}, "B": true},
			`{"B":true,"a":{"c":"x","d":null},"b":1}`),
		Entry("quotation marks and backslashes", `"\`, `"\"\\"`),
		Entry("control characters", "\x00\b\t\n\f\r\x1b\x7f\u009b", `"\u0000\u0008\t\n\u000c\r\u001b\u007f\u009b"`),
		Entry("signs of HTML", "<&>", `"<&>"`),
		Entry("letters", "Grüße 中文 😀", `"Grüße 中文 😀"`),
		Entry("what is not shown", "\u202e\U000e0041\u2028", `"\u202e\udb40\udc41\u2028"`),
		Entry("colours of Ginkgo", "{{red}}", `"{\u007bred}}"`),
		Entry("commands of CI", "##[x]%0A", `"#\u0023[x]\u00250A"`),
		Entry("names like values", map[string]any{"a\n\"{{": json.Number("1")}, `{"a\n\"{\u007b":1}`),
		Entry("a secret", map[string]any{"AccessToken": token}, `{"AccessToken":"[redacted]"}`),
		Entry("a secret as a name", map[string]any{token: token}, `{"[redacted]":"[redacted]"}`),
		Entry("a secret that has to be escaped", []any{"k/7\"<'>\\x9|{y}", "."}, `["[redacted]","."]`),
	)

	It("shows which bytes were not UTF-8", func() {
		Expect(s.ShowJSON("a\xffb", 0)).To(Equal(`"a\xffb"`))
	})

	It("cuts after cleaning", func() {
		Expect(s.ShowJSON(map[string]any{"a": "x" + token + "yyyy"}, 20)).To(
			MatchRegexp(`^{"a":"redacted-[a-zA-Z]{5}… \(33 characters in all\)$`))
		Expect(s.ShowJSON([]any{"a\u001bb"}, 8)).To(Equal(`["a… (12 characters in all)`))
		Expect(s.ShowJSON([]any{"a\u001bb"}, 9)).To(Equal(`["a\u001b… (12 characters in all)`))
		Expect(s.ShowJSON([]any{"a\"b"}, 4)).To(Equal(`["a… (8 characters in all)`))
		Expect(s.ShowJSON([]any{"\U000e0041"}, 13)).To(Equal(`["… (16 characters in all)`))
		Expect(s.ShowJSON([]any{"\U000e0041"}, 14)).To(Equal(`["\udb40\udc41… (16 characters in all)`))
	})

	DescribeTable("writes the beginning alone of what is huge", func(value any, begin string) {
		got := s.ShowJSON(value, 20)
		Expect(got).To(MatchRegexp(`… \(more than \d+ characters\)$`))
		Expect(strings.HasPrefix(got, begin)).To(BeTrue(), got)
		Expect(len(got)).To(BeNumerically("<", 80))
	},
		Entry("a string", strings.Repeat("ab", 1<<20), `"ababab`),
		Entry("an array", make([]any, 1<<20), "[null,null"),
		Entry("strings", []any{strings.Repeat("c", 1<<17), strings.Repeat("d", 1<<17)}, `["ccccc`),
		Entry("secrets alone", strings.Repeat(token, 1<<15), `"redacted-`),
	)

	It("writes what is huge whole where nothing is to be cut", func() {
		Expect(s.ShowJSON(make([]any, 1<<16), 0)).To(HaveLen(5<<16 + 1))
	})
})
