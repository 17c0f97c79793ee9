package sanitize_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
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
			out := outputOf(settings.Settings{Targets: targetOf(real), Secrets: []string{real}})
			Expect(out.Text(exchange.BadTokens(real).Changed, 0)).To(Equal("[redacted]"))
		}
	})

	It("takes out a renewed token too, and what it took out before", func() {
		const renewed = "Zr8wK2pQx7Lm4VtB"
		out := outputOf(settings.Settings{Targets: targetOf(token), Secrets: []string{token}})
		out.Renew(renewed)
		for _, secret := range []string{token, renewed, exchange.BadTokens(renewed).Changed} {
			Expect(out.Text(secret, 0)).To(Equal("[redacted]"))
		}
		w := out.Guard().Watch("a.file")
		Expect(testkit.Must(w.Write([]byte(renewed)))).To(Equal(len(renewed)))
		Expect(w.Err()).To(HaveOccurred())
	})

	DescribeTable("never takes the target's own address for a secret, but what follows it in a header",
		func(base, header, secret string) {
			for _, token := range []string{"", token} {
				targets := targetOf(token)
				targets[schemas.V6].URL = testkit.Must(url.Parse(base))
				targets[schemas.V6].Headers = []settings.Header{{Name: "X-From", Value: header}}
				out := outputOf(settings.Settings{Targets: targets, Secrets: []string{header, token}})
				for _, address := range []string{base, base + "/api/v6/authenticator/findByUserIds",
					"the host " + targets[schemas.V6].URL.Host} {
					Expect(out.Text(address, 0)).To(Equal(address))
					Expect(out.Text(address+"?a="+token, 0)).To(Or(Equal(address+"?[redacted]"), Equal(address+"?a=")))
					w := out.Guard().Watch("a.file")
					Expect(testkit.Must(w.Write([]byte(address)))).To(Equal(len(address)))
					Expect(w.Err()).NotTo(HaveOccurred())
				}
				if secret != "" {
					Expect(out.Text("x "+secret+" y", 0)).To(Equal("x [redacted] y"))
				}
			}
		},
		Entry("the origin", "https://idm-7.example.com", "https://idm-7.example.com", ""),
		Entry("the origin in other letters", "https://idm-7.example.com", "HTTPS://IDM-7.Example.com", ""),
		Entry("with its port", "https://idm-7.example.com", "https://idm-7.example.com:443", ""),
		Entry("without its port", "https://idm-7.example.com:443", "https://idm-7.example.com/", ""),
		Entry("the host and port", "http://127.0.0.1:18443", "127.0.0.1:18443", ""),
		Entry("the host", "http://idm-host-7:18443", "idm-host-7", ""),
		Entry("the base URL", "https://idm-7.example.com/tenant-77", "https://idm-7.example.com/tenant-77", ""),
		Entry("the URL of an operation", "https://idm-7.example.com",
			"https://idm-7.example.com/api/v5/authenticator/getUserAuth", ""),
		Entry("a key after it", "https://idm-7.example.com", "https://idm-7.example.com/?key=Zq7kX2pLw4",
			"key=Zq7kX2pLw4"),
		Entry("a key that begins like the host", "https://zq7", "zq7kX2pLw4", "zq7kX2pLw4"),
		Entry("a part of the host", "https://zq7kX2pLw4.example.com", "Zq7kX2pLw", ""),
		Entry("more than a part of the host", "https://tenant-77-p.example.com", "tenant-77-prod", "tenant-77-prod"),
	)

	It("has a hole in tests of the guard alone", func() {
		Expect(sanitize.WithHole(token).Clean(token)).To(Equal(token))
		Expect(sanitize.WithHole(token).Guard()).NotTo(BeNil())
	})

	It("leaves documented names, also if the token contains one", func() {
		out := outputOf(settings.Settings{Secrets: []string{"serialNumber-5Tz81"}})
		Expect(out.Text(`{"SerialNumber":"SerialNumber-5Tz81"}`, 0)).To(Equal(`{"SerialNumber":"[redacted]"}`))
		ex := &exchange.Exchange{Body: []byte(`{"SerialNumber":"5"}`)}
		Expect(out.Exchange(ex, 1<<10).Body).To(Equal(ex.Body))
	})
})

