package strictjson_test

import (
	"errors"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

// faultOf gives the *Error of a text, which Decode and Valid have to agree on.
func faultOf(text string) *strictjson.Error {
	GinkgoHelper()
	value, err := strictjson.Decode([]byte(text))
	Expect(err).To(HaveOccurred())
	Expect(value).To(BeNil())
	Expect(strictjson.Valid([]byte(text))).To(Equal(err))
	var fault *strictjson.Error
	Expect(errors.As(err, &fault)).To(BeTrue())
	Expect(fault.Error()).To(MatchRegexp(`^[ -~]+$`))
	Expect(len(fault.Error())).To(BeNumerically("<", 2000))
	return fault
}

var _ = Describe("a text that is not JSON", func() {
	DescribeTable("is refused", func(text, rule string, offset int, pointer string) {
		got := faultOf(text)
		Expect(got.Rule).To(Equal(rule))
		Expect(got.Offset).To(Equal(offset))
		Expect(got.Pointer).To(Equal(pointer))
		Expect(got.Detail).To(HavePrefix("expected "))
	},
		Entry("no byte", "", "empty", 0, ""),
		Entry("white space alone", " \r\n\t", "empty", 4, ""),
		Entry("a byte order mark", "\uFEFF{}", "byte-order-mark", 0, ""),
		Entry("a byte order mark after the text", "{}\uFEFF", "trailing", 2, ""),
		Entry("a byte order mark after space", " \uFEFF{}", "syntax", 1, ""),
		Entry("UTF-16, little end first", "\xff\xfe{\x00}\x00", "utf-8", 0, ""),
		Entry("UTF-16 without a mark", "{\x00}\x00", "syntax", 1, ""),
		Entry("text after it", "{} junk", "trailing", 3, ""),
		Entry("a second text", "{}{}", "trailing", 2, ""),
		Entry("a comma after it", "{},", "trailing", 2, ""),
		Entry("a zero byte after it", "{}\x00", "trailing", 2, ""),
		Entry("bytes after it that are not UTF-8", "{}\xff", "trailing", 2, ""),
		Entry("a no-break space before it", "\u00a0{}", "syntax", 0, ""),
		Entry("a form feed", "\f{}", "syntax", 0, ""),
		Entry("a vertical tab within", "[\v1]", "syntax", 1, "/0"),
		Entry("a page", `<html></html>`, "syntax", 0, ""),

		Entry("the same name twice", `{"a":1,"a":2}`, "duplicate-member", 7, "/a"),
		Entry("the same name once escaped", `{"a":1,"\u0061":2}`, "duplicate-member", 7, "/a"),
		Entry("the empty name twice", `{"":1,"":2}`, "duplicate-member", 6, "/"),
		Entry("the same name after an inner object", `{"a":{"b":1,"c":{}},"a":2}`, "duplicate-member", 20, "/a"),
		Entry("a doubled name deep inside", `{"x":[0,{"Id":1,"Id":1}]}`, "duplicate-member", 16, "/x/1/Id"),
		Entry("a doubled name that needs escapes in a pointer", `{"a/~":1,"a/~":2}`, "duplicate-member", 9, "/a~1~0"),
		Entry("the first name again at the end of many", `{`+manyMembers(500)+`,"m0":1}`, "duplicate-member",
			len(manyMembers(500))+2, "/m0"),
		Entry("the eighth name again as the ninth", `{`+manyMembers(8)+`,"m7":1}`, "duplicate-member",
			len(manyMembers(8))+2, "/m7"),
		Entry("the ninth name again as the tenth", `{`+manyMembers(9)+`,"m8":1}`, "duplicate-member",
			len(manyMembers(9))+2, "/m8"),

		Entry("a high surrogate alone", `"\uD800"`, "surrogate", 1, ""),
		Entry("a low surrogate alone", `"x\uDC00"`, "surrogate", 2, ""),
		Entry("a pair the wrong way round", `"\uDC00\uD800"`, "surrogate", 1, ""),
		Entry("a high surrogate before a letter", `"\uD800\u0061"`, "surrogate", 1, ""),
		Entry("two high surrogates before a low one", `"\uD800\uD800\uDC00"`, "surrogate", 1, ""),
		Entry("a high surrogate before an escape cut short", `"\uD800\uDC"`, "surrogate", 1, ""),
		Entry("a high surrogate in a name", `{"\uDBFF":1}`, "surrogate", 2, ""),

		Entry("a byte that is not UTF-8", "\"\xff\"", "utf-8", 1, ""),
		Entry("the first byte past ASCII, alone", "\"\x80\"", "utf-8", 1, ""),
		Entry("Latin-1", "{\"a\":\"caf\xe9\"}", "utf-8", 9, "/a"),
		Entry("an overlong slash", "\"\xc0\xaf\"", "utf-8", 1, ""),
		Entry("a code point past the last", "\"\xf4\x90\x80\x80\"", "utf-8", 1, ""),
		Entry("a character cut off by the quotation mark", "\"\xe2\x82\"", "utf-8", 1, ""),
		Entry("a name that is not UTF-8", "{\"a\":{\"\xff\":1}}", "utf-8", 7, "/a"),
		Entry("not UTF-8 outside a string", "[\xff]", "utf-8", 1, "/0"),
	)

	DescribeTable("is refused for its syntax", func(text string, offset int) {
		got := faultOf(text)
		Expect(got.Rule).To(Equal("syntax"))
		Expect(got.Offset).To(Equal(offset))
		_, ok := strictjson.First([]byte(text))
		Expect(ok).To(BeFalse())
	},
		Entry("an array without an end", `[`, 1),
		Entry("an array without an end after a comma", `[1,`, 3),
		Entry("an object without an end", `{`, 1),
		Entry("an object that ends after the colon", `{"a":`, 5),
		Entry("an object that ends after the value", `{"a":1`, 6),
		Entry("a string without an end", `"abc`, 4),
		Entry("a string that ends in an escape", `"abc\`, 5),
		Entry("a string whose end is escaped", `"abc\"`, 6),
		Entry("a comma before the end of an array", `[1,]`, 3),
		Entry("a comma before the end of an object", `{"a":1,}`, 7),
		Entry("two commas", `[1,,2]`, 3),
		Entry("no comma", `[1 2]`, 3),
		Entry("a colon in an array", `["a":1]`, 4),
		Entry("no colon", `{"a" 1}`, 5),
		Entry("no value", `{"a":}`, 5),
		Entry("a name without quotation marks", `{a:1}`, 1),
		Entry("a number for a name", `{1:1}`, 1),
		Entry("the wrong closing bracket", `[1}`, 2),
		Entry("a closing bracket alone", `]`, 0),
		Entry("a string in single quotation marks", `'a'`, 0),
		Entry("a comment", `/* x */{}`, 0),
		Entry("True", `True`, 0),
		Entry("nul", `nul`, 0),
		Entry("NaN", `NaN`, 0),
		Entry("-Infinity", `-Infinity`, 1),
		Entry("a leading zero", `01`, 0),
		Entry("a negative leading zero", `-01`, 0),
		Entry("two zeros", `00`, 0),
		Entry("a plus sign", `+1`, 0),
		Entry("a minus sign alone", `-`, 1),
		Entry("two minus signs", `--1`, 1),
		Entry("a space after the minus sign", `- 1`, 1),
		Entry("a point at the start", `.5`, 0),
		Entry("a point at the end", `1.`, 2),
		Entry("a point before the exponent", `1.e5`, 2),
		Entry("no digit in the exponent", `1e`, 2),
		Entry("only a sign in the exponent", `1e+`, 3),
		Entry("a point in the exponent", `[1e5.0]`, 4),
		Entry("a hexadecimal number in an array", `[0x1F]`, 2),
		Entry("a thousands separator", `[1_000]`, 2),
		Entry("digits of another script", `１`, 0),
		Entry("minus as U+2212", "\u22121", 0),
		Entry("quotation marks of typography", "“a”", 0),
		Entry("an escape of another language", `"\x41"`, 1),
		Entry("an escaped single quotation mark", `"\'"`, 1),
		Entry("an escaped line break", "\"\\\n\"", 1),
		Entry("an escape of capital U", `"\U00000041"`, 1),
		Entry("an escaped zero", `"\0"`, 1),
		Entry("an escape of three digits", `"\u004"`, 1),
		Entry("an escape with a sign", `"\u+041"`, 1),
		Entry("an escape in braces", `"\u{41}"`, 1),
		Entry("an escape cut off", `"\u00`, 1),
	)

	DescribeTable("is refused for a raw control character in a string", func(control string) {
		got := faultOf(`{"a":"` + control + `"}`)
		Expect(got.Rule).To(Equal("syntax"))
		Expect(got.Offset).To(Equal(6))
		Expect(got.Pointer).To(Equal("/a"))
	},
		Entry("tab", "\t"),
		Entry("line feed", "\n"),
		Entry("carriage return", "\r"),
		Entry("zero", "\x00"),
		Entry("escape", "\x1b"),
		Entry("the last of them", "\x1f"),
	)

	DescribeTable("is refused past a bound", func(text, rule string, offset int) {
		got := faultOf(text)
		Expect(got.Rule).To(Equal(rule))
		Expect(got.Offset).To(Equal(offset))
		_, ok := strictjson.First([]byte(text))
		Expect(ok).To(BeFalse())
	},
		Entry("513 arrays", nestedArrays(513), "depth", 512),
		Entry("513 objects", nestedObjects(513), "depth", 512*len(`{"a":`)),
		Entry("513 and something else wrong further on", nestedArrays(513)+"junk", "depth", 512),
		Entry("as many arrays as a body may hold", strings.Repeat("[", 16<<20), "depth", 512),
		Entry("an object in 512 arrays", strings.Repeat("[", 512)+"{", "depth", 512),
		Entry("1,001 digits", strings.Repeat("9", 1001), "number-digits", 0),
		Entry("1,001 zeros after the point and one before", "[0."+strings.Repeat("0", 1000)+"]", "number-digits", 1),
		Entry("1,001 digits, the last in the exponent", strings.Repeat("9", 1000)+"e1", "number-digits", 0),
		Entry("1,001 zeros in the exponent", "1e"+strings.Repeat("0", 1001), "number-digits", 0),
		Entry("an exponent of 10001", "[1e10001]", "number-exponent", 1),
		Entry("an exponent of -10001", "[1E-10001]", "number-exponent", 1),
		Entry("an exponent with one zero more than the bound", "1e100000", "number-exponent", 0),
		Entry("an exponent past every integer", "0e+99999999999999999999999999", "number-exponent", 0),
		Entry("a million digits", strings.Repeat("1", 1<<20), "number-digits", 0),
	)

	It("says what came, quoted and cut", func() {
		Expect(faultOf(`{"Id":1,"Id":2}`).Error()).To(Equal(
			`expected each member name once in an object, got "Id" a second time (at byte 8 in "/Id")`))
		Expect(faultOf("{} \u202e").Error()).To(Equal(
			`expected the end after one JSON text, got "\u202e" (at byte 3)`))
		Expect(faultOf("{} \xff").Detail).To(HaveSuffix("got the byte 0xFF"))
		Expect(faultOf("{} \uFFFD").Detail).To(HaveSuffix(`got "\ufffd"`), "what is UTF-8 is no mere byte")
		Expect(faultOf("[x]").Detail).To(HaveSuffix(`got "x"`))
		Expect(faultOf("[").Detail).To(HaveSuffix("got the end of the text"))
		Expect(faultOf("[-012]").Detail).To(HaveSuffix(`got "-01"`))
		long := `"` + strings.Repeat("\u202e\x7f", 100000) + `":1`
		Expect(faultOf("{" + long + "," + long + "}").Error()).To(And(
			ContainSubstring(`\u202e\x7f\u202e`), ContainSubstring("...")))
	})
})

// manyMembers gives members named m0, m1 and so on.
func manyMembers(count int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = `"m` + strconv.Itoa(i) + `":null`
	}
	return strings.Join(members, ",")
}
