package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
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
			out := outputOf(settings.Settings{AccessToken: real, Secrets: []string{real}})
			Expect(out.Text(exchange.BadTokens(real).Changed, 0)).To(MatchRegexp("^redacted-[a-zA-Z]{16}$"))
		}
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
		stored := out.Exchange(&exchange.Exchange{Header: http.Header{name: {"plain", value}, "Date": {"today"}}}, 1<<10)
		Expect(stored.Header).To(And(HaveLen(2), HaveKeyWithValue("Date", []string{"today"}),
			HaveKeyWithValue(MatchRegexp("^"+wantName+"$"), HaveExactElements("plain", MatchRegexp("^"+wantValue+"$")))))
	},
		Entry("none", "X-Echo", "nothing", "X-Echo", "nothing"),
		Entry("a value", "X-Echo", token, "X-Echo", "redacted-[a-zA-Z]{16}"),
		Entry("a part of a value", "Content-Type", "application/json; t="+token, "Content-Type",
			"application/json; redacted-[a-zA-Z]{16}"),
		Entry("a place", "Location", "https://elsewhere.example/?t="+token, "Location",
			`https://elsewhere\.example/\?redacted-[a-zA-Z]{16}`),
		Entry("a challenge", "Www-Authenticate", `Bearer realm="`+token+`"`, "Www-Authenticate", `Bearer \[hidden\]`),
		Entry("a number", "Retry-After", "12345678", "Retry-After", "[1-9][0-9]{7}"),
		Entry("what can't be taken out otherwise", "X-Echo", "a [[{{,,}}]]", "X-Echo", "redacted-[a-z]{16}"),
		Entry("a name", "X-"+token, "1", "Redacted-[a-zA-Z]{16}", "1"),
	)

	It("is the same if no secret is in it", func() {
		ex := &exchange.Exchange{Header: http.Header{"Date": {"today"}}, Body: []byte(`{"Id":"x"}`)}
		stored := out.Exchange(ex, 1<<10)
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
		leak := (*sanitize.Leak)(nil)
		if errors.As(w.Err(), &leak) {
			return leak.Encoding
		}
		Expect(w.Err()).NotTo(HaveOccurred())
		return ""
	}

	DescribeTable("sees a secret", func(text, name string) {
		g := sanitize.NewGuard("", "another-9f86d081884c", secret)
		Expect(seen(g, "before "+text+" after")).To(Equal(name))
		Expect(seen(g, strings.Split("before "+text+" after", "")...)).To(Equal(name), "written byte by byte")
	},
		Entry("raw", secret, "raw"),
		Entry("in the other case", strings.ToUpper(secret), "raw"),
		Entry("in JSON", string(testkit.Must(json.Marshal(secret))), "escaped for JSON"),
		Entry("in JSON with markup left as it is", `k/7\"<'>q&Zw9+=x~8`, "escaped for JSON"),
		Entry("in a query", url.QueryEscape(secret), "escaped for a URL"),
		Entry("in a path", url.PathEscape(secret), "escaped for a URL"),
		Entry("in HTML", html.EscapeString(secret), "escaped for HTML"),
		Entry("in hexadecimal", hex.EncodeToString([]byte(secret)), "in hexadecimal"),
		Entry("in hexadecimal, in pairs", strings.ReplaceAll(fmt.Sprintf("% X", secret), " ", "-"), "in hexadecimal"),
		Entry("in base64 of UTF-16LE", base64.StdEncoding.EncodeToString(append([]byte{'x'}, utf16Text(secret)...)),
			"in base64"),
		Entry("in base64", base64.StdEncoding.EncodeToString([]byte(secret)), "in base64"),
		Entry("in base64 after one byte", base64.StdEncoding.EncodeToString([]byte("x"+secret+"yz")), "in base64"),
		Entry("in base64 after two bytes", base64.StdEncoding.EncodeToString([]byte("xy"+secret)), "in base64"),
		Entry("in base64 for URLs", base64.RawURLEncoding.EncodeToString([]byte("?>"+secret+"??")), "in base64"),
		Entry("another one", "another-9f86d081884c", "raw"),
	)

	DescribeTable("looks for", func(vocabulary, secret, text, name string) {
		Expect(seen(sanitize.NewGuard(vocabulary, secret), text)).To(Equal(name))
	},
		Entry("nothing without secrets", "", "", secret, ""),
		Entry("no part of a secret", "", secret, secret[:len(secret)-1]+" "+secret[1:], ""),
		Entry("a secret of eight bytes", "", "k9/Zq&7x", "before k9/Zq&7x after", "raw"),
		Entry("none so short that it may stand anywhere by chance", "", "1234567", "1234567", ""),
		Entry("none that the suite says itself", `"Application/JSON"`, "application/json", "application/json", ""),
		Entry("the credentials of a header", "", "Bearer 9f86d081884c7d65", "token 9f86d081884c7d65", "raw"),
	)

	DescribeTable("has every secret of the settings, and not the suite's own words", func(text string, leaks bool) {
		out := outputOf(settings.Settings{AccessToken: token, Secrets: []string{token, "tenant-7731-lantern",
			"findByUserIds"}})
		Expect(seen(out.Guard(), "before "+text+" after") != "").To(Equal(leaks))
	},
		Entry("the token", token, true), Entry("the value of a header", "tenant-7731-lantern", true),
		Entry("a value that stands in the catalogue", "findByUserIds", false),
		Entry("another text", "application/json", false),
	)
})
