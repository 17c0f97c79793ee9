package strictjson_test

import (
	"encoding/json"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

func nestedArrays(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func nestedObjects(depth int) string {
	return strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
}

// nestedValue is the value of nested.
func nestedValue(depth int) any {
	value := []any{}
	for range depth - 1 {
		value = []any{value}
	}
	return value
}

var _ = Describe("A text that is JSON", func() {
	DescribeTable("is read", func(text string, want any) {
		got, err := strictjson.Decode([]byte(text))
		Expect(err).NotTo(HaveOccurred())
		if want == nil {
			Expect(got).To(BeNil())
		} else {
			Expect(got).To(Equal(want))
		}
		Expect(strictjson.Valid([]byte(text))).To(Succeed())

		lenient, ok := strictjson.First([]byte(text))
		Expect(ok).To(BeTrue())
		if want == nil {
			Expect(lenient).To(BeNil())
		} else {
			Expect(lenient).To(Equal(want))
		}
	},
		Entry("null", `null`, nil),
		Entry("true", `true`, true),
		Entry("false", `false`, false),
		Entry("each literal before something else", `[true,false,null,false,"x"]`, []any{true, false, nil, false, "x"}),
		Entry("an empty string", `""`, ""),
		Entry("an empty array", `[]`, []any{}),
		Entry("an empty object", `{}`, map[string]any{}),
		Entry("white space of each kind everywhere", " \t\r\n{ \"a\"\t:\r\n[ 1 , 2 ] , \"b\" : { } }\n ",
			map[string]any{"a": []any{json.Number("1"), json.Number("2")}, "b": map[string]any{}}),
		Entry("an empty name", `{"":0}`, map[string]any{"": json.Number("0")}),
		Entry("names that differ in case", `{"a":1,"A":2}`,
			map[string]any{"a": json.Number("1"), "A": json.Number("2")}),
		Entry("names that look alike but are composed otherwise", "{\"\u00e9\":1,\"e\u0301\":2}",
			map[string]any{"\u00e9": json.Number("1"), "e\u0301": json.Number("2")}),
		Entry("the same name in objects beside each other", `[{"a":1},{"a":1}]`,
			[]any{map[string]any{"a": json.Number("1")}, map[string]any{"a": json.Number("1")}}),
		Entry("the same name in objects within each other", `{"a":{"a":{"a":1}},"b":1}`,
			map[string]any{"a": map[string]any{"a": map[string]any{"a": json.Number("1")}}, "b": json.Number("1")}),
		Entry("each short escape", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"),
		Entry("every digit of an escape, in both cases", `"\u0123\u4567\u89ab\uCDEF\ufedc\uBA98"`,
			"\u0123\u4567\u89ab\ucdef\ufedc\uba98"),
		Entry("an escaped zero character", `"\u0000"`, "\x00"),
		Entry("a raw DEL and C1 control", "\"\x7f\u0085\"", "\x7f\u0085"),
		Entry("line separators", "\"\u2028\u2029\"", "\u2028\u2029"),
		Entry("a surrogate pair", `"\uD83D\uDE00"`, "😀"),
		Entry("the first and last surrogate pairs", `"\uD800\uDC00\udbff\udfff"`, "\U00010000\U0010FFFF"),
		Entry("noncharacters, which J1 leaves alone", "\"\\uFFFE\\uFFFF\uFDD0\"", "\uFFFE\uFFFF\uFDD0"),
		Entry("a byte order mark within a string", "\"\uFEFF\"", "\uFEFF"),
		Entry("the replacement character itself", "\"\uFFFD\\uFFFD\"", "\uFFFD\uFFFD"),
		Entry("an escaped backslash before the end", `"a\\"`, `a\`),
		Entry("an escaped backslash before u", `"\\u0041"`, `\u0041`),
		Entry("two and four bytes of UTF-8", `"é€😀"`, "é€😀"),
		Entry("zero", `0`, json.Number("0")),
		Entry("minus zero", `-0`, json.Number("-0")),
		Entry("a number of every part", `-12.50E+03`, json.Number("-12.50E+03")),
		Entry("the largest exponents", `[1e10000,1E-10000]`, []any{json.Number("1e10000"), json.Number("1E-10000")}),
		Entry("an exponent of leading zeros", `1e00000000010000`, json.Number("1e00000000010000")),
		Entry("a number of 1,000 digits", strings.Repeat("9", 1000), json.Number(strings.Repeat("9", 1000))),
		Entry("1,000 digits in all parts", "-"+strings.Repeat("9", 500)+"."+strings.Repeat("9", 499)+"e5",
			json.Number("-"+strings.Repeat("9", 500)+"."+strings.Repeat("9", 499)+"e5")),
		Entry("a nesting of 512", nestedArrays(512), nestedValue(512)),
	)

	It("takes a nesting of 512 objects, and nestings of 512 beside each other", func() {
		Expect(strictjson.Valid([]byte(nestedObjects(512)))).To(Succeed())
		Expect(strictjson.Valid([]byte(strings.Repeat("[", 512) + `"a"` + strings.Repeat("]", 512)))).To(Succeed())
		Expect(strictjson.Valid([]byte("[" + nestedArrays(511) + "," + nestedObjects(511) + "]"))).To(Succeed())
	})

	It("keeps every member of a large object", func() {
		var body strings.Builder
		want := map[string]any{}
		body.WriteString("{")
		for i := range 5000 {
			if i > 0 {
				body.WriteString(",")
			}
			name := strings.Repeat("n", i%7) + string(rune('a'+i%26)) + strings.Repeat("m", i/182)
			if _, duplicate := want[name]; duplicate {
				name += json.Number(strings.Repeat("1", i%30+1)).String() + strings.Repeat("z", i)
			}
			want[name] = true
			body.WriteString(`"` + name + `":true`)
		}
		body.WriteString("}")
		got, err := strictjson.Decode([]byte(body.String()))
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(Equal(want))
	})

	It("does not let the caller's buffer show through", func() {
		body := []byte(`["abc",123]`)
		got, err := strictjson.Decode(body)
		Expect(err).NotTo(HaveOccurred())
		copy(body, `["xyz",789]`)
		Expect(got).To(Equal([]any{"abc", json.Number("123")}))
	})

	DescribeTable("takes memory in proportion to the text", func(element string, retained, allocated uint64) {
		if raceDetector {
			Skip("the race detector allocates too")
		}
		const size = 1 << 20
		count := size / (len(element) + 1)
		body := []byte("[" + strings.Repeat(element+",", count-1) + element + "]")
		var before, after, collected runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		value, err := strictjson.Decode(body)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&collected)
		Expect(err).NotTo(HaveOccurred())
		Expect(value).To(HaveLen(count))
		Expect((collected.HeapAlloc - before.HeapAlloc) / size).To(BeNumerically("<=", retained))
		Expect((after.TotalAlloc - before.TotalAlloc) / size).To(BeNumerically("<=", allocated))
	},
		Entry("short numbers", "1", uint64(12), uint64(30)),
		Entry("short strings", `"a"`, uint64(12), uint64(30)),
		Entry("empty arrays", "[]", uint64(32), uint64(40)),
		Entry("empty objects", "{}", uint64(40), uint64(50)),
	)
})
