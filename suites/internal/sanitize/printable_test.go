package sanitize_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Printable", func() {
	DescribeTable("keeps", func(text string) {
		Expect(sanitize.Printable(text, 0)).To(Equal(text))
	},
		Entry("nothing", ""),
		Entry("ASCII", " !\"#$%&'()*+,-./0123456789:;<=>?@AZ[\\]^_`az{|}~ "),
		Entry("Latin letters", "Grüße, naïve, Łódź"),
		Entry("a combining mark", "e\u0301"),
		Entry("Cyrillic and Greek", "Привет, Ελλάδα"),
		Entry("Chinese, Japanese, Korean", "中文、日本語、한국어"),
		Entry("Hebrew and Arabic", "שלום مرحبا"),
		Entry("Devanagari, with its marks", "हिन्दी"),
		Entry("emoji", "😀"),
		Entry("the replacement character", "\uFFFD"),
		Entry("single braces and number signs", "{a}{b} #1 # #"),
		Entry("colons further on", "a::b, fe80::1"),
		Entry("percent signs", "100%, %41, %0, %0b, %1a"),
		Entry("JSON", `{"a":{"b":[{}]},"c":"\u001b"}`),
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
		Entry("nothing that fits", "abc", 3, "abc"),
		Entry("what does not fit", "abcd", 3, "abc… (4 characters in all)"),
		Entry("by characters, not bytes", "äöü", 3, "äöü"),
		Entry("before an escape that does not fit whole", "ab\x1bcd", 7, "ab… (5 characters in all)"),
		Entry("after an escape that fits", "ab\x1bcd", 8, `ab\u001b… (5 characters in all)`),
		Entry("before a byte that does not fit whole", "\xff\xff", 7, `\xff… (2 characters in all)`),
		Entry("before an escape that the text had", `ab\u001bcd\x9b\U000e0041\n`, 7, "ab… (26 characters in all)"),
		Entry("after an escape that the text had", `ab\u001bcd\x9b\U000e0041\n`, 13,
			`ab\u001bcd… (26 characters in all)`),
		Entry("after the longest", `ab\u001bcd\x9b\U000e0041\n`, 25,
			`ab\u001bcd\x9b\U000e0041… (26 characters in all)`),
		Entry("within what is no escape", `\users`, 3, `\us… (6 characters in all)`),
		Entry("a cut-off escape anywhere", `\u12`, 2, `\u… (4 characters in all)`),
		Entry("everything where not even an escape fits", "\n", 1, "… (1 characters in all)"),
		Entry("not at 0", strings.Repeat("a", 5000), 0, strings.Repeat("a", 5000)),
		Entry("not below 0", "abc", -1, "abc"),
	)

	It("cuts after cleaning", func() {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015")
		Expect(s.Show("token 9f86d081884c7d659a2feaa0c55ad015\n", 0)).To(
			MatchRegexp(`^token redacted-[a-zA-Z]{16}\\n$`))
		Expect(s.Show("token 9f86d081884c7d659a2feaa0c55ad015 here", 19)).To(
			MatchRegexp(`^token redacted-[a-zA-Z]{4}… \(36 characters in all\)$`))
		Expect(s.Show("token 9f86d081884c7d659a2feaa0c55ad015", 9)).To(Equal(`token red… (31 characters in all)`))
	})
})

var _ = DescribeTable("PrintableLines",
	func(text, expected string) { Expect(sanitize.PrintableLines(text)).To(Equal(expected)) },
	Entry("nothing", "", ""),
	Entry("one line", "plain", "plain"),
	Entry("line breaks stay", "a\nb\n", "a\nb\n"),
	Entry("everything else is escaped", "a\x1b[31m\nb\r", `a\u001b[31m`+"\n"+`b\r`),
)
