package sanitize_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

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

var pseudonyms = regexp.MustCompile(`(?i)redacted-[a-z]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// maskPseudonyms is a text without what tells its pseudonyms apart.
func maskPseudonyms(text string) string {
	return pseudonyms.ReplaceAllLiteralString(text, "[redacted]")
}

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
			Expect(maskPseudonyms(s.Clean(text))).To(Equal(want))
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
		Entry("of the word that pseudonyms begin with", "redacted"), Entry("of more", "x-redacted-y"),
		Entry("of punctuation", "[[{{,,}}]]"), Entry("of a text with spaces", "a b c d e f g h"),
	)

	It("has no line of a private key, and keeps certificates", func() {
		key := "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n" +
			"q0fWm3XcPzR7bTn5\n-----END PRIVATE KEY-----\n"
		s := sanitize.NewSecrets(key)
		Expect(s.Clean("key: " + strings.ReplaceAll(key, "\n", `\r\n`) + "!")).NotTo(
			Or(ContainSubstring("MC4C"), ContainSubstring("cPzR7")))
		Expect(maskPseudonyms(s.Clean("<MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g>"))).To(
			Equal("[redacted]"))
		certificate := "-----BEGIN CERTIFICATE-----\n" +
			"MIIBtjCCAVugAwIBAgITBmyf1XSXNmY/Owua2eiedgPySjAKBggqhkjOPQQDAjA5\n-----END CERTIFICATE-----\n"
		Expect(s.Clean(certificate)).To(Equal(certificate))
	})

	It("has no secret under up to five layers of escapes", func() {
		const secret = "q7-kXw9!zB4e"
		escaped := eachRune(`\u%04x`)(secret)
		for layers := 1; layers <= 5; layers++ {
			Expect(sanitize.NewSecrets(secret).Found("x "+escaped+" y")).To(BeTrue(), "%d layers", layers)
			escaped = strings.ReplaceAll(escaped, `\`, `\\`)
		}
		Expect(sanitize.NewSecrets(secret).Found("x "+escaped+" y")).To(BeFalse(), "six layers")
	})

	It("has no base64, whatever became of the case of its letters", func() {
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("xyz"[:before] + token))
			for _, changed := range []string{strings.ToLower(text), strings.ToUpper(text)} {
				Expect(maskPseudonyms(sanitize.NewSecrets(token).Clean("X-"+changed))).To(Equal("[redacted]"), changed)
			}
		}
	})

	It("has no UTF-16, encoded before or not, and no secret that zero bytes are put into", func() {
		s := sanitize.NewSecrets(token, "Grüße an Zoë, 17 Mal!")
		Expect(maskPseudonyms(s.Clean("a " + string(utf16Text(token))))).To(Equal("a [redacted]"))
		wide := "a " + string(utf16Text("Grüße an Zoë, 17 Mal!")) + " b"
		Expect(s.Found(wide)).To(BeTrue())
		Expect(s.Found(s.Clean(wide))).To(BeFalse())
		Expect(maskPseudonyms(s.Clean("9\x00\x00\x00f86d081884c\x007d65"))).To(Equal("[redacted]"))
		Expect(s.Found(string(utf16Text(url.QueryEscape("Grüße an Zoë, 17 Mal!"))))).To(BeTrue())
	})

	It("is the text if nothing is secret", func() {
		text := "any text, \xff even this"
		for _, s := range []*sanitize.Secrets{nil, sanitize.NewSecrets(), sanitize.NewSecrets("", " ", "\n")} {
			Expect(s.Clean(text)).To(Equal(text))
			Expect(s.Found(text)).To(BeFalse())
			Expect(s.Show("a\nb", 0) + s.ShowJSON("a\nb", 0)).To(Equal(`a\nb"a\nb"`))
		}
	})

	It("is replaced whole if it is made to be endless, and if no secret in it can be taken out", func() {
		// Each layer of escapes makes the run before them longer by one, and so another run.
		const size, nest = 1 << 16, "%56%2556%252556%25252556%2525252556"
		s := sanitize.NewSecrets(token)
		endless := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("V", size)+nest)) + nest
		for range 2 {
			Expect(s.Found(endless)).To(BeTrue())
		}
		Expect(maskPseudonyms(s.Clean(endless))).To(Equal("[redacted]"))
		for _, harmless := range []string{strings.Repeat("V", size) + " %2525252541", "%" + strings.Repeat("25", size)} {
			Expect(s.Clean(harmless) == harmless).To(BeTrue())
		}

		got, ok := sanitize.NewSecrets("[[{{,,}}]]").Body(`x[[{{,,}}]]`)
		Expect(ok).To(BeFalse())
		Expect(got).To(BeEmpty())
		Expect(sanitize.NewSecrets("[[{{,,}}]]").Show(`x[[{{,,}}]]`, 0)).To(MatchRegexp("^redacted-[a-zA-Z]{16}$"))
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

var _ = Describe("A cleaned body", func() {
	s := sanitize.NewSecrets(manySecrets...)
	body := func(text string) string {
		GinkgoHelper()
		got, ok := s.Body(text)
		Expect(ok).To(BeTrue(), text)
		Expect(s.Found(got)).To(BeFalse(), got)
		again, ok := s.Body(got)
		Expect(ok).To(BeTrue())
		Expect(again).To(Equal(got))
		return got
	}

	DescribeTable("has a pseudonym for what has a trace, as a whole, and for nothing else", func(text, want string) {
		Expect(maskPseudonyms(body(text))).To(Equal(want))
	},
		testkit.Entries("bodies"),
		Entry("two members of one name", `{"`+token+`":1,"\u0039`+token[1:]+`":1}`, `{"[redacted]":1,"[redacted]":1}`),
	)

	DescribeTable("has a pseudonym that is judged like the value", func(text, want string) {
		got := body(text)
		Expect(got).To(MatchRegexp("^" + want + "$"))
		Expect(got).NotTo(Equal(text))
		Expect(json.Valid([]byte(got))).To(BeTrue())
	},
		testkit.Entries("forms"),
	)

	It("has other digits in a number, of which the first and the last are not 0", func() {
		var seen [10]map[byte]bool
		for i := range seen {
			seen[i] = map[byte]bool{}
		}
		for range 300 {
			text := sanitize.NewSecrets("4791081547").Clean("4791081547")
			Expect(text).To(MatchRegexp("^[1-9][0-9]{8}[1-9]$"))
			Expect(strings.Trim(text[1:9], text[1:2])).NotTo(BeEmpty(), "all digits are the same")
			for i := range seen {
				seen[i][text[i]] = true
			}
		}
		for i, digits := range seen {
			Expect(digits).To(HaveLen(map[bool]int{true: 9, false: 10}[i == 0 || i == 9]), "at %d", i)
		}
	})

	It("has a date-time for each date-time", func() {
		for milliseconds := range 200 {
			text := body(fmt.Sprintf(`"2024-01-01T10:11:12.%03dZ"`, milliseconds))
			testkit.Must(time.Parse(`"`+time.RFC3339+`"`, text))
		}
	})

	DescribeTable("has related pseudonyms for related values", func(one, other, relation string) {
		one, other = body(one), body(other)
		Expect(one == other).To(Equal(relation == "equal"))
		switch relation {
		case "of another case":
			Expect(strings.EqualFold(one, other)).To(BeTrue(), "%s and %s", one, other)
		case "of another form":
			Expect(other).To(Equal(one + ".0"))
		case "at one instant":
			Expect(testkit.Must(time.Parse(`"`+time.RFC3339+`"`, one))).To(
				BeTemporally("==", testkit.Must(time.Parse(`"`+time.RFC3339+`"`, other))))
		}
	},
		testkit.Entries("pairs"),
	)

	It("has for a string the pseudonym that the string has elsewhere, and another one in another run", func() {
		for _, value := range []string{token, "x " + token, guid, "4711081547", "2024-01-01T10:11:12Z"} {
			Expect(body(`"` + value + `"`)).To(Equal(`"` + s.String(value) + `"`))
			other := sanitize.NewSecrets(token, guid, "4711081547", "2024-01-01")
			Expect(other.String(value)).NotTo(Equal(s.String(value)))
			if strings.HasPrefix(s.String(value), "redacted-") {
				Expect(sanitize.Anonymous(other.String(value))).To(Equal("redacted"))
			}
		}
		Expect(s.String("plain")).To(Equal("plain"))
	})

	It("keeps words of the contract that a secret has in it, and hides its rest", func() {
		secrets := sanitize.NewSecrets("registrationDate-7Fq2")
		secrets.Ignore([]string{"RegistrationDate", "Id"})
		text, ok := secrets.Body(`{"RegistrationDate":"registrationDate-7Fq2","Id":"trationDate-7F"}`)
		Expect(ok).To(BeTrue())
		Expect(maskPseudonyms(text)).To(Equal(`{"RegistrationDate":"[redacted]","Id":"[redacted]"}`))
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
