package strictjson_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"unicode/utf16"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

// inUTF16 encodes a text in UTF-16.
func inUTF16(order binary.ByteOrder, text string) string {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = append(encoded, 0, 0)
		order.PutUint16(encoded[len(encoded)-2:], unit)
	}
	return string(encoded)
}

var _ = Describe("The first value of a body", func() {
	record := map[string]any{"Id": "x"}

	DescribeTable("is read in spite of", func(body string, want any) {
		got, ok := strictjson.First([]byte(body))
		Expect(ok).To(BeTrue())
		Expect(got).To(Equal(want))
		Expect(strictjson.Valid([]byte(body))).NotTo(Succeed())
	},
		Entry("a byte order mark", "\uFEFF{\"Id\":\"x\"}", record),
		Entry("a byte order mark and space", "\uFEFF \r\n{\"Id\":\"x\"}", record),
		Entry("UTF-16, little-endian", inUTF16(binary.LittleEndian, `{"Id":"x"}`), record),
		Entry("UTF-16, big-endian", inUTF16(binary.BigEndian, `{"Id":"x"}`), record),
		Entry("UTF-16, little-endian, after a byte order mark", inUTF16(binary.LittleEndian, "\uFEFF{\"Id\":\"x\"}"),
			record),
		Entry("UTF-16, big-endian, after a byte order mark", inUTF16(binary.BigEndian, "\uFEFF {\"Id\":\"x\"}"),
			record),
		Entry("UTF-16, with a doubled name and junk after it",
			inUTF16(binary.LittleEndian, `{"Id":"y","Id":"x"} junk`), record),
		Entry("UTF-16, cut in the middle of a character after it", inUTF16(binary.LittleEndian, `{"Id":"x"}`)+"x",
			record),
		Entry("UTF-32", "\xff\xfe\x00\x00[\x00\x00\x00]\x00\x00\x00", []any{}),
		Entry("junk after it", `{"Id":"x"} junk`, record),
		Entry("a nesting past the bound after it", `{"Id":"x"}`+strings.Repeat("[", 600), record),
		Entry("a doubled name, of which the last counts", `{"Id":"y","Id":"x"}`, record),
		Entry("bytes that are not UTF-8", "{\"Id\":\"x\xff\"}", map[string]any{"Id": "x\uFFFD"}),
		Entry("a name that is not UTF-8", "{\"\xff\":\"x\"}", map[string]any{"\uFFFD": "x"}),
		Entry("bytes that are not UTF-8 beside an escape", "\"\xff\\n\xfe\"", "\uFFFD\n\uFFFD"),
		Entry("raw control characters", "{\"Id\":\"x\ty\x00\"}", map[string]any{"Id": "x\ty\x00"}),
		Entry("a high surrogate alone", `"\uD800"`, "\uFFFD"),
		Entry("a high surrogate before a pair", `"\uD800\uD83D\uDE00"`, "\uFFFD😀"),
		Entry("a high surrogate before a letter", `"\uD800\u0061"`, "\uFFFDa"),
		Entry("a number with junk on it", `12x`, json.Number("12")),
		Entry("a number with a second exponent on it", `1e5e10000`, json.Number("1e5")),
		Entry("a number with a date on it", `2034-12-31T23:59:59Z`, json.Number("2034")),
	)

	DescribeTable("is not there in", func(body string) {
		got, ok := strictjson.First([]byte(body))
		Expect(ok).To(BeFalse())
		Expect(got).To(BeNil())
	},
		Entry("no byte", ""),
		Entry("white space", " \n"),
		Entry("a byte order mark alone", "\uFEFF"),
		Entry("a value cut off", `{"Id":"x"`),
		Entry("two byte order marks", "\uFEFF\uFEFF{}"),
		Entry("a value past a bound", `{"Id":"x","n":1e10001}`),
	)
})

var _ = DescribeTable("First reads raw control characters in strings as they are, and only there",
	func(text string, want any, found bool) {
		value, ok := strictjson.First([]byte(text))
		Expect(ok).To(Equal(found))
		if found {
			Expect(value).To(Equal(want))
		}
	},
	Entry("after an escaped quotation mark", "\"a\\\"\tb\"", "a\"\tb", true),
	Entry("beside what looks like a number", `["1e99999","`+strings.Repeat("7", 1001)+`"]`,
		[]any{"1e99999", strings.Repeat("7", 1001)}, true),
	Entry("outside, after an escaped backslash", "[\"\\\\\",\t\"a\"]", []any{`\`, "a"}, true),
	Entry("after a backslash, of which it is no escape", "\"\\\t\"", nil, false),
)
