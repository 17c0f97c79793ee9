package strictjson_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

var _ = DescribeTable("A fault is told by its place, what was expected and what came",
	func(text string, offset int, pointer, detail string) {
		_, err := strictjson.Decode([]byte(text))
		Expect(err).To(HaveValue(And(HaveField("Offset", offset), HaveField("Pointer", pointer),
			HaveField("Detail", detail))))
	},
	Entry(nil, "[-]", 2, "/0", `expected a digit after the minus sign, got "]"`),
	Entry(nil, "[1.]", 3, "/0", `expected a digit after the decimal point, got "]"`),
	Entry(nil, "[1e]", 3, "/0", `expected a digit in the exponent, got "]"`),
	Entry(nil, "\"a\x01\"", 2, "", "expected control characters in strings to be escaped, got a raw U+0001"),
	Entry(nil, `"\q"`, 1, "", `expected one of " \ / b f n r t u after a backslash, got "q"`),
	Entry(nil, `{"a":1 "b":2}`, 7, "", `expected a comma or "}", got "\""`),
	Entry(nil, `{"a":{"b":1 2}}`, 12, "/a", `expected a comma or "}", got "2"`),
	Entry(nil, `{"a":}`, 5, "/a", `expected a value, got "}"`),
	Entry(nil, `{1:2}`, 1, "", `expected a member name in quotation marks, got "1"`),
	Entry(nil, `[0,0,0,0,0,0,0,0,0,0,x]`, 21, "/10", `expected a value, got "x"`),
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

var _ = Describe("Writing", func() {
	write := func(do func(*strings.Builder) error) string {
		GinkgoHelper()
		var out strings.Builder
		Expect(do(&out)).To(Succeed())
		return out.String()
	}

	It("escapes nothing for HTML", func() {
		text, err := strictjson.Encode(map[string]any{"a": "<&>"})
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal(`{"a":"<&>"}`))
		Expect(write(func(out *strings.Builder) error { return strictjson.WriteIndented(out, []string{"<"}) })).To(
			Equal("[\n  \"<\"\n]\n"))
	})

	It("keeps the order of members", func() {
		text, err := strictjson.EncodeMembers("b", 1, "a", []int{2})
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal(`{"b":1,"a":[2]}`))
		_, err = strictjson.EncodeMembers("a", func() {})
		Expect(err).To(HaveOccurred())
		_, err = strictjson.Encode(func() {})
		Expect(err).To(HaveOccurred())
	})

	It("writes complete documents: empty lists, a line break at the end, and an error for what is no JSON", func() {
		Expect(write(func(out *strings.Builder) error {
			return strictjson.WriteComplete(out, []string(nil),
				false)
		})).To(
			Equal("[]\n"))
		Expect(write(func(out *strings.Builder) error { return strictjson.WriteComplete(out, "\xff", true) })).To(
			Equal("\"\uFFFD\"\n"))
		var out strings.Builder
		Expect(strictjson.WriteComplete(&out, "\xff", false)).NotTo(Succeed())
		Expect(out.String()).NotTo(ContainSubstring("\n"))
	})

	It("tells apart values in the canonical form, by kind, place and number", func() {
		seen := map[string]any{}
		for _, value := range []any{[]any{nil, "a"}, []any{"a", nil}, []any{map[string]any{}, "a"}, []any{"a",
			map[string]any{}},
			[]any{[]any{}, "a"}, []any{"a", []any{}}, []any{true, "a"}, []any{json.Number("1"), "a"}, []any{"1", "a"}} {
			text := write(func(out *strings.Builder) error { strictjson.WriteCanonical(out, value, 1000); return nil })
			Expect(seen).NotTo(HaveKey(text))
			seen[text] = value
		}
	})

	It("leaves out of the canonical form what follows the limit", func() {
		text := write(func(out *strings.Builder) error {
			strictjson.WriteCanonical(out, []any{"aa", "b", "c"}, 5)
			return nil
		})
		Expect(text).To(And(ContainSubstring("aa"), ContainSubstring("b"), Not(ContainSubstring("c"))))
	})
})

var _ = Describe("A lenient decoder", func() {
	It("reads names that occur twice, and bytes that are no UTF-8", func() {
		decoder := strictjson.NewDecoder([]byte("{\"a\":1,\"a\":\"\xff\"}"))
		for range 6 {
			_, err := decoder.ReadToken()
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(strictjson.Unquoted(`"a\u0041"`)).To(Equal("aA"))
	})
})

var _ = It("General replaces indexes, and no names of letters", func() {
	Expect(strictjson.General("/0/a/10/Id")).To(Equal("/*/a/*/Id"))
})
