package sanitize_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

func TestSanitize(t *testing.T) { testkit.Specs(t, "sanitize") }

// token and guid are secrets of most specs.
const token, guid = "9f86d081884c7d659a2feaa0c55ad015", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

var manySecrets = []string{token, "4711081547", `q"uo\te-key`, guid, "2024-01-01", `{"tenant":"acme-1","role":"x"}`}

// The kinds of secret that deployments have. None shares a run with the texts of the tests.
var tokensOfKinds = []string{token, "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "q+Z/7w==8sK/xY+3vB/1mN+9tR/5uP/0",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub25lIn0.Zm9vYmFyYmF6cXV4-_quuxcorge",
	`k%7&"<'>\/x9|{y}[z]#2~w^` + "`u`$v!m", "Zoë sagt 17 Mal, ja!", "Zq7-kX2p"}

// expectClean asserts that a text has no trace of a secret, and that cleaning it again changes nothing.
func expectClean(s *sanitize.Secrets, text, secret string) {
	GinkgoHelper()
	Expect(findTraces(text, secret)).To(BeEmpty())
	Expect(s.Found(text)).To(BeFalse(), text)
	Expect(s.Clean(text)).To(Equal(text))
}

var _ = Describe("A cleaned text", func() {
	for _, encode := range allEncodings() {
		It("has neither a secret nor one of its halves, written as "+encode.name, func() {
			for _, secret := range tokensOfKinds {
				s := sanitize.NewSecrets("another-1b2c3d4e5f", secret)
				text := "before " + encode.encode(secret) + " after"
				Expect(s.Found(text)).To(BeTrue())
				Expect(s.Clean(text)).To(And(HavePrefix("before "), HaveSuffix(" after")))
				expectClean(s, s.Clean(text), secret)
				if half := len(secret) / 2; half >= 12 {
					expectClean(s, s.Clean("X-First: "+encode.encode(secret[:half])+"\r\nX-Second: "+
						encode.encode(secret[half:])), secret)
				}
			}
		})
	}

	DescribeTable("is exact", func(secrets []string, text, want string) {
		s := sanitize.NewSecrets(secrets...)
		Expect(s.Found(text)).To(Equal(want != ""))
		if want == "" {
			Expect(s.Clean(text)).To(Equal(text))
		} else {
			Expect(s.Clean(text)).To(Equal(want))
		}
	},
		testkit.Entries("cleaned"),
	)

	DescribeTable("never gets a trace by cleaning", func(secret string) {
		s := sanitize.NewSecrets(secret)
		for _, text := range []string{secret, secret + " and " + secret, "x" + secret + secret[len(secret)/2:]} {
			expectClean(s, s.Clean(text), secret)
		}
		Expect(s.Clean("a ! b")).To(Equal("a ! b"))
	},
		Entry("of what takes its place", "redacted"), Entry("of all of that", "[redacted]"),
		Entry("of more", "x-[redacted]-y"), Entry("of it twice", "[redacted] [redacted]"),
		Entry("of it three times", "[redacted] [redacted] [redacted]"),
		Entry("of punctuation", "[[{{,,}}]]"), Entry("of a text with spaces", "a b c d e f g h"),
	)

	It("has no line of a private key, and keeps certificates", func() {
		key := "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n" +
			"q0fWm3XcPzR7bTn5\n-----END PRIVATE KEY-----\n"
		s := sanitize.NewSecrets(key)
		Expect(s.Clean("key: " + strings.ReplaceAll(key, "\n", `\r\n`) + "!")).NotTo(
			Or(ContainSubstring("MC4C"), ContainSubstring("cPzR7")))
		Expect(s.Clean("<MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g>")).To(
			Equal("[redacted]"))
		certificate := "-----BEGIN CERTIFICATE-----\n" +
			"MIIBtjCCAVugAwIBAgITBmyf1XSXNmY/Owua2eiedgPySjAKBggqhkjOPQQDAjA5\n-----END CERTIFICATE-----\n"
		Expect(s.Clean(certificate)).To(Equal(certificate))
	})

	It("has no base64, whatever became of the case of its letters", func() {
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("xyz"[:before] + token))
			for _, changed := range []string{strings.ToLower(text), strings.ToUpper(text)} {
				Expect(sanitize.NewSecrets(token).Clean("X-"+changed)).To(Equal("[redacted]"), changed)
			}
		}
	})

	It("is the text if nothing is secret", func() {
		text := "any text, \xff even this"
		for _, s := range []*sanitize.Secrets{nil, sanitize.NewSecrets(), sanitize.NewSecrets("", " ", "\n")} {
			Expect(s.Clean(text)).To(Equal(text))
			Expect(s.Found(text)).To(BeFalse())
			Expect(s.ShowJSON("a\nb", 0)).To(Equal(`"a\nb"`))
		}
	})

	It("is replaced whole if it is large", func() {
		s := sanitize.NewSecrets(token)
		Expect(s.Clean(strings.Repeat("a ", 1<<16) + token)).To(Equal("[redacted]"))
		Expect(s.Clean(strings.Repeat("a ", 1<<15) + token)).To(HaveLen(1<<16 + len("[redacted]")))
	})

	It("has no trace, however large it is and whatever it has plenty of", func() {
		s := sanitize.NewSecrets(manySecrets...)
		for _, part := range []string{`\`, `\"`, `"`, "%25", "%", "\x00", "\x00a", "00-", "5A ", "5A 71 37 2D ", "&",
			"&#0", "&amp;", "V", "VGhl", "0", "1,", "+", "\x80", `\u0025`, `"` + token + `",`, token + " ",
			"4711081547,"} {
			text := strings.Repeat(part, 1<<12/len(part))
			for _, text := range []string{text, text + " " + token, text + " q \" uo", text + "q\"uo\\te-key"} {
				Expect(s.Found(s.Clean(text))).To(BeFalse())
			}
		}
	})
})

var _ = Describe("A cleaned text of JSON", func() {
	DescribeTable("has [redacted] in the place of each string or word with a trace, and of nothing else",
		func(text, want string) {
			s := sanitize.NewSecrets(manySecrets...)
			Expect(s.Clean(text)).To(Equal(want))
			Expect(s.Found(want)).To(BeFalse())
			Expect(s.Clean(want)).To(Equal(want))
		},
		testkit.Entries("bodies"),
		Entry("two members of one name", `{"`+token+`":1,"\u0039`+token[1:]+`":1}`, `{"[redacted]":1,"[redacted]":1}`),
	)

	It("has no form of what was there", func() {
		s := sanitize.NewSecrets(manySecrets...)
		for _, value := range []string{token, "x " + token, guid, strings.ToUpper(guid), "4711081547", "-4711081547.50",
			"2024-01-01T10:11:12Z"} {
			Expect(s.String(value)).To(Equal("[redacted]"))
			Expect(s.Clean(`"` + value + `"`)).To(Equal(`"[redacted]"`))
		}
		Expect(s.String("plain")).To(Equal("plain"))
	})

	It("keeps words of the contract that a secret has in it, and hides its rest", func() {
		secrets := sanitize.NewSecrets("registrationDate-7Fq2")
		secrets.Ignore([]string{"RegistrationDate", "Id"})
		text := secrets.Clean(`{"RegistrationDate":"registrationDate-7Fq2","Id":"trationDate-7F"}`)
		Expect(text).To(Equal(`{"RegistrationDate":"[redacted]","Id":"[redacted]"}`))
	})
})

var _ = It("Secrets show nothing of themselves when they are printed", func() {
	s := sanitize.NewSecrets("9f86d081884c7d65", "a1B")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		Expect(fmt.Sprintf(verb, s)).To(Equal(sanitize.Placeholder))
		Expect(fmt.Sprintf(verb, struct{ S any }{s})).NotTo(ContainSubstring("9f86"))
	}
	Expect(s.GomegaString()).To(Equal(sanitize.Placeholder))
})