var _ = It("The name of a setting is shown, also if a secret contains it", func() {
	for _, name := range settings.Names() {
		for _, secret := range []string{`{"` + name + `":"` + token + `"}`, strings.ToLower(name) + "=" + token} {
			settings := settings.Settings{Secrets: []string{secret}}
			for _, out := range []*sanitize.Output{sanitize.Of(secret), outputOf(settings)} {
				Expect(out.Text(name+": the token is wrong", 0)).To(Equal(name + ": the token is wrong"))
				Expect(out.Text("it is "+secret, 0)).NotTo(ContainSubstring(token[:12]))
			}
		}
	}
	out := sanitize.Of(`{"access_token":"` + token + `"}`)
	Expect(out.Text("AUTHN_ACCESS_TOKEN, "+token, 0)).To(Equal("AUTHN_ACCESS_TOKEN, [redacted]"))
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
		Expect(stored.Length()).To(Equal(len(body)))
		Expect(stored.Header.Get("X-Echo")).To(Equal("[redacted]"))
	})

	DescribeTable("has a body that is not kept, but for its size and digest", func(body, rule string) {
		stored := out.Exchange(&exchange.Exchange{Body: []byte(body)}, 1<<10)
		Expect(stored.Withheld).To(HaveValue(Equal(exchange.Withheld{Size: len(body), Rule: rule,
			Digest: exchange.DigestOf([]byte(body))})))
		Expect(stored.Body).To(BeEmpty())
		Expect(stored.Partial()).To(BeTrue())
		Expect(sanitize.Of().Exchange(&stored, 1<<10)).To(Equal(stored), "evidence that is judged again")
	},
		Entry("of bytes", "\x01\xff"+token, "utf-8"),
		Entry("of a value and bytes", `{"Id":"`+token+"\xff\"}\xff", "utf-8"),
		Entry("with a secret", `{"Id":"`+token+`"}`, "secret"),
		Entry("with a secret past the limit", `{"Id":"`+strings.Repeat(" ", 1<<11)+token+`"}`, "secret"),
		Entry("with a secret made of punctuation", `{"Id":"x"} [[{{,,}}]]`, "secret"),
	)

	It("is altered by a secret in its user or media type, but not by one in a header that is only shown", func() {
		for _, ex := range []exchange.Exchange{{Header: http.Header{"Content-Type": {"a", token}}},
			{Probe: exchange.Probe{User: exchange.User{ID: token}}},
			{Probe: exchange.Probe{User: exchange.User{UserID: token}}}} {
			Expect(out.Alters(&ex)).To(BeTrue())
		}
		for _, ex := range []exchange.Exchange{{Header: http.Header{"Set-Cookie": {token}, "X-Echo": {token},
			"X-" + token: {"a"}}},
			{Body: []byte(token), Probe: exchange.Probe{User: exchange.User{ID: "a", Name: token}}}} {
			Expect(out.Alters(&ex)).To(BeFalse())
		}
	})

	It("has all values of headers whose names become the same", func() {
		stored := out.Exchange(&exchange.Exchange{Header: http.Header{"A" + token: {"1"}, "B" + token: {"2"}}}, 1)
		Expect(stored.Header).To(Equal(http.Header{"[redacted]": {"1", "2"}}))
	})
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

var _ = Describe("A hidden body", func() {
	hide := func(body string, limit int) exchange.Exchange {
		return hidingOutput().Exchange(&exchange.Exchange{Body: []byte(body)}, limit)
	}
	It("has the type and the length of each value, and no name that is undocumented", func() {
		stored := hide(` {"Id" : 1, "person-7":{"user_id":"ab", "12345":[ {"x":true} ]},"IsLocked":null } `, 1000)
		Expect(string(stored.Body)).To(Equal(`{"Id":"number","undocumented":{"user_id":"string, 2 characters",` +
			`"undocumented":[{"undocumented":"boolean"}]},"IsLocked":null}`))
	})
	DescribeTable("is shown as its size if it is not one JSON text", func(body string) {
		stored := hide(body, 1000)
		Expect(stored.Cut).To(BeNil())
		Expect(string(stored.Body)).To(MatchRegexp(`^no JSON: \d+ bytes?$`))
	},
		testkit.Entries("nojson"),
	)
	It("is cut off", func() {
		body := "[" + strings.Repeat(`"person",`, 1000) + "1]"
		whole := hide(body, 1<<20).Body
		for limit, wantCut := range map[int]bool{500: true, len(whole) - 1: true, len(whole): false} {
			stored := hide(body, limit)
			Expect(stored.Cut != nil).To(Equal(wantCut))
			Expect(stored.Body).To(HaveLen(limit))
		}
	})
	It("has another digest of the list of users, which is the same with each token", func() {
		digest := func(token, values string) string {
			return outputOf(settings.Settings{Targets: targetOf(token), Values: values}).Digest("sha256:77")
		}
		hidden := digest("a", settings.ValuesHide)
		Expect(hidden).To(And(MatchRegexp("^sha256:[0-9a-f]{64}$"), Not(Equal(digest("a", settings.ValuesShow)))))
		Expect(digest("b", settings.ValuesHide)).To(Equal(hidden))
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
		Expect(sanitize.Of(token).Text("token "+token+"\n", 0)).To(Equal(`token [redacted]\n`))
		Expect(sanitize.Of(token).Text("token "+token+" here", 9)).To(Equal("token [re… (21 characters in all)"))
		Expect(sanitize.PrintableLines("a\x1b[31m\nb\r\n")).To(Equal(`a\u001b[31m` + "\n" + `b\r` + "\n"))
	})
})

var _ = Describe("JSON that is shown", func() {
	s := sanitize.NewSecrets(token, "k/7\"<'>\\x9|{y}")

	DescribeTable("is compact, printable and without secrets", func(text, want string) {
		value := testkit.Must(decodeJSON(text))
		Expect(s.ShowJSON(value, 0)).To(Equal(want))
		Expect(s.ShowJSON(value, 2000)).To(Equal(want))
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
		Entry("secrets alone", strings.Repeat(token, 1<<13), 20, `"[redacted]`),
	)

	It("is whole, however large, if nothing is to be cut", func() {
		Expect(s.ShowJSON(make([]any, 1<<15), 0)).To(HaveLen(5<<15 + 1))
	})
})

// targetOf returns a target of v6 with a token.
func targetOf(token string) map[schemas.Version]*settings.Target {
	return map[schemas.Version]*settings.Target{schemas.V6: {AccessToken: token}}
}
