package redact_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/redact"
)

// The kinds of secret that deployments have. None shares a run with the texts of the tests.
func tokens() map[string]string {
	return map[string]string{
		"32 hexadecimal digits": "9f86d081884c7d659a2feaa0c55ad015",
		"a GUID":                "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
		"base64 with signs":     "q+Z/7w==8sK/xY+3vB/1mN+9tR/5uP/0",
		"a JSON Web Token":      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub25lIn0.Zm9vYmFyYmF6cXV4-_quuxcorge",
		"signs of every format": `k%7&"<'>\/x9|{y}[z]#2~w^` + "`u`$v!m",
		"a passphrase":          "Grüße an Zoë, 17 Mal!",
		"eight characters":      "Zq7-kX2p",
		"six characters":        "v8Qz1w",
		"four characters":       "Xk9z",
	}
}

var lengths = regexp.MustCompile(`\[secret:\d+(#\d+)?\]`)

// bare is a text with the lengths taken out, where they are not what matters.
func bare(text string) string { return lengths.ReplaceAllLiteralString(text, "[secret]") }

var _ = Describe("Clean", func() {
	for name, token := range tokens() {
		for _, way := range encodings() {
			It(fmt.Sprintf("takes out %s, %s", name, way.name), func() {
				s := redact.New("another-1b2c3d4e5f", token)
				text := "before " + way.encode(token) + " after"
				Expect(s.Found(text)).To(BeTrue())
				got := s.Clean(text)
				Expect(got).To(And(HavePrefix("before "), HaveSuffix(" after"), ContainSubstring("[secret:")))
				Expect(traces(got, token)).To(BeEmpty())
				Expect(s.Found(got)).To(BeFalse())
				Expect(s.Clean(got)).To(Equal(got))
			})
			if len(token) < 12 {
				continue
			}
			It(fmt.Sprintf("takes out the halves of %s, %s", name, way.name), func() {
				s := redact.New(token)
				head, tail := token[:len(token)/2], token[len(token)/2:]
				got := s.Clean("X-First: " + way.encode(head) + "\r\nX-Second: " + way.encode(tail))
				Expect(traces(got, token)).To(BeEmpty())
				Expect(strings.Count(got, "[secret:")).To(BeNumerically(">=", 2))
			})
		}
	}

	DescribeTable("gives exactly", func(text, want string) {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015", "Zq7-kX2p")
		Expect(bare(s.Clean(text))).To(Equal(want))
	},
		Entry("nothing", "", ""),
		Entry("a token alone", "9f86d081884c7d659a2feaa0c55ad015", "[secret]"),
		Entry("a token in JSON", `{"AccessToken":"9f86d081884c7d659a2feaa0c55ad015"}`, `{"AccessToken":"[secret]"}`),
		Entry("two tokens side by side", "9f86d081884c7d659a2feaa0c55ad015Zq7-kX2p", "[secret]"),
		Entry("two tokens apart", "Zq7-kX2p,9f86d081884c7d659a2feaa0c55ad015", "[secret],[secret]"),
		Entry("runs that overlap", "9f86d081884c7d65884c7d659a2feaa0", "[secret]"),
		Entry("eight characters of 32", "x d659a2fe y", "x [secret] y"),
		Entry("seven characters of 32", "x d659a2f y", "x d659a2f y"),
		Entry("six characters of eight", "q7-kX2", "[secret]"),
		Entry("five characters of eight", "q7-kX", "q7-kX"),
		Entry("a placeholder before and after", "[secret]Zq7-kX2p[secret]", "[secret][secret][secret]"),
		Entry("a plus sign as a space", "Zq7-kX2p+", "[secret]+"),
		Entry("a percent sign that escapes nothing", "100%Zq7-kX2p%zz", "100%[secret]%zz"),
		Entry("an escape cut off", `Zq7-kX2p\u00`, `[secret]\u00`),
		Entry("the whole of base64", "x OWY4NmQwODE4ODRjN2Q2NTlhMmZlYWEwYzU1YWQwMTU y", "x [secret] y"),
		Entry("the whole of hexadecimal", "x 5A71372D6B583270 y", "x [secret] y"),
		Entry("the whole of each escape", `"\u005aq7-kX2\u0070"`, `"[secret]"`),
	)

	DescribeTable("leaves alone what shares a short run with a secret", func(secret, text string) {
		s := redact.New(secret)
		Expect(s.Clean(text)).To(Equal(text))
		Expect(s.Found(text)).To(BeFalse())
	},
		Entry("a word", "admin-9f8e7d6c5b4a3928", "the administrator's token was refused"),
		Entry("an ordinary record", "9f86d081884c7d659a2feaa0c55ad015",
			`{"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","CreatedOn":"2024-01-01T00:00:00.000Z","IsLocked":false}`),
		Entry("another JSON Web Token's middle", "eyJhbGciOiJSUzUxMiJ9.aaaa1111bbbb2222.cccc3333dddd4444",
			"eyJ0eXAiOiJKV1QifQ.eyJpc3MiOiJqb2UifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
		Entry("the scheme of a header", "Bearer 9f86d081884c7d65", `WWW-Authenticate: Bearer realm="x"`),
		Entry("the scheme of Basic credentials, and the user", "Basic "+base64.StdEncoding.EncodeToString([]byte("operator:Zq7-kX2p")),
			"Basic authentication of the operator failed"),
		Entry("eleven characters of a long secret", strings.Repeat("k2p", 3)+"9f86d081884c7d659a2feaa0c55ad015b1946ac92492d2347c6235b4d2611184",
			"d659a2feaa0 and ac92492d234"),
		Entry("words of a passphrase under a quarter", "correct horse battery staple, and 23 more words to be safe",
			"the battery of tests is safe"),
		Entry("the parts of a secret of five characters", "Xk9zQ", "Xk9z k9zQ Xk9 zQ"),
	)

	DescribeTable("knows the credentials of a header", func(header, text, want string) {
		Expect(bare(redact.New(header).Clean(text))).To(Equal(want))
	},
		Entry("Bearer", "Bearer 9f86d081884c7d65", "token 9f86d081884c7d65 refused", "token [secret] refused"),
		Entry("Basic", "Basic b3BlcmF0b3I6WnE3LWtYMnA=", "Basic b3BlcmF0b3I6WnE3LWtYMnA=", "Basic [secret]"),
		Entry("Basic, the password", "basic  b3BlcmF0b3I6WnE3LWtYMnA", "operator Zq7-kX2p", "operator [secret]"),
		Entry("Basic without a colon", "Basic b3BlcmF0b3I=", "operator b3BlcmF0b3I", "operator [secret]"),
		Entry("Basic that is not base64", "Basic (9f86d081)", "(9f86d081)", "[secret]"),
		Entry("no scheme", "Opaque 9f86d081884c7d65", "Opaque 9f86d081884c7d65", "[secret]"),
	)

	DescribeTable("takes secrets under four characters only where they stand alone", func(text, want string) {
		Expect(bare(redact.New("a1B").Clean(text))).To(Equal(want))
	},
		Entry("alone", "a1B", "[secret]"),
		Entry("in the other case", `"A1b"`, `"[secret]"`),
		Entry("twice", "a1B,a1B", "[secret],[secret]"),
		Entry("in a word", "xa1B a1By a1B2 éa1B", "xa1B a1By a1B2 éa1B"),
		Entry("beside bytes that are not UTF-8", "\xffa1B\xff", "\xff[secret]\xff"),
		Entry("encoded", "a%31B YTFC", "a%31B YTFC"),
	)

	It("takes a key out line by line, and leaves certificates", func() {
		key := "-----BEGIN PRIVATE KEY-----\n" +
			"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\nq0fWm3XcPzR7bTn5\n-----END PRIVATE KEY-----\n"
		s := redact.New(key)
		Expect(s.Clean("key: " + strings.ReplaceAll(key, "\n", `\r\n`) + "!")).NotTo(Or(ContainSubstring("MC4C"), ContainSubstring("cPzR7")))
		Expect(s.Clean("<MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g>")).To(Equal("<[secret:64]>"))
		certificate := "-----BEGIN CERTIFICATE-----\nMIIBtjCCAVugAwIBAgITBmyf1XSXNmY/Owua2eiedgPySjAKBggqhkjOPQQDAjA5\n-----END CERTIFICATE-----\n"
		Expect(s.Clean(certificate)).To(Equal(certificate))
	})

	It("makes one of traces that touch, short and long", func() {
		s := redact.New("-x-", "9f86d081884c7d65!")
		Expect(s.Clean("a 9f86d081884c7d65!-x- b")).To(Equal("a [secret:20] b"))
	})

	It("takes twelve characters out of a long secret", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015b1946ac92492d2347c6235b4d2611184")
		Expect(s.Clean("d659a2feaa0c and 6ac92492d234")).To(Equal("[secret:12] and [secret:12#2]"))
	})

	It("knows a secret that looks escaped, some of its escapes undone and others not", func() {
		s := redact.New("%41b%43d%45f%47h")
		Expect(s.Clean(`x %41b\u002543d%45f\u002547h y`)).To(Equal("x [secret:26] y"))
		Expect(s.Clean("x AbCdEfGh y")).To(Equal("x [secret:8] y"))
	})

	It("knows nothing without secrets", func() {
		var none *redact.Secrets
		text := "any text, \xff even this"
		for _, s := range []*redact.Secrets{none, redact.New(), redact.New(""), redact.New(" ", "\n")} {
			Expect(s.Clean(text)).To(Equal(text))
			Expect(s.Found(text)).To(BeFalse())
			Expect(s.Show("a\nb", 0)).To(Equal(`a\nb`))
			Expect(s.ShowJSON("a\nb", 0)).To(Equal(`"a\nb"`))
		}
	})

	DescribeTable("never writes a trace itself", func(secret string) {
		s := redact.New(secret)
		for _, text := range []string{secret, "[secret]", secret + "[secret]" + secret, "x" + secret[:len(secret)/2] + "[secret]" + secret[len(secret)/2:]} {
			got := s.Clean(text)
			Expect(s.Found(got)).To(BeFalse())
			Expect(s.Clean(got)).To(Equal(got))
			Expect(traces(got, secret)).To(BeEmpty())
		}
		Expect(s.Clean("a ! b")).To(Equal("a ! b"))
	},
		Entry("the placeholder's own word", "secret"),
		Entry("the placeholder", "[secret]"),
		Entry("a run of the placeholder", "client-secret-value"),
		Entry("the placeholder within", "x[secret]y-abc"),
		Entry("what replaces the placeholder", "***]"),
		Entry("a part of it", "ecre"),
		Entry("a part of what replaces it", "[***"),
	)

	It("notes how long it was, so that two traces can be told apart", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015")
		Expect(s.Clean("9f86d081884c7d659a2feaa0c55ad015, OWY4NmQwODE4ODRjN2Q2NTlhMmZlYWEwYzU1YWQwMTU=")).To(Equal("[secret:32], [secret:43]="))
		Expect(redact.Hidden(32)).To(Equal("[secret:32]"))
		Expect(redact.New("9f86d081884c7d659a2feaa0c55ad015", "32").Clean("9f86d081884c7d659a2feaa0c55ad015")).To(Equal("[secret]"), "the length is a secret too")
		Expect(redact.New("9f86d081884c7d659a2feaa0c55ad015", "T:32]").Clean("9f86d081884c7d659a2feaa0c55ad015")).To(Equal("[secret]"))
	})

	It("tells traces of one length apart, and calls the same one the same", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015")
		Expect(s.Clean("9f86d081884c, 7d659a2feaa0, 9f86d081884c, 9F86d081884c")).To(Equal("[secret:12], [secret:12#2], [secret:12], [secret:12#3]"))
		Expect(s.Clean("7d659a2feaa0")).To(Equal("[secret:12#2]"), "in another text too")
		Expect(s.Apart()).To(BeTrue())
	})

	It("says when it can't tell all of them apart any more", func() {
		s := redact.New("abcdefghijklmnop")
		var text strings.Builder
		for i := range 1 << 14 {
			for bit, letter := range []byte("abcdefghijklmnop") {
				if i>>bit&1 == 1 {
					letter -= 'a' - 'A'
				}
				text.WriteByte(letter)
			}
			text.WriteByte(' ')
		}
		got := s.Clean(text.String())
		Expect(s.Apart()).To(BeFalse())
		Expect(s.Found(got)).To(BeFalse())
		Expect(got).To(HavePrefix("[secret:16] [secret:16#2] "))
		Expect(got).To(HaveSuffix("[secret:16#] "))
		var none *redact.Secrets
		Expect(none.Apart()).To(BeTrue())
		Expect(redact.New("secret").Apart()).To(BeFalse(), "there, one placeholder stands for all")
	})

	It("finds base64 whatever became of its letters", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015")
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("xyz"[:before] + "9f86d081884c7d659a2feaa0c55ad015"))
			for _, changed := range []string{strings.ToLower(text), strings.ToUpper(text)} {
				Expect(bare(s.Clean("X-"+changed))).To(MatchRegexp(`^X-.{0,4}\[secret\].{0,3}$`), changed)
			}
		}
	})

	It("takes the words of JSON for no secrets, as a header may well have one as its value", func() {
		for _, word := range []string{"true", "false", " null "} {
			Expect(redact.New(word).Clean(`{"a":true,"b":false,"c":null}`)).To(Equal(`{"a":true,"b":false,"c":null}`))
		}
	})

	It("turns to another placeholder where it has to", func() {
		Expect(redact.New("my-secret").Clean("a my-secret b")).To(Equal("a [***] b"))
		Expect(redact.New("my-secret", "[***").Clean("a my-secret b")).To(Equal("a [-] b"))
	})

	It("never finds its own placeholder where a secret is a single sign", func() {
		for _, sign := range []string{"[", "]", "-", "*", "[-]"} {
			s := redact.New(sign)
			got := s.Clean("a " + sign + " b")
			Expect(s.Found(got)).To(BeFalse())
			Expect(s.Clean(got)).To(Equal(got))
		}
	})

	It("ends where taking out brings together what stood apart", func() {
		s := redact.New("[***]", "secret", "]x[***", "ab[-]cd")
		for _, text := range []string{"]xsecretsecret[***", strings.Repeat("]x", 50) + strings.Repeat("[***", 50), "absecretcd", "ab[***]cd"} {
			got := s.Clean(text)
			Expect(s.Found(got)).To(BeFalse())
			Expect(s.Clean(got)).To(Equal(got))
		}
	})

	It("cuts no character in two", func() {
		s := redact.New("Grüße an Zoë, 17 Mal!", "\u00a9\u00aa\u00ab\u00ac\u00ad\u00ae")
		Expect(bare(s.Clean("Grüße an Zoé"))).To(BeElementOf("[secret]é", "[secret]"))
		// é ends in the byte that © ends in, so a run of the secret begins within it.
		Expect(s.Clean("€ é\u00aa\u00ab\u00ac\u00ad €")).To(Equal("€ [secret:10] €"))
	})

	It("reads large texts of every kind, and gives up whole on one that is made to be endless", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015")
		const size = 1 << 18
		for _, part := range []string{`\`, "%25", "%", "&", "&#0", "&amp;", "V", "0", "+", "\x80", `\u0025`} {
			text := strings.Repeat(part, size/len(part))
			Expect(s.Clean(text) == text).To(BeTrue(), part)
		}
		once := strings.Repeat("V", size) + " %2525252541"
		Expect(s.Clean(once) == once).To(BeTrue())
		// Each layer of escapes makes the run before them longer by one, and so another run.
		const nest = "%56%2556%252556%25252556%2525252556"
		inner := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("V", size/2) + nest))
		Expect(s.Found(inner + nest)).To(BeTrue())
		Expect(s.Clean(inner + nest)).To(Equal(redact.Placeholder))
		Expect(s.Clean(strings.Repeat("9f86d081 ", size/9))).To(Equal(strings.Repeat("[secret:8] ", size/9)))
	})

	It("shows nothing of the secrets when it is printed itself", func() {
		s := redact.New("9f86d081884c7d65", "a1B")
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			Expect(fmt.Sprintf(verb, s)).To(Equal(redact.Placeholder))
			Expect(fmt.Sprintf(verb, struct{ S any }{s})).NotTo(ContainSubstring("9f86"))
		}
		Expect(s.GomegaString()).To(Equal(redact.Placeholder))
	})
})
