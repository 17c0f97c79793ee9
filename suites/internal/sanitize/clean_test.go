package sanitize_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

// The kinds of secret that deployments have. None shares a run with the texts of the tests.
func tokensOfKinds() map[string]string {
	return map[string]string{
		"32 hexadecimal digits": "9f86d081884c7d659a2feaa0c55ad015",
		"a GUID":                "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
		"base64 with signs":     "q+Z/7w==8sK/xY+3vB/1mN+9tR/5uP/0",
		"a JSON Web Token":      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub25lIn0.Zm9vYmFyYmF6cXV4-_quuxcorge",
		"signs of every format": `k%7&"<'>\/x9|{y}[z]#2~w^` + "`u`$v!m",
		"a passphrase":          "Zoë sagt 17 Mal, ja!",
		"eight characters":      "Zq7-kX2p",
	}
}

var pseudonyms = regexp.MustCompile(`(?i)redacted-[a-z]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// maskPseudonyms is a text without what tells its pseudonyms apart.
func maskPseudonyms(text string) string {
	return pseudonyms.ReplaceAllLiteralString(text, "[redacted]")
}

var _ = Describe("Clean", func() {
	kinds := map[string]*sanitize.Secrets{}
	for _, token := range tokensOfKinds() {
		kinds[token] = sanitize.NewSecrets("another-1b2c3d4e5f", token)
	}
	for _, encode := range allEncodings() {
		It("replaces every kind of token, and its halves, written as "+encode.name, func() {
			for token, s := range kinds {
				text := "before " + encode.encode(token) + " after"
				Expect(s.Found(text)).To(BeTrue())
				got := s.Clean(text)
				Expect(got).To(And(HavePrefix("before "), HaveSuffix(" after")))
				Expect(findTraces(got, token)).To(BeEmpty())
				Expect(s.Found(got)).To(BeFalse())
				Expect(s.Clean(got)).To(Equal(got))
				if len(token) < 24 {
					continue
				}
				head, tail := token[:len(token)/2], token[len(token)/2:]
				got = s.Clean("X-First: " + encode.encode(head) + "\r\nX-Second: " + encode.encode(tail))
				Expect(findTraces(got, token)).To(BeEmpty())
				Expect(s.Found(got)).To(BeFalse())
			}
		})
	}

	DescribeTable("gives exactly", func(text, want string) {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015", "Zq7-kX2p", "ozo-kKmo")
		Expect(maskPseudonyms(s.Clean(text))).To(Equal(want))
	},
		testkit.Entries("cleaned"),
	)

	DescribeTable("leaves alone what shares a short run with a secret", func(secret, text string) {
		s := sanitize.NewSecrets(secret)
		Expect(s.Clean(text)).To(Equal(text))
		Expect(s.Found(text)).To(BeFalse())
	},
		Entry("a word", "admin-9f8e7d6c5b4a3928", "the administrator's token was refused"),
		Entry("an ordinary record", "9f86d081884c7d659a2feaa0c55ad015",
			`{"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","CreatedOn":"2024-01-01T00:00:00.000Z","IsLocked":false}`),
		Entry("another JSON Web Token's middle", "eyJhbGciOiJSUzUxMiJ9.aaaa1111bbbb2222.cccc3333dddd4444",
			"eyJ0eXAiOiJKV1QifQ.eyJpc3MiOiJqb2UifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
		Entry("the scheme of a header", "Bearer 9f86d081884c7d65", `WWW-Authenticate: Bearer realm="x"`),
		Entry("the scheme of Basic credentials, and the user", "Basic "+
			base64.StdEncoding.EncodeToString([]byte("operator:Zq7-kX2p")),
			"Basic authentication of the operator failed"),
		Entry("eleven characters of a long secret", strings.Repeat("k2p", 3)+
			"9f86d081884c7d659a2feaa0c55ad015b1946ac92492d2347c6235b4d2611184",
			"d659a2feaa0 and ac92492d234"),
		Entry("words of a passphrase", "correct horse battery staple, and 23 more words to be safe",
			"the battery of tests is safe"),
		Entry("the error code that explains the failure", "svc-adm-E1042-k2pXw7",
			`{"error":"E1042-k2p: the token has expired"}`),
		Entry("a date that a token begins with", "20260731-Zq7kX2pw", "20260731"),
		Entry("the parts of a secret of nine characters", "Xk9zQw3rT", "Xk9zQw3r k9zQw3rT"),
		Entry("values under eight characters", "v8Qz1w7", "v8Qz1w7 %76%38Qz1w7"),
		Entry("a sign by itself", "-", "2026-07-31"),
	)

	DescribeTable("knows the credentials of a header", func(header, text, want string) {
		Expect(maskPseudonyms(sanitize.NewSecrets(header).Clean(text))).To(Equal(want))
	},
		Entry("Bearer", "Bearer 9f86d081884c7d65", "token 9f86d081884c7d65 refused", "token [redacted] refused"),
		Entry("Basic", "Basic b3BlcmF0b3I6WnE3LWtYMnA=", "Basic b3BlcmF0b3I6WnE3LWtYMnA=", "Basic [redacted]"),
		Entry("Basic, the password", "basic  b3BlcmF0b3I6WnE3LWtYMnA", "operator Zq7-kX2p", "operator [redacted]"),
		Entry("Basic without a colon", "Basic b3BlcmF0b3I=", "operator b3BlcmF0b3I", "operator [redacted]"),
		Entry("Basic that is not base64", "Basic (9f86d081)", "(9f86d081)", "[redacted]"),
		Entry("no scheme", "Opaque 9f86d081884c7d65", "Opaque 9f86d081884c7d65", "Opaque [redacted]"),
	)

	It("takes a key out line by line, and leaves certificates", func() {
		key := "-----BEGIN PRIVATE KEY-----\n" +
			"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\nq0fWm3XcPzR7bTn5\n-----END PRIVATE KEY-----\n"
		s := sanitize.NewSecrets(key)
		Expect(s.Clean("key: " + strings.ReplaceAll(key, "\n", `\r\n`) + "!")).NotTo(
			Or(ContainSubstring("MC4C"), ContainSubstring("cPzR7")))
		Expect(maskPseudonyms(s.Clean("<MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g>"))).To(
			Equal("[redacted]"))
		certificate := "-----BEGIN CERTIFICATE-----\nMIIBtjCCAVugAwIBAgITBmyf1XSXNmY/Owua2eiedgPySjAKBggqhkjOPQQDAjA5\n-----END CERTIFICATE-----\n"
		Expect(s.Clean(certificate)).To(Equal(certificate))
	})

	It("takes twelve characters out of a long secret", func() {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015b1946ac92492d2347c6235b4d2611184")
		Expect(maskPseudonyms(s.Clean("d659a2feaa0c and 6ac92492d234"))).To(Equal("[redacted] and [redacted]"))
	})

	It("undoes up to five layers of escapes", func() {
		const secret = "q7-kXw9!zB4e"
		escaped := eachRune(`\u%04x`)(secret)
		s := sanitize.NewSecrets(secret)
		for layers := 1; layers <= 5; layers++ {
			Expect(s.Found("x "+escaped+" y")).To(BeTrue(), "%d layers", layers)
			escaped = strings.ReplaceAll(escaped, `\`, `\\`)
		}
	})

	It("knows a secret that looks escaped, some of its escapes undone and others not", func() {
		s := sanitize.NewSecrets("%41b%43d%45f%47h")
		Expect(maskPseudonyms(s.Clean(`x %41b\u002543d%45f\u002547h y`))).To(Equal("x [redacted] y"))
		Expect(maskPseudonyms(s.Clean("x AbCdEfGh y"))).To(Equal("x [redacted] y"))
	})

	It("knows nothing without secrets", func() {
		var none *sanitize.Secrets
		text := "any text, \xff even this"
		for _, s := range []*sanitize.Secrets{none, sanitize.NewSecrets(), sanitize.NewSecrets(""),
			sanitize.NewSecrets(" ",
				"\n")} {
			Expect(s.Clean(text)).To(Equal(text))
			Expect(s.Found(text)).To(BeFalse())
			Expect(s.Show("a\nb", 0)).To(Equal(`a\nb`))
			Expect(s.ShowJSON("a\nb", 0)).To(Equal(`"a\nb"`))
		}
	})

	DescribeTable("never writes a trace itself", func(secret string) {
		s := sanitize.NewSecrets(secret)
		for _, text := range []string{secret, secret + " and " + secret, "x" + secret + secret[len(secret)/2:]} {
			got := s.Clean(text)
			Expect(s.Found(got)).To(BeFalse())
			Expect(s.Clean(got)).To(Equal(got))
			Expect(findTraces(got, secret)).To(BeEmpty())
		}
		Expect(s.Clean("a ! b")).To(Equal("a ! b"))
	},
		Entry("the word that pseudonyms begin with", "redacted"),
		Entry("that word with more", "x-redacted-y"),
		Entry("punctuation of JSON", "[[{{,,}}]]"),
		Entry("a text with spaces", "a b c d e f g h"),
	)

	It("finds base64 whatever became of its letters", func() {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015")
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("xyz"[:before] + "9f86d081884c7d659a2feaa0c55ad015"))
			for _, changed := range []string{strings.ToLower(text), strings.ToUpper(text)} {
				Expect(maskPseudonyms(s.Clean("X-"+changed))).To(Equal("[redacted]"), changed)
			}
		}
	})

	It("finds what is written in UTF-16, encoded before or not, and what zero bytes are put into", func() {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015", "Grüße an Zoë, 17 Mal!")
		Expect(maskPseudonyms(s.Clean("a " + string(utf16Text("9f86d081884c7d659a2feaa0c55ad015"))))).To(
			Equal("a [redacted]"))
		Expect(s.Found(s.Clean("a " + string(utf16Text("Grüße an Zoë, 17 Mal!")) + " b"))).To(BeFalse())
		Expect(maskPseudonyms(s.Clean("9\x00\x00\x00f86d081884c\x007d65"))).To(Equal("[redacted]"))
		Expect(s.Found(string(utf16Text(url.QueryEscape("Grüße an Zoë, 17 Mal!"))))).To(BeTrue())
	})

	It("takes the words of JSON for no secrets, as a header may well have one as its value", func() {
		for _, word := range []string{"true", "false", " null "} {
			Expect(sanitize.NewSecrets(word).Clean(`{"a":true,"b":false,"c":null}`)).To(Equal(`{"a":true,"b":false,"c":null}`))
		}
	})

	It("reads large texts of every kind, and gives up whole on one that is made to be endless", func() {
		s := sanitize.NewSecrets("9f86d081884c7d659a2feaa0c55ad015")
		const size = 1 << 13
		for _, part := range []string{`\`, "%25", "%", "\x00", "00-", "5A ", "&", "&#0", "&amp;", "V", "0", "+", "\x80",
			`\u0025`} {
			text := strings.Repeat(part, size/len(part))
			Expect(s.Clean(text) == text).To(BeTrue(), part)
		}
		once := strings.Repeat("V", size) + " %2525252541"
		Expect(s.Clean(once) == once).To(BeTrue())
		// Each layer of escapes makes the run before them longer by one, and so another run.
		const nest = "%56%2556%252556%25252556%2525252556"
		inner := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("V", size/2) + nest))
		Expect(s.Found(inner + nest)).To(BeTrue())
		Expect(maskPseudonyms(s.Clean(inner + nest))).To(Equal("[redacted]"))
		Expect(maskPseudonyms(s.Clean(strings.Repeat("9f86d081884c ", size/13)))).To(
			Equal(strings.Repeat("[redacted] ", size/13)))
	})

	It("shows nothing of the secrets when it is printed itself", func() {
		s := sanitize.NewSecrets("9f86d081884c7d65", "a1B")
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			Expect(fmt.Sprintf(verb, s)).To(Equal(sanitize.Placeholder))
			Expect(fmt.Sprintf(verb, struct{ S any }{s})).NotTo(ContainSubstring("9f86"))
		}
		Expect(s.GomegaString()).To(Equal(sanitize.Placeholder))
	})
})
