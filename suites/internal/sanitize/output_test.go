package sanitize_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// outputOf returns the way out of a run with these settings.
func outputOf(s settings.Settings) *sanitize.Output { return sanitize.New(&s, testkit.Contract(), "") }

var _ = Describe("The way out", func() {
	It("takes out the changed token too, because it differs from the real one in one character", func() {
		// The changed form of a short token contains no part of the real one that would be found.
		for _, real := range []string{token, "k3-9fQ2x7Z"} {
			out := outputOf(settings.Settings{Targets: map[schemas.Version]*settings.Target{schemas.V6: {AccessToken: real}},
				Secrets: []string{real}})
			Expect(out.Text(exchange.BadTokens(real).Changed, 0)).To(MatchRegexp("^redacted-[a-zA-Z]{16}$"))
		}
	})

	It("has a hole in tests of the guard alone", func() {
		Expect(sanitize.WithHole(token).Clean(token)).To(Equal(token))
		Expect(sanitize.WithHole(token).Guard()).NotTo(BeNil())
	})

	It("leaves documented names, also if the token contains one", func() {
		ex := &exchange.Exchange{Body: []byte(`{"SerialNumber":"SerialNumber-5Tz81"}`)}
		stored := outputOf(settings.Settings{Secrets: []string{"serialNumber-5Tz81"}}).Exchange(ex, 1<<10)
		Expect(maskPseudonyms(string(stored.Body))).To(Equal(`{"SerialNumber":"[redacted]"}`))
	})
})

var _ = Describe("An exchange on its way out", func() {
	out := sanitize.Of(token, "12345678", "[[{{,,}}]]")

	DescribeTable("has no secret in its header", func(name, value, wantName, wantValue string) {
		ex := &exchange.Exchange{Header: http.Header{name: {"plain", value}, "Date": {"today"}}}
		stored := out.Exchange(ex, 1<<10)
		Expect(stored.Header).To(And(HaveLen(2), HaveKeyWithValue("Date", []string{"today"}),
			HaveKeyWithValue(MatchRegexp("^"+wantName+"$"),
				HaveExactElements("plain", MatchRegexp("^"+wantValue+"$")))))
	},
		testkit.Entries("header"),
	)

	It("is the same if no secret is in it", func() {
		ex := &exchange.Exchange{Header: http.Header{"Date": {"today"}}, Body: []byte(`{"Id":"x"}`)}
		stored := out.Exchange(ex, len(ex.Body))
		Expect(stored.Size).To(Equal(len(ex.Body)))
		stored.Size = 0
		Expect(stored).To(Equal(*ex))
	})

	It("is left as it was, to be judged, and knows the size of the body as it came", func() {
		body := `{"Id":"` + token + `"}`
		ex := &exchange.Exchange{Header: http.Header{"X-Echo": {token}}, Body: []byte(body)}
		stored := out.Exchange(ex, 1<<10)
		Expect(ex.Header.Get("X-Echo") + string(ex.Body)).To(Equal(token + body))
		Expect(maskPseudonyms(string(stored.Body))).To(Equal(`{"Id":"[redacted]"}`))
		Expect(stored.Length()).To(Equal(len(body)))
		Expect(stored.Withheld).To(BeNil())
	})

	DescribeTable("has a body that is withheld, but for what can be read in it", func(body, rule, readable string) {
		stored := out.Exchange(&exchange.Exchange{Body: []byte(body)}, 1<<10)
		Expect(stored.Withheld).To(HaveValue(And(HaveField("Size", len(body)), HaveField("Rule", rule),
			HaveField("Digest", exchange.DigestOf([]byte(body))))))
		Expect(maskPseudonyms(string(stored.Body))).To(Equal(readable))
		Expect(sanitize.Of().Exchange(&stored, 1<<10)).To(Equal(stored), "evidence that is judged again")
	},
		Entry("bytes", "\x01\xff"+token, "syntax", ""),
		Entry("a value and bytes", `{"Id":"`+token+"\xff\"}\xff", "utf-8", `{"Id":"[redacted]"}`),
		Entry("a secret made of punctuation", `{"Id":"x"} [[{{,,}}]]`, "secret", `{"Id":"x"}`),
	)
})

