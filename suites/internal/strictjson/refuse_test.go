package strictjson_test

import (
	"errors"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
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

var _ = Describe("A text that is not JSON", func() {
	DescribeTable("is refused", func(text, rule string, offset int, pointer string) {
		got := faultOf(text)
		Expect(got.Rule).To(Equal(rule))
		Expect(got.Offset).To(Equal(offset))
		Expect(got.Pointer).To(Equal(pointer))
		Expect(got.Detail).To(HavePrefix("expected "))
	},
		testkit.Entries("refused"),
		Entry("UTF-16, little end first", "\xff\xfe{\x00}\x00", "utf-8", 0, ""),
		Entry("bytes after it that are not UTF-8", "{}\xff", "trailing", 2, ""),

		Entry("the first name again at the end of many", `{`+manyMembers(500)+`,"m0":1}`, "duplicate-member",
			len(manyMembers(500))+2, "/m0"),
		Entry("the eighth name again as the ninth", `{`+manyMembers(8)+`,"m7":1}`, "duplicate-member",
			len(manyMembers(8))+2, "/m7"),
		Entry("the ninth name again as the tenth", `{`+manyMembers(9)+`,"m8":1}`, "duplicate-member",
			len(manyMembers(9))+2, "/m8"),

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
		testkit.Entries("syntax"),
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
		testkit.Entries("bounds"),
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

var _ = DescribeTable("A fault is told by its place, what was expected and what came",
	func(text string, offset int, pointer, detail string) {
		_, err := strictjson.Decode([]byte(text))
		Expect(err).To(HaveValue(And(HaveField("Offset", offset), HaveField("Pointer", pointer),
			HaveField("Detail", detail))))
	},
	testkit.Entries("faults"),
)

var _ = Describe("The text of a target in a message", func() {
	It("is cut after 120 bytes, and nothing of it stands in the sentence about a rule", func() {
		for length, cut := range map[int]string{120: `"`, 121: `"...`} {
			name := `"` + strings.Repeat("n", length) + `"`
			_, err := strictjson.Decode([]byte("{" + name + ":1," + name + ":2}"))
			Expect(err).To(MatchError(ContainSubstring("got " + name[:121] + cut + " a second time")))
		}
		Expect(strictjson.Described("utf-8")).To(Equal("not exactly one JSON text: the rule that is broken is utf-8"))
	})
})

var _ = Describe("A text in UTF-16 or UTF-32", func() {
	DescribeTable("is known by its first bytes", func(body string, known bool) {
		Expect(strictjson.Charset([]byte(body)) != nil).To(Equal(known))
	},
		Entry("one character", "1\x00", true), Entry("big-endian", "\x001", true),
		Entry("two zero bytes", "\x00\x00a", false), Entry("no ASCII", "\x80\x00", false),
		Entry("one byte", "1", false), Entry("a mark", "\xff\xfe", true),
	)
})
