package sanitize_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
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
		Entry("line breaks and tabs", "a\r\n\tb", `a\r\n\tb`),
		Entry("zero", "\x00", `\u0000`),
		Entry("a terminal's colours", "\x1b[31mred", `\u001b[31mred`),
		Entry("a terminal's title", "\x1b]0;x\x07", `\u001b]0;x\u0007`),
		Entry("backspace and DEL", "\b\x7f", `\u0008\u007f`),
		Entry("C1: an escape in one character", "\u009b31m\u0085", `\u009b31m\u0085`),
		Entry("bytes that are not UTF-8", "a\xff\x9b\xc3", `a\xff\x9b\xc3`),
		Entry("an encoded surrogate", "\xed\xa0\x80", `\xed\xa0\x80`),
		Entry("marks of direction", "\u200e\u200f\u061c", `\u200e\u200f\u061c`),
		Entry("overrides of direction", "\u202aa\u202eb\u202c\u2066\u2069", `\u202aa\u202eb\u202c\u2066\u2069`),
		Entry("characters without width", "a\u200bb\u200cc\u200dd\u2060\u00ad", `a\u200bb\u200cc\u200dd\u2060\u00ad`),
		Entry("letters without a shape", "\u115f\u1160\u3164\uffa0\u034f", `\u115f\u1160\u3164\uffa0\u034f`),
		Entry("variation selectors", "\ufe0f\U000e0100", `\ufe0f\U000e0100`),
		Entry("tags", "\U000e0041", `\U000e0041`),
		Entry("line and paragraph separators", "\u2028\u2029", `\u2028\u2029`),
		Entry("other spaces", "\u00a0\u2003\u3000", `\u00a0\u2003\u3000`),
		Entry("a byte order mark", "\uFEFF{}", `\ufeff{}`),
		Entry("private characters", "\ue000\U000f0000", `\ue000\U000f0000`),
		Entry("unassigned characters", "\u0378\U0003fffd", `\u0378\U0003fffd`),
		Entry("noncharacters", "\ufdd0\ufffe\uffff\U0010ffff", `\ufdd0\ufffe\uffff\U0010ffff`),
		Entry("a colour of Ginkgo", "{{red}}x{{/}}", `{\u007bred}}x{\u007b/}}`),
		Entry("many braces", "{{{{", `{\u007b{\u007b`),
		Entry("a command of Azure Pipelines", "x ##vso[task.setvariable]y", `x #\u0023vso[task.setvariable]y`),
		Entry("an old command of GitHub", "x ##[set-env]y", `x #\u0023[set-env]y`),
		Entry("a command of TeamCity", "##teamcity[x]", `#\u0023teamcity[x]`),
		Entry("a command of GitHub", "::error::x", `\u003a:error::x`),
		Entry("a command of GitHub after spaces", "  ::error::x", `  \u003a:error::x`),
		Entry("a command on the next line", "a\n::error::x", `a\n::error::x`),
		Entry("an escaped line break of an annotation", "a%0A::error::x%0d%0D%0a",
			`a\u00250A::error::x\u00250d\u00250D\u00250a`),
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
