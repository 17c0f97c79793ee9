package sanitize_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Printable", func() {
	DescribeTable("keeps", func(text string) { Expect(sanitize.Printable(text, 0)).To(Equal(text)) },
		testkit.Entries("kept"),
	)

	DescribeTable("escapes", func(text, want string) {
		Expect(sanitize.Printable(text, 0)).To(Equal(want))
		Expect(sanitize.Printable(want, 0)).To(Equal(want))
	},
		testkit.Entries("escaped"),
		Entry("bytes that are not UTF-8", "a\xff\x9b\xc3", `a\xff\x9b\xc3`),
		Entry("an encoded surrogate", "\xed\xa0\x80", `\xed\xa0\x80`),
	)

	DescribeTable("cuts", func(text string, limit int, want string) {
		Expect(sanitize.Printable(text, limit)).To(Equal(want))
	},
		testkit.Entries("cut"),
		Entry("before a byte that does not fit whole", "\xff\xff", 7, `\xff… (2 characters in all)`),
		Entry("nothing at 0", strings.Repeat("a", 5000), 0, strings.Repeat("a", 5000)),
	)

	It("cuts after cleaning", func() {
		s := sanitize.NewSecrets(token)
		Expect(s.Show("token "+token+"\n", 0)).To(MatchRegexp(`^token redacted-[a-zA-Z]{16}\\n$`))
		Expect(s.Show("token "+token+" here", 19)).To(
			MatchRegexp(`^token redacted-[a-zA-Z]{4}… \(36 characters in all\)$`))
	})

	It("keeps the line breaks of a text of several lines", func() {
		Expect(sanitize.PrintableLines("a\x1b[31m\nb\r\n")).To(Equal(`a\u001b[31m` + "\n" + `b\r` + "\n"))
	})
})

var _ = Describe("JSON that is shown", func() {
	s := sanitize.NewSecrets(token, "k/7\"<'>\\x9|{y}")

	DescribeTable("is compact, printable and without secrets", func(text, want string) {
		value := testkit.Must(decodeJSON(text))
		Expect(maskPseudonyms(s.ShowJSON(value, 0))).To(Equal(want))
		Expect(maskPseudonyms(s.ShowJSON(value, 2000))).To(Equal(want))
		Expect(json.Valid([]byte(want))).To(BeTrue())
	},
		testkit.Entries("json"),
	)

	It("shows which bytes were not UTF-8", func() { Expect(s.ShowJSON("a\xffb", 0)).To(Equal(`"a\xffb"`)) })

	DescribeTable("is cut after cleaning", func(value any, limit int, want string) {
		Expect(s.ShowJSON([]any{value}, limit)).To(MatchRegexp("^" + want + "$"))
	},
		Entry("within a pseudonym", "x"+token+"yyyy", 16, `\["redacted-[a-zA-Z]{5}… \(29 characters in all\)`),
		Entry("before an escape", "a\u001bb", 8, `\["a… \(12 characters in all\)`),
		Entry("after an escape", "a\u001bb", 9, `\["a\\u001b… \(12 characters in all\)`),
		Entry("before a short escape", "a\"b", 4, `\["a… \(8 characters in all\)`),
		Entry("before a pair", "\U000e0041", 13, `\["… \(16 characters in all\)`),
		Entry("after a pair", "\U000e0041", 14, `\["\\udb40\\udc41… \(16 characters in all\)`),
	)

	DescribeTable("is the beginning alone of what is huge", func(value any, begin string) {
		got := s.ShowJSON(value, 20)
		Expect(got).To(And(HavePrefix(begin), MatchRegexp(`^.{0,30}… \(more than \d+ characters\)$`)))
	},
		Entry("a string", strings.Repeat("ab", 1<<17), `"ababab`),
		Entry("an array", make([]any, 1<<17), "[null,null"),
		Entry("strings", []any{strings.Repeat("c", 1<<17), strings.Repeat("d", 1<<17)}, `["ccccc`),
		Entry("secrets alone", strings.Repeat(token, 1<<13), `"redacted-`),
	)

	It("is whole, however large, if nothing is to be cut", func() {
		Expect(s.ShowJSON(make([]any, 1<<15), 0)).To(HaveLen(5<<15 + 1))
	})
})