var _ = Describe("The guard of finished files", func() {
	const secret = `k/7"<'>q&Zw9+=x~8`
	seen := func(g *sanitize.Guard, parts ...string) string {
		w := g.Watch("a.file")
		for _, part := range parts {
			Expect(testkit.Must(w.Write([]byte(part)))).To(Equal(len(part)))
		}
		err := w.Err()
		if err == nil {
			return ""
		}
		leak := (*sanitize.Leak)(nil)
		Expect(errors.As(err, &leak)).To(BeTrue())
		Expect(err).To(MatchError(ContainSubstring("a.file would have contained a secret, " + leak.Encoding + ";")))
		Expect(leak.Encoding).NotTo(BeEmpty())
		return leak.Encoding
	}

	DescribeTable("sees a secret", func(text, name string) {
		g := sanitize.NewGuard("", "another-9f86d081884c", secret)
		Expect(seen(g, "before "+text+" after")).To(Equal(name))
		Expect(seen(g, strings.Split("before "+text+" after", "")...)).To(Equal(name), "written byte by byte")
		Expect(seen(g, text, strings.Repeat("x", 1000), "y")).To(Equal(name), "with more after it")
		Expect(seen(nil, text)).To(BeEmpty(), "no guard")
	},
		testkit.Entries("guarded"),
	)

	DescribeTable("looks for", func(vocabulary, secret, text, name string) {
		Expect(seen(sanitize.NewGuard(vocabulary, secret), text)).To(Equal(name))
	},
		testkit.Entries("looked"),
	)

	DescribeTable("has every secret of the settings, and not the suite's own words", func(text string, leaks bool) {
		out := outputOf(settings.Settings{Secrets: []string{token, "tenant-7731-lantern",
			"findByUserIds"}})
		Expect(seen(out.Guard(), "before "+text+" after") != "").To(Equal(leaks))
	},
		testkit.Entries("guard"),
	)
})

// key is the key of the values in these specs, and names are the members that are shown.
var key, names = []byte("a key"), []string{"Id", "UserId", "IsLocked", "Device"}

func newValues() *sanitize.Values { return sanitize.NewValues(key, names...) }

// textOf returns what is shown of a JSON value.
func textOf(values *sanitize.Values, text string) string {
	GinkgoHelper()
	excerpt := strictjson.ExcerptOf(testkit.Must(strictjson.Decode([]byte(text))))
	return values.Text(excerpt, sanitize.Scope("id", "user", "/IsLocked"))
}

var _ = Describe("A value", func() {
	DescribeTable("has the digest of an equal value alone", func(a, b string, equal bool) {
		Expect(textOf(newValues(), a) == textOf(sanitize.NewValues(key), b)).To(Equal(equal))
		Expect(textOf(newValues(), a) == textOf(newValues(), b)).To(Equal(equal))
	},
		testkit.Entries("digests"),
	)

	It("has another digest with another key, and the same in any place of a list and for any case of the id", func() {
		Expect(sanitize.Scope("I", "u", "/3/IsLocked")).To(Equal(sanitize.Scope("i", "u", "IsLocked")))
		Expect(textOf(newValues(), `"a"`)).NotTo(Equal(textOf(sanitize.NewValues([]byte("other")), `"a"`)))
		Expect(sanitize.RandomKey()).NotTo(Equal(sanitize.RandomKey()))
		withoutToken := settings.Settings{Values: settings.ValuesHide}
		Expect(outputOf(withoutToken).Fingerprint()).NotTo(Equal(outputOf(withoutToken).Fingerprint()))
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
		Expect(string(out)).To(MatchRegexp(`^no JSON: \d+ bytes?, #[0-9a-f]{10}$`))
	},
		testkit.Entries("nojson"),
	)
	It("is cut off", func() {
		body := []byte("[" + strings.Repeat(`"person",`, 1000) + "1]")
		whole, _ := newValues().Body(body, "i", "u", 1<<20)
		for limit, wantCut := range map[int]bool{500: true, len(whole) - 1: true, len(whole): false} {
			out, cut := newValues().Body(body, "i", "u", limit)
			Expect(cut).To(Equal(wantCut))
			Expect(out).To(HaveLen(limit))
		}
	})
})

