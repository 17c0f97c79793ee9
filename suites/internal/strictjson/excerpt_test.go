package strictjson_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

var _ = DescribeTable("A value is shown as compact JSON, members sorted by name, what is not plain as an escape",
	func(value any, expected string) {
		text, more := strictjson.Text(value, 0)
		Expect(text).To(Equal(expected))
		Expect(more).To(BeFalse())
	},
	Entry("null", nil, "null"), Entry("true", true, "true"), Entry("a number, as it is written", json.Number("1.50"),
		"1.50"),
	Entry("a text", `a "b" \`, `"a \"b\" \\"`),
	Entry("white space and a control character", "a\n\r\t\x01", `"a\n\r\t\u0001"`),
	Entry("a character without a shape", "a\u200bb", `"a\u200bb"`),
	Entry("a selector of variants, which unicode takes for printable", "a\ufe0f", `"a\ufe0f"`),
	Entry("a character without a shape beyond the first plane", "\U000e0001", `"\udb40\udc01"`),
	Entry("the last one of the first plane", "\uffff", `"\uffff"`),
	Entry("letters of any language", "été 猫", `"été 猫"`),
	Entry("a byte that is no UTF-8", "a\xffb", "\"a\xffb\""),
	Entry("lists", []any{}, "[]"), Entry("elements", []any{json.Number("1"), nil, "a"}, `[1,null,"a"]`),
	Entry("objects", map[string]any{"b": json.Number("1"), "a": []any{map[string]any{}}}, `{"a":[{}],"b":1}`),
)

var _ = Describe("A value that is longer than what is shown", func() {
	DescribeTable("is not written to its end", func(value any) {
		text, more := strictjson.Text(value, 100)
		Expect(more).To(BeTrue())
		Expect(len(text)).To(And(BeNumerically(">", 100), BeNumerically("<", 120)))
		whole, _ := strictjson.Text(value, 0)
		Expect(whole).To(HavePrefix(text))
	},
		Entry("a text", strings.Repeat("a", 1000)),
		Entry("a list", manyOf("a", 1000)),
		Entry("an object", map[string]any{"a": strings.Repeat("a", 90), "b": "b", "c": strings.Repeat("c", 90),
			"d": "d"}),
	)

	It("is not written to its end only past the limit", func() {
		_, more := strictjson.Text(strings.Repeat("a", 98), 100)
		Expect(more).To(BeFalse())
		text, more := strictjson.Text("ab", 1)
		Expect(text).To(Equal(`"a`))
		Expect(more).To(BeTrue())
	})
})

func manyOf(element any, n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = element
	}
	return list
}

var _ = Describe("An excerpt", func() {
	DescribeTable("has the type and the length of the value", func(value any, kind string, length int) {
		e := strictjson.ExcerptOf(value)
		Expect(e.Type).To(Equal(kind))
		Expect(e.Length).To(Equal(length))
		Expect(e.AtLeast).To(BeFalse())
	},
		Entry("a text, in characters", "été", "string", 3), Entry("a list", []any{nil, nil}, "array", 2),
		Entry("an object", map[string]any{"a": nil}, "object", 1), Entry("a number", json.Number("12"), "number", 0),
	)

	It("has the beginning of a long value, and says that there is more", func() {
		e := strictjson.ExcerptOf(strings.Repeat("a", 1<<20))
		Expect(e.AtLeast).To(BeTrue())
		Expect(len(e.Text)).To(BeNumerically("~", 4<<10, 8))
		Expect(e.Length).To(Equal(1 << 20))
	})

	It("never ends within a character", func() {
		for n := range 4 {
			b := strictjson.BeginningOf(strings.Repeat("a", n) + strings.Repeat("猫", 4<<10))
			Expect(b.Text).To(HaveSuffix("猫"))
			Expect(len(b.Text)).To(BeNumerically(">", 4<<10-3))
			Expect(b.Characters).To(Equal(n + 4<<10))
		}
		Expect(strictjson.BeginningOf(strings.Repeat("a", 4<<10)).Text).To(HaveLen(4 << 10))
		Expect(strictjson.BeginningOf(strings.Repeat("\x80", 5<<10)).Text).To(BeEmpty(), "no character begins")
	})

	DescribeTable("has a sum that is another for each other value", func(values ...any) {
		for i, a := range values {
			for j, b := range values {
				Expect(strictjson.SumOf(a) == strictjson.SumOf(b)).To(Equal(i == j), "%v and %v", a, b)
			}
		}
	},
		Entry("of each type", nil, false, true, json.Number("0"), json.Number("1"), "", "0", "1", "true", []any{},
			map[string]any{}),
		Entry("lists", []any{}, []any{nil}, []any{nil, nil}, []any{"a"}, []any{"b"}, []any{"a", "b"}, []any{"b", "a"},
			[]any{"ab"}),
		Entry("lists in lists", []any{[]any{}, "a"}, []any{[]any{"a"}}, []any{"a", []any{}}),
		Entry("objects", map[string]any{"a": nil}, map[string]any{"b": nil}, map[string]any{"a": "x"},
			map[string]any{"a": "y"},
			map[string]any{"a": nil, "b": nil}, map[string]any{"a": map[string]any{"b": nil}}),
	)

	It("has the same sum for numbers of the same value, and for members in any order", func() {
		Expect(strictjson.SumOf(json.Number("1e2"))).To(Equal(strictjson.SumOf(json.Number("100.0"))))
		Expect(strictjson.SumOf(json.Number("-0"))).To(Equal(strictjson.SumOf(json.Number("0"))))
	})

	It("has the sum of the beginning of a huge list", func() {
		a, b := manyOf(strings.Repeat("a", 1000), 3000), manyOf(strings.Repeat("a", 1000), 3000)
		b[10] = "b"
		Expect(strictjson.SumOf(a)).NotTo(Equal(strictjson.SumOf(b)))
		b[10], b[2999] = a[10], "b"
		Expect(strictjson.SumOf(a)).To(Equal(strictjson.SumOf(b)), "what is past the first MiB is not read")
	})

	It("tells texts that are no JSON by a sum too", func() {
		Expect(strictjson.SumOfText([]byte("a"))).NotTo(Equal(strictjson.SumOfText([]byte("b"))))
	})
})

var _ = Describe("Readers that are lenient", func() {
	It("take doubled names and bytes that are no UTF-8, and nothing that is no JSON", func() {
		Expect(strictjson.IsJSON([]byte(`{"a":1,"a":"` + "\xff" + `"}`))).To(BeTrue())
		Expect(strictjson.IsJSON([]byte(`{"a":1`))).To(BeFalse())
	})

	It("quote and unquote a text", func() {
		Expect(string(strictjson.AppendQuoted([]byte("x:"), `a"b`))).To(Equal(`x:"a\"b"`))
	})
})

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
