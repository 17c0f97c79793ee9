package strictjson_test

import (
	"encoding/json"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// The document of RFC 6901, section 5, with what this project adds to it.
const pointerDocument = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,
	"deep":{"er":[[{"est":null}]],"01":true,"~1":9}}`

var _ = Describe("A JSON Pointer", func() {
	var document any
	BeforeEach(func() { document = testkit.Must(strictjson.Decode([]byte(pointerDocument))) })

	DescribeTable("finds", func(pointer, want string, tokens []string) {
		got, ok := strictjson.Lookup(document, pointer)
		Expect(ok).To(BeTrue())
		Expect(strictjson.Text(got, 0)).To(Equal(want))
		Expect(strictjson.Tokens(pointer)).To(Equal(tokens))
		built := ""
		for _, token := range tokens {
			built = strictjson.Pointer(built, token)
		}
		Expect(built).To(Equal(pointer))
	},
		testkit.Entries("found"),
	)

	It("finds the whole value with no token", func() {
		Expect(strictjson.Tokens("")).To(BeEmpty())
		got, ok := strictjson.Lookup(document, "")
		Expect(ok).To(BeTrue())
		Expect(got).To(Equal(document))
	})

	DescribeTable("finds nothing at", func(pointer string) {
		got, ok := strictjson.Lookup(document, pointer)
		Expect(ok).To(BeFalse())
		Expect(got).To(BeNil())
	},
		testkit.Entries("unfound"),
	)

	DescribeTable("is refused if it has another form", func(pointer string) {
		_, err := strictjson.Tokens(pointer)
		Expect(err).To(MatchError(ContainSubstring("expected a JSON Pointer")))
	},
		testkit.Entries("pointers"),
	)
})

var _ = DescribeTable("General puts a star for each index",
	func(pointer, general string) { Expect(strictjson.General(pointer)).To(Equal(general)) },
	testkit.Entries("general"),
)

func parseDecimal(text string) strictjson.Decimal { return strictjson.ParseDecimal(json.Number(text)) }

var _ = Describe("A Decimal", func() {
	DescribeTable("is the same for", func(a, b string) {
		Expect(parseDecimal(a)).To(Equal(parseDecimal(b)))
		Expect(parseDecimal(a).Compare(parseDecimal(b))).To(Equal(0))
		Expect(parseDecimal(a).String()).To(Equal(parseDecimal(b).String()))
	},
		testkit.Entries("equal"),
	)

	DescribeTable("orders by value", func(less, more string) {
		Expect(parseDecimal(less).Compare(parseDecimal(more))).To(Equal(-1))
		Expect(parseDecimal(more).Compare(parseDecimal(less))).To(Equal(1))
		Expect(parseDecimal(less)).NotTo(Equal(parseDecimal(more)))
		Expect(parseDecimal(less).String()).NotTo(Equal(parseDecimal(more).String()))
	},
		testkit.Entries("ordered"),
	)

	DescribeTable("is written shortly", func(text, want string) {
		Expect(parseDecimal(text).String()).To(Equal(want))
	},
		testkit.Entries("written"),
		Entry("30 digits", "1e29", "1"+strings.Repeat("0", 29)),
		Entry("30 digits after a zero", "1e-29", "0."+strings.Repeat("0", 28)+"1"),
	)

	It("takes a text that is no number without a panic", func() {
		many := strings.Repeat("9", 5000)
		for _, text := range []string{"", "-", "e", "abc", "1e", "--1", "1e" + many, "1e-" + many} {
			Expect(func() { _ = parseDecimal(text).Compare(parseDecimal("1")) }).NotTo(Panic())
			Expect(func() { _ = parseDecimal(text).String() }).NotTo(Panic())
		}
	})
})

var _ = DescribeTable("A value is shown as compact JSON, members sorted by name",
	func(value, expected string) {
		Expect(strictjson.Text(testkit.Must(strictjson.Decode([]byte(value))), 0)).To(Equal(expected))
	},
	testkit.Entries("shown"),
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
		Entry("a list", slices.Repeat([]any{"a"}, 1000)),
		Entry("an object", map[string]any{"a": strings.Repeat("a", 90), "b": "b", "c": strings.Repeat("c", 90),
			"d": "d"}),
	)

	It("is not written to its end only past the limit", func() {
		Expect(strictjson.Text(strings.Repeat("a", 98), 100)).To(HaveLen(100))
		text, more := strictjson.Text("ab", 1)
		Expect(text).To(Equal(`"a`))
		Expect(more).To(BeTrue())
	})
})