var _ = Describe("Printable", func() {
	DescribeTable("keeps", func(text string) { Expect(sanitize.Printable(text, 0)).To(Equal(text)) },
		testkit.Entries("kept"),
	)

	DescribeTable("escapes", func(text, want string) {
		Expect(sanitize.Printable(text, 0)).To(Equal(want))
		Expect(sanitize.Printable(want, 0)).To(Equal(want))
	},
		testkit.Entries("escaped"),
		Entry("bytes that are not UTF-8", "a\xff\x9b\xc3", `a\xff\x9b\xc3`),
		Entry("an encoded surrogate", "\xed\xa0\x80", `\xed\xa0\x80`),
	)

	DescribeTable("cuts", func(text string, limit int, want string) {
		Expect(sanitize.Printable(text, limit)).To(Equal(want))
	},
		testkit.Entries("cut"),
		Entry("before a byte that does not fit whole", "\xff\xff", 7, `\xff… (2 characters in all)`),
		Entry("nothing at 0", strings.Repeat("a", 5000), 0, strings.Repeat("a", 5000)),
	)

	It("cuts after cleaning, and keeps the line breaks of a text of several lines", func() {
		s := sanitize.NewSecrets(token)
		Expect(s.Show("token "+token+"\n", 0)).To(MatchRegexp(`^token redacted-[a-zA-Z]{16}\\n$`))
		Expect(s.Show("token "+token+" here", 19)).To(
			MatchRegexp(`^token redacted-[a-zA-Z]{4}… \(36 characters in all\)$`))
		Expect(sanitize.PrintableLines("a\x1b[31m\nb\r\n")).To(Equal(`a\u001b[31m` + "\n" + `b\r` + "\n"))
	})
})

var _ = Describe("JSON that is shown", func() {
	s := sanitize.NewSecrets(token, "k/7\"<'>\\x9|{y}")

	DescribeTable("is compact, printable and without secrets", func(text, want string) {
		value := testkit.Must(decodeJSON(text))
		Expect(maskPseudonyms(s.ShowJSON(value, 0))).To(Equal(want))
		Expect(maskPseudonyms(s.ShowJSON(value, 2000))).To(Equal(want))
		Expect(json.Valid([]byte(want))).To(BeTrue())
	},
		testkit.Entries("json"),
	)

	DescribeTable("is cut after cleaning", func(value string, limit int, want string) {
		Expect(s.ShowJSON([]any{value}, limit)).To(MatchRegexp("^" + want + "$"))
	},
		testkit.Entries("cutjson"),
	)

	DescribeTable("is the beginning alone of what is huge", func(value any, limit int, begin string) {
		got := s.ShowJSON(value, limit)
		Expect(got).To(And(HavePrefix(begin), MatchRegexp(`^.{0,30}… \(more than \d+ characters\)$`)))
	},
		Entry("a string", strings.Repeat("ab", 1<<17), 20, `"ababab`),
		Entry("an array", make([]any, 1<<17), 20, "[null,null"),
		Entry("strings", []any{strings.Repeat("c", 1<<17), strings.Repeat("d", 1<<17)}, 20, `["ccccc`),
		Entry("secrets alone", strings.Repeat(token, 1<<13), 20, `"redacted-`),
		Entry("secrets alone, whose pseudonym fits", strings.Repeat(token, 1<<13), 100, `"redacted-`),
	)

	It("is whole, however large, if nothing is to be cut, and shows which bytes were not UTF-8", func() {
		Expect(s.ShowJSON("a\xffb", 0)).To(Equal(`"a\xffb"`))
		Expect(s.ShowJSON(make([]any, 1<<15), 0)).To(HaveLen(5<<15 + 1))
	})
})
