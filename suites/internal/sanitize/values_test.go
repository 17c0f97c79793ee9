package sanitize_test

import (
	"encoding/json"
	"net/http"
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
	DescribeTable("is shown as type, length and digest", func(text, want string) {
		Expect(textOf(newValues(), text)).To(MatchRegexp("^" + want + "$"))
	},
		Entry(nil, `"person-0042"`, "string, 11 characters, "+digest),
		Entry(nil, `"é"`, "string, 1 character, "+digest),
		Entry(nil, `42`, "number, "+digest), Entry(nil, `true`, "boolean, "+digest), Entry(nil, `null`, "null"),
		Entry(nil, `[1,2]`, "array, 2 elements, "+digest), Entry(nil, `{"a":1}`, "object, 1 member, "+digest),
		Entry(nil, `""`, "string, 0 characters"), Entry(nil, `[]`, "array, 0 elements"),
		Entry(nil, `{}`, "object, 0 members"),
	)

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

	It("has a digest, as a boolean, that depends on the user and the member", func() {
		shown := map[string]bool{}
		for _, scope := range []string{sanitize.Scope("i", "u", "/IsLocked"), sanitize.Scope("i", "v", "/IsLocked"),
			sanitize.Scope("i", "u", "/IsDisabled")} {
			shown[newValues().Text(strictjson.ExcerptOf(true), scope)] = true
		}
		Expect(shown).To(HaveLen(3))
		Expect(sanitize.Scope("I", "u", "/3/IsLocked")).To(Equal(sanitize.Scope("i", "u", "IsLocked")))
	})
})

var _ = Describe("A user", func() {
	It("is named by place and digests, which are those of the same values in answers", func() {
		id, userID := newValues().User("line 17", "some-guid", "person")
		Expect(userID).To(MatchRegexp("^line 17, " + digest + "$"))
		Expect(textOf(newValues(), `"person"`)).To(HaveSuffix(strings.TrimPrefix(userID, "line 17")))
		Expect(textOf(newValues(), `"some-guid"`)).To(HaveSuffix(id))
		_, userID = newValues().User("", "some-guid", "person")
		Expect(userID).To(MatchRegexp("^" + digest + "$"))
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
	DescribeTable("are replaced in a pointer", func(pointer string, broken bool, want string) {
		Expect(hidingOutput().Pointer(pointer, broken)).To(MatchRegexp("^" + want + "$"))
	},
		Entry("into a list", "/3/Device/person~17", false, "/3/Device/undocumented-[0-9a-f]{16}"),
		Entry("into a body that is no JSON", "/3/Device/person~17", true, `/\*/Device/undocumented-[0-9a-f]{16}`),
		Entry("with a number that is hardly an index", "/5551234", false, `/\*`),
		Entry("with a number below a member", "/Device/7", false, `/Device/\*`),
		Entry("of the whole", "", false, ""), Entry("that is none", "no pointer", true, ""),
	)
	It("stay in a pointer if they are shown", func() {
		Expect(sanitize.Of().Pointer("/3/x/5551234", false)).To(Equal("/3/x/5551234"))
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
	It("has a text in the place of each value", func() {
		out, cut := newValues().Body([]byte(` {"Id":"person","x":[1,true,null,""],"Device":{}} `), "i", "u", 1000)
		Expect(cut).To(BeFalse())
		Expect(string(out)).To(MatchRegexp(`^{"Id":"string, 6 characters, ` + digest +
			`","undocumented-[0-9a-f]{16}":\["number, ` + digest + `","boolean, ` + digest +
			`",null,"string, 0 characters"\],"Device":{}}$`))
	})
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

var _ = Describe("A header", func() {
	header := func(name, value string) (string, string) {
		for name, values := range hidingOutput().Header(http.Header{name: {value}}) {
			return name, values[0]
		}
		return "", ""
	}
	DescribeTable("keeps what is the same for everybody", func(name, value string) {
		shownName, shownValue := header(name, value)
		Expect([]string{shownName, shownValue}).To(Equal([]string{name, value}))
	},
		Entry(nil, "Content-Type", "application/json; charset=utf-8"), Entry(nil, "Content-Length", "713"),
		Entry(nil, "Date", "Sun, 22 Nov 2026 20:36:08 GMT"), Entry(nil, "Retry-After", "120"),
		Entry(nil, "Cache-Control", "no-store"), Entry(nil, "Www-Authenticate", "Bearer"),
	)
	DescribeTable("hides other values", func(name, value, want string) {
		shownName, shownValue := header(name, value)
		Expect(shownName).To(Equal(name))
		Expect(shownValue).To(MatchRegexp("^" + want + "$"))
	},
		Entry(nil, "Content-Type", "text/html; user=person", "string, 22 characters, "+digest),
		Entry(nil, "Location", "/person", "string, 7 characters, "+digest),
		Entry(nil, "Date", "person", "string, 6 characters, "+digest),
		Entry(nil, "Www-Authenticate", `Bearer realm="person"`, "Bearer string, 14 characters, "+digest),
		Entry(nil, "Www-Authenticate", "person", "string, 6 characters, "+digest),
		Entry(nil, "Retry-After", "1002100210021", "99999"),
		Entry(nil, "Retry-After", "person", "string, 6 characters, "+digest),
	)
	It("hides other names, but not that they are about rate limits", func() {
		name, _ := header("X-Person", "1")
		Expect(name).To(MatchRegexp("^Undocumented-[0-9A-Fa-f]{16}$"))
		name, _ = header("X-Ratelimit-Person", "1")
		Expect(name).To(MatchRegexp("^X-Ratelimit-Undocumented-[0-9A-Fa-f]{16}$"))
	})
	It("is shown unchanged if nothing is hidden", func() {
		Expect(sanitize.Of().Header(http.Header{"X-Person": {"1"}})).To(Equal(http.Header{"X-Person": {"1"}}))
	})
})