var _ = Describe("An excerpt", func() {
	DescribeTable("has the type and the length of the value", func(text, kind string, length int) {
		value := testkit.Must(strictjson.Decode([]byte(text)))
		Expect(strictjson.TypeOf(value)).To(Equal(kind))
		Expect(strictjson.ExcerptOf(value)).To(And(HaveField("Type", kind), HaveField("Length", length),
			HaveField("AtLeast", false)))
	},
		testkit.Entries("types"),
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
})

var _ = Describe("The canonical form of a value", func() {
	DescribeTable("is another for each other value", func(values []string) {
		seen := map[string]string{}
		for _, text := range values {
			form := strictjson.Canonical(testkit.Must(strictjson.Decode([]byte(text))))
			Expect(seen).NotTo(HaveKey(form), text)
			seen[form] = text
		}
	},
		testkit.Entries("different"),
	)

	It("is the same for numbers of the same value", func() {
		Expect(strictjson.Canonical(json.Number("1e2"))).To(Equal(strictjson.Canonical(json.Number("100.0"))))
		Expect(strictjson.Canonical(json.Number("-0"))).To(Equal(strictjson.Canonical(json.Number("0"))))
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
		Expect(string(testkit.Must(strictjson.Encode(map[string]any{"a": "<&>"})))).To(Equal(`{"a":"<&>"}`))
		Expect(write(func(out *strings.Builder) error { return strictjson.WriteIndented(out, []string{"<"}) })).To(
			Equal("[\n  \"<\"\n]\n"))
	})

	It("keeps the order of members", func() {
		Expect(string(testkit.Must(strictjson.EncodeMembers("b", 1, "a", []int{2})))).To(Equal(`{"b":1,"a":[2]}`))
		_, err := strictjson.EncodeMembers("a", func() {})
		Expect(err).To(HaveOccurred())
		_, err = strictjson.Encode(func() {})
		Expect(err).To(HaveOccurred())
	})

	It("writes complete documents: empty lists, a line break at the end, and an error for what is no JSON", func() {
		Expect(write(func(out *strings.Builder) error {
			return strictjson.WriteComplete(out, []string(nil), false)
		})).To(Equal("[]\n"))
		Expect(write(func(out *strings.Builder) error { return strictjson.WriteComplete(out, "\xff", true) })).To(
			Equal("\"\uFFFD\"\n"))
		var out strings.Builder
		Expect(strictjson.WriteComplete(&out, "\xff", false)).NotTo(Succeed())
		Expect(out.String()).NotTo(ContainSubstring("\n"))
	})
})

var _ = It("A lenient reader takes doubled names and bytes that are no UTF-8, and nothing that is no JSON", func() {
	text := []byte("{\"a\":1,\"a\":\"\xff\"}")
	Expect(strictjson.IsJSON(text)).To(BeTrue())
	Expect(strictjson.IsJSON([]byte(`{"a":1`))).To(BeFalse())
	decoder := strictjson.NewDecoder(text)
	for range 6 {
		testkit.Must(decoder.ReadToken())
	}
	Expect(strictjson.Unquoted(`"a\u0041"`)).To(Equal("aA"))
	Expect(string(strictjson.AppendQuoted([]byte("x:"), `a"b`))).To(Equal(`x:"a\"b"`))
})
