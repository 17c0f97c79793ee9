package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

func TestStrictJSON(t *testing.T) { testkit.Specs(t, "strictjson") }

// decodedByEncodingJSON is a value as encoding/json reads it.
func decodedByEncodingJSON(text string) (value any) {
	GinkgoHelper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	Expect(decoder.Decode(&value)).To(Succeed())
	return value
}

// bytesOf are those of a literal of Go, which may be no UTF-8.
func bytesOf(literal string) []byte {
	GinkgoHelper()
	return []byte(testkit.Must(strconv.Unquote(literal)))
}

func nestedArrays(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func nestedObjects(depth int) string {
	return strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
}

// manyMembers gives members named m0, m1 and so on.
func manyMembers(count int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = `"m` + strconv.Itoa(i) + `":null`
	}
	return strings.Join(members, ",")
}

var _ = Describe("A text that is JSON", func() {
	DescribeTable("is read as encoding/json reads it", func(text string) {
		want, got := decodedByEncodingJSON(text), testkit.Must(strictjson.Decode([]byte(text)))
		Expect(reflect.DeepEqual(got, want)).To(BeTrue(), "%v", got)
		Expect(strictjson.Valid([]byte(text))).To(Succeed())
		lenient, ok := strictjson.First([]byte(text))
		Expect(ok).To(BeTrue())
		Expect(reflect.DeepEqual(lenient, want)).To(BeTrue(), "%v", lenient)
	},
		testkit.Entries("read"),
		Entry("a number of 1,000 digits", strings.Repeat("9", 1000)),
		Entry("1,000 digits in all parts", "-"+strings.Repeat("9", 500)+"."+strings.Repeat("9", 499)+"e5"),
		Entry("a nesting of 512", nestedArrays(512)),
		Entry("a text in a nesting of 512", strings.Repeat("[", 512)+`"a"`+strings.Repeat("]", 512)),
		Entry("nestings of 512 beside each other", "["+nestedArrays(511)+","+nestedObjects(511)+"]"),
		Entry("a text of digits beside what looks like a number", `["1e99999","`+strings.Repeat("7", 1001)+`"]`),
		Entry("an object of very many members", "{"+manyMembers(5000)+"}"),
	)

	It("does not let the caller's buffer show through", func() {
		body := []byte(`["abc",123]`)
		got := testkit.Must(strictjson.Decode(body))
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

var _ = DescribeTable("First reads the beginning of a body, or finds no value, in", func(literal, want string) {
	body := bytesOf(literal)
	Expect(strictjson.Valid(body)).NotTo(Succeed())
	got, ok := strictjson.First(body)
	Expect(ok).To(Equal(want != ""))
	if want == "" {
		Expect(got).To(BeNil())
	} else {
		Expect(got).To(Equal(decodedByEncodingJSON(want)))
	}
},
	testkit.Entries("first"),
	Entry("a nesting past the bound after it", strconv.Quote(`{"Id":"x"}`+strings.Repeat("[", 600)), `{"Id":"x"}`),
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
	expectRefused := func(text, rule string, offset int, pointer string) {
		GinkgoHelper()
		got := faultOf(text)
		Expect(got.Rule).To(Equal(rule))
		Expect(got.Offset).To(Equal(offset))
		Expect(got.Pointer).To(Equal(pointer))
		Expect(got.Detail).NotTo(BeEmpty())
	}

	DescribeTable("is refused", expectRefused,
		testkit.Entries("refused"),
		Entry("the first name again at the end of many", `{`+manyMembers(500)+`,"m0":1}`, "duplicate-member",
			len(manyMembers(500))+2, "/m0"),
		Entry("the eighth name again as the ninth", `{`+manyMembers(8)+`,"m7":1}`, "duplicate-member",
			len(manyMembers(8))+2, "/m7"),
		Entry("the ninth name again as the tenth", `{`+manyMembers(9)+`,"m8":1}`, "duplicate-member",
			len(manyMembers(9))+2, "/m8"),
	)

	DescribeTable("is refused for its bytes", func(literal, rule string, offset int, pointer string) {
		expectRefused(string(bytesOf(literal)), rule, offset, pointer)
	},
		testkit.Entries("bytes"),
	)

	DescribeTable("is refused for its syntax, or past a bound, by First too", func(text, rule string, offset int) {
		got := faultOf(text)
		Expect(got.Rule).To(Equal(rule))
		Expect(got.Offset).To(Equal(offset))
		_, ok := strictjson.First([]byte(text))
		Expect(ok).To(BeFalse())
	},
		testkit.Entries("syntax"),
		Entry("513 arrays", nestedArrays(513), "depth", 512),
		Entry("513 objects", nestedObjects(513), "depth", 512*len(`{"a":`)),
		Entry("513 and something else wrong further on", nestedArrays(513)+"junk", "depth", 512),
		Entry("as many arrays as a body may hold", strings.Repeat("[", 16<<20), "depth", 512),
		Entry("an object in 512 arrays", strings.Repeat("[", 512)+"{", "depth", 512),
		Entry("1,001 digits", strings.Repeat("9", 1001), "number-digits", 0),
		Entry("1,001 zeros after the point and one before", "[0."+strings.Repeat("0", 1000)+"]", "number-digits", 1),
		Entry("1,001 digits, the last in the exponent", strings.Repeat("9", 1000)+"e1", "number-digits", 0),
		Entry("1,001 zeros in the exponent", "1e"+strings.Repeat("0", 1001), "number-digits", 0),
		Entry("a million digits", strings.Repeat("1", 1<<20), "number-digits", 0),
	)

	It("says what came, quoted and cut", func() {
		Expect(faultOf(`{"Id":1,"Id":2}`).Error()).To(Equal(
			`the member "Id" twice in one object (at byte 8 in "/Id")`))
		Expect(faultOf("{} \u202e").Error()).To(Equal(
			`text after the JSON: "\u202e" (at byte 3)`))
		Expect(faultOf("{} \xff").Detail).To(HaveSuffix(`"\xff"`))
		long := `"` + strings.Repeat("\u202e\x7f", 100000) + `":1`
		Expect(faultOf("{" + long + "," + long + "}").Error()).To(And(
			ContainSubstring(`\u202e\x7f\u202e`), ContainSubstring("...")))
	})
})

var _ = DescribeTable("A fault is told by its place and what came",
	func(text string, offset int, pointer, detail string) {
		_, err := strictjson.Decode([]byte(text))
		Expect(err).To(HaveValue(And(HaveField("Offset", offset), HaveField("Pointer", pointer),
			HaveField("Detail", detail))))
	},
	testkit.Entries("faults"),
)

var _ = It("The text of a target in a message is cut after 120 bytes", func() {
	for length, cut := range map[int]string{120: `"`, 121: `"...`} {
		name := `"` + strings.Repeat("n", length) + `"`
		_, err := strictjson.Decode([]byte("{" + name + ":1," + name + ":2}"))
		Expect(err).To(MatchError(ContainSubstring("the member " + name[:121] + cut + " twice")))
	}
	Expect(strictjson.Described("utf-8")).To(Equal("a body that is not exactly one JSON text: utf-8"))
})

var _ = It("A body that is gzip is called so", func() {
	_, err := strictjson.Decode([]byte("\x1f\x8b\x08\x00"))
	Expect(err).To(MatchError("gzip without its header Content-Encoding"))
})
