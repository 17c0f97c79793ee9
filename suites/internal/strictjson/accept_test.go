package strictjson_test

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

func TestStrictJSON(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "strictjson")
}

func nestedArrays(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func nestedObjects(depth int) string {
	return strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
}

var _ = Describe("A text that is JSON", func() {
	DescribeTable("is read as encoding/json reads it", func(text string) {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want any
		Expect(decoder.Decode(&want)).To(Succeed())
		got, err := strictjson.Decode([]byte(text))
		Expect(err).NotTo(HaveOccurred())
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
		Entry("an object of very many members", "{"+manyMembers(5000)+"}"),
	)

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
