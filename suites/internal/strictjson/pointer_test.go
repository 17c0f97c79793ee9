package strictjson_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// The document of RFC 6901, section 5, with what this project adds to it.
const pointerDocument = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,
	"deep":{"er":[[{"est":null}]],"01":true,"~1":9}}`

var _ = Describe("A JSON Pointer", func() {
	var document any
	BeforeEach(func() {
		var err error
		document, err = strictjson.Decode([]byte(pointerDocument))
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("finds", func(pointer string, want any, tokens ...string) {
		got, ok := strictjson.Lookup(document, pointer)
		Expect(ok).To(BeTrue())
		if want == nil {
			Expect(got).To(BeNil())
		} else {
			Expect(got).To(Equal(want))
		}
		Expect(strictjson.Tokens(pointer)).To(Equal(tokens))
		built := ""
		for _, token := range tokens {
			built = strictjson.Pointer(built, token)
		}
		Expect(built).To(Equal(pointer))
	},
		Entry(nil, "/foo", []any{"bar", "baz"}, "foo"),
		Entry(nil, "/foo/0", "bar", "foo", "0"),
		Entry(nil, "/", json.Number("0"), ""),
		Entry(nil, "/a~1b", json.Number("1"), "a/b"),
		Entry(nil, "/c%d", json.Number("2"), "c%d"),
		Entry(nil, "/e^f", json.Number("3"), "e^f"),
		Entry(nil, "/g|h", json.Number("4"), "g|h"),
		Entry(nil, `/i\j`, json.Number("5"), `i\j`),
		Entry(nil, `/k"l`, json.Number("6"), `k"l`),
		Entry(nil, "/ ", json.Number("7"), " "),
		Entry(nil, "/m~0n", json.Number("8"), "m~n"),
		Entry("null is there", "/deep/er/0/0/est", nil, "deep", "er", "0", "0", "est"),
		Entry("a name like an index", "/deep/01", true, "deep", "01"),
		Entry("an escaped tilde before 1", "/deep/~01", json.Number("9"), "deep", "~1"),
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

var _ = DescribeTable("TypeOf names the type of", func(text, want string) {
	value, err := strictjson.Decode([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	Expect(strictjson.TypeOf(value)).To(Equal(want))
},
	Entry(nil, `{}`, "object"),
	Entry(nil, `[]`, "array"),
	Entry(nil, `"1"`, "string"),
	Entry(nil, `1`, "number"),
	Entry(nil, `false`, "boolean"),
	Entry(nil, `null`, "null"),
)
