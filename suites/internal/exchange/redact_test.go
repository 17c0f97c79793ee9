package exchange_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
)

var _ = Describe("An answer that is redacted", func() {
	const token = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	secrets := sanitize.NewSecrets(token, "12345678", "[[{{,,}}]]")

	DescribeTable("has no secret in its header", func(name, value, wantName, wantValue string) {
		ex := &exchange.Exchange{Header: http.Header{name: {"plain", value}, "Date": {"today"}}}
		ex.Redact(secrets)
		Expect(ex.Header).To(HaveLen(2))
		Expect(ex.Header.Get("Date")).To(Equal("today"))
		for name, values := range ex.Header {
			if name != "Date" {
				Expect(name).To(MatchRegexp("^" + wantName + "$"))
				Expect(values).To(HaveExactElements(Equal("plain"), MatchRegexp("^"+wantValue+"$")))
			}
		}
	},
		Entry("none", "X-Echo", "nothing", "X-Echo", "nothing"),
		Entry("a value", "X-Echo", token, "X-Echo", "redacted-[a-zA-Z]{16}"),
		Entry("a part of a value", "Content-Type", "application/json; t="+token, "Content-Type",
			"application/json; redacted-[a-zA-Z]{16}"),
		Entry("a place", "Location", "https://elsewhere.example/?t="+token, "Location",
			`https://elsewhere\.example/\?redacted-[a-zA-Z]{16}`),
		Entry("a challenge", "Www-Authenticate", `Bearer realm="`+token+`"`, "Www-Authenticate",
			"Bearer redacted-[a-zA-Z]{16}|Bearer realm=\"redacted-[a-zA-Z]{16}\""),
		Entry("a number", "Retry-After", "12345678", "Retry-After", "[1-9][0-9]{7}"),
		Entry("what can't be taken out otherwise", "X-Echo", "a [[{{,,}}]]", "X-Echo", "redacted-[a-z]{16}"),
		Entry("a name", "X-"+token, "1", "Redacted-[a-zA-Z]{16}", "1"),
	)

	It("is the same where no secret is in it", func() {
		ex := &exchange.Exchange{Header: http.Header{"Date": {"today"}}, Body: []byte(`{"Id":"x"}`)}
		answered := *ex
		ex.Redact(secrets)
		Expect(*ex).To(Equal(answered))
		Expect(&ex.Body[0]).To(BeIdenticalTo(&answered.Body[0]), "nothing is copied")
	})

	It("knows the size of the body as it came", func() {
		ex := &exchange.Exchange{Body: []byte(`{"Id":"` + token + `"}`)}
		size := len(ex.Body)
		ex.Redact(secrets)
		Expect(string(ex.Body)).To(MatchRegexp(`^{"Id":"redacted-[a-zA-Z]{16}"}$`))
		Expect(ex.Length()).To(Equal(size))
	})

	DescribeTable("has a body that is withheld, but for what can be read in it", func(body, rule, readable string) {
		ex := &exchange.Exchange{Body: []byte(body)}
		ex.Redact(secrets)
		Expect(ex.Withheld).NotTo(BeNil())
		Expect([]any{ex.Withheld.Size, ex.Withheld.Digest, ex.Withheld.Rule}).To(
			Equal([]any{len(body), exchange.DigestOf([]byte(body)), rule}))
		Expect(string(ex.Body)).To(MatchRegexp("^" + readable + "$"))
		again := *ex
		ex.Redact(secrets)
		Expect(*ex).To(Equal(again))
	},
		Entry("bytes", "\x01\xff"+token, "syntax", ""),
		Entry("a value and bytes", `{"Id":"`+token+"\xff\"}\xff", "utf-8", `{"Id":"redacted-[a-zA-Z]{16}"}`),
		Entry("a secret made of punctuation", `{"Id":"x"} [[{{,,}}]]`, "secret", `{"Id":"x"}`),
	)
})
