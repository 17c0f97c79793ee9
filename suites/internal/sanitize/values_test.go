package sanitize_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/strictjson"
)

// key is the key of the values in these specs, and names are the members that are shown.
var key, names = []byte("a key"), []string{"Id", "UserId", "IsLocked", "Device"}

func newValues() *sanitize.Values { return sanitize.NewValues(key, names...) }

// textOf returns what is shown of a JSON value.
func textOf(values *sanitize.Values, text string) string {
	GinkgoHelper()
	value, err := strictjson.Decode([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	return values.Text(strictjson.ExcerptOf(value), sanitize.Scope("id", "user", "/IsLocked"))
}

const digest = `#[0-9a-f]{10}`

var _ = Describe("A value", func() {
	DescribeTable("has the digest of an equal value", func(a, b string) {
		Expect(textOf(newValues(), a)).To(Equal(textOf(sanitize.NewValues(key), b)))
	},
		Entry(nil, `"a"`, `"\u0061"`), Entry(nil, `1`, `10e-1`), Entry(nil, `{"a":1,"b":2}`, `{"b":2.0,"a":1}`),
	)

	DescribeTable("has another digest than a different one", func(a, b string) {
		Expect(textOf(newValues(), a)).NotTo(Equal(textOf(newValues(), b)))
	},
		Entry(nil, `"a"`, `"b"`), Entry(nil, `"a"`, `"A"`), Entry(nil, `1`, `2`), Entry(nil, `true`, `false`),
		Entry(nil, `["a","b"]`, `["b","a"]`), Entry(nil, `["ab",""]`, `["a","b"]`), Entry(nil, `{"a":1}`, `{"b":1}`),
		Entry(nil, `[[1],2]`, `[1,[2]]`), Entry(nil, `["1"]`, `[1]`),
	)

	It("has another digest with another key", func() {
		Expect(textOf(newValues(), `"a"`)).NotTo(Equal(textOf(sanitize.NewValues([]byte("other")), `"a"`)))
		Expect(sanitize.RandomKey()).NotTo(Equal(sanitize.RandomKey()))
	})

	It("has a digest, as a boolean, that is the same for the index of a list and another case of the id", func() {
		Expect(sanitize.Scope("I", "u", "/3/IsLocked")).To(Equal(sanitize.Scope("i", "u", "IsLocked")))
	})
})

var _ = Describe("The names of members", func() {
	It("are replaced in a body if they are undocumented", func() {
		body := ` {"Id" : 1, "person-7":{"user_id":1, "12345":[ {"Nick":2} ]},"a\"b":2 } `
		out, _ := newValues().Body([]byte(body), "i", "u", 1000)
		Expect(string(out)).To(MatchRegexp(`^{"Id":"[^"]+","undocumented-[0-9a-f]{16}":{"user_id":"[^"]+",` +
			`"undocumented-[0-9a-f]{16}":\[{"undocumented-[0-9a-f]{16}":"[^"]+"}\]},` +
			`"undocumented-[0-9a-f]{16}":"[^"]+"}$`))
	})
	It("are the same for the same name, so that a duplicate remains one", func() {
		out, _ := newValues().Body([]byte(`{"x":1,"\u0078":2}`), "i", "u", 1000)
		var broken *strictjson.Error
		Expect(strictjson.Valid(out)).To(BeAssignableToTypeOf(broken))
		out, _ = newValues().Body([]byte(`{"x":1,"X":2,"y":{"x":1}}`), "i", "u", 1000)
		Expect(strictjson.Valid(out)).To(Succeed())
	})
	It("lose their digests where texts of runs with different keys are compared", func() {
		one, other := newValues(), sanitize.NewValues([]byte("other"))
		Expect(one.Name("x")).NotTo(Equal(other.Name("x")))
		shown := func(v *sanitize.Values) string { return sanitize.WithoutDigests(v.Name("x") + v.Digest("y")) }
		Expect(shown(one)).To(Equal(shown(other)))
		Expect(sanitize.WithoutDigests("#channel, undocumented")).To(Equal("#channel, undocumented"))
	})
})

var _ = Describe("A body", func() {
	It("has the texts that findings have", func() {
		out, _ := newValues().Body([]byte(`{"IsLocked":true,"Id":7}`), "i", "u", 1000)
		var members map[string]string
		Expect(json.Unmarshal(out, &members)).To(Succeed())
		Expect(members["IsLocked"]).To(Equal(newValues().Text(strictjson.ExcerptOf(true),
			sanitize.Scope("i", "u", "/0/IsLocked"))))
		Expect(members["Id"]).To(Equal(newValues().Text(strictjson.ExcerptOf(json.Number("7.0")), "")))
	})
	DescribeTable("that is not one JSON text is shown as size and digest", func(body string) {
		out, cut := newValues().Body([]byte(body), "i", "u", 1000)
		Expect(cut).To(BeFalse())
		Expect(string(out)).To(MatchRegexp(`^no JSON: \d+ bytes?, ` + digest + `$`))
	},
		Entry(nil, "<h1>person</h1>"), Entry(nil, `{"a":1`), Entry(nil, `{} {}`), Entry(nil, `1 2`),
		Entry(nil, `[] "person"`),
		Entry(nil, " "), Entry(nil, `{"a":tru}`),
	)
	It("is cut off", func() {
		out, cut := newValues().Body([]byte("["+strings.Repeat(`"person",`, 1000)+"1]"), "i", "u", 500)
		Expect(cut).To(BeTrue())
		Expect(out).To(HaveLen(500))
	})
})
