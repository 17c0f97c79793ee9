package sanitize_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
)

var _ = Describe("An exchange on its way out", func() {
	const token = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	out := sanitize.Of(token, "12345678", "[[{{,,}}]]")

	DescribeTable("has no secret in its header", func(name, value, wantName, wantValue string) {
		ex := &exchange.Exchange{Header: http.Header{name: {"plain", value}, "Date": {"today"}}}
		stored := out.Exchange(ex, 1<<10)
		ex = &stored
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
			`Bearer \[hidden\]`),
		Entry("a number", "Retry-After", "12345678", "Retry-After", "[1-9][0-9]{7}"),
		Entry("what can't be taken out otherwise", "X-Echo", "a [[{{,,}}]]", "X-Echo", "redacted-[a-z]{16}"),
		Entry("a name", "X-"+token, "1", "Redacted-[a-zA-Z]{16}", "1"),
	)

	It("is the same where no secret is in it", func() {
		ex := &exchange.Exchange{Header: http.Header{"Date": {"today"}}, Body: []byte(`{"Id":"x"}`)}
		stored := out.Exchange(ex, 1<<10)
		Expect(stored.Size).To(Equal(len(ex.Body)))
		stored.Size = 0
		Expect(stored).To(Equal(*ex))
	})

	It("is left as it was, to be judged", func() {
		body := `{"Id":"` + token + `"}`
		ex := &exchange.Exchange{Header: http.Header{"X-Echo": {token}}, Body: []byte(body)}
		out.Exchange(ex, 1<<10)
		Expect(ex.Header.Get("X-Echo")).To(Equal(token))
		Expect(string(ex.Body)).To(Equal(body))
	})

	It("knows the size of the body as it came", func() {
		ex := &exchange.Exchange{Body: []byte(`{"Id":"` + token + `"}`)}
		size := len(ex.Body)
		stored := out.Exchange(ex, 1<<10)
		Expect(string(stored.Body)).To(MatchRegexp(`^{"Id":"redacted-[a-zA-Z]{16}"}$`))
		Expect(stored.Length()).To(Equal(size))
	})

	DescribeTable("has a body that is withheld, but for what can be read in it", func(body, rule, readable string) {
		ex := &exchange.Exchange{Body: []byte(body)}
		stored := out.Exchange(ex, 1<<10)
		ex = &stored
		Expect(ex.Withheld).NotTo(BeNil())
		Expect([]any{ex.Withheld.Size, ex.Withheld.Digest, ex.Withheld.Rule}).To(
			Equal([]any{len(body), exchange.DigestOf([]byte(body)), rule}))
		Expect(string(ex.Body)).To(MatchRegexp("^" + readable + "$"))
		Expect(sanitize.Of().Exchange(ex, 1<<10)).To(Equal(*ex), "evidence that is judged again")
	},
		Entry("bytes", "\x01\xff"+token, "syntax", ""),
		Entry("a value and bytes", `{"Id":"`+token+"\xff\"}\xff", "utf-8", `{"Id":"redacted-[a-zA-Z]{16}"}`),
		Entry("a secret made of punctuation", `{"Id":"x"} [[{{,,}}]]`, "secret", `{"Id":"x"}`),
	)
})
