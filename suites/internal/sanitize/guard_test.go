package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
)

var _ = Describe("Guard", func() {
	const secret = `k/7"<'>q&Zw9+=x~8`
	seen := func(g *sanitize.Guard, parts ...string) string {
		w := g.Watch("a.file")
		for _, piece := range parts {
			n, err := w.Write([]byte(piece))
			Expect(n).To(Equal(len(piece)))
			Expect(err).NotTo(HaveOccurred())
		}
		leak := (*sanitize.Leak)(nil)
		if errors.As(w.Err(), &leak) {
			return leak.Encoding
		}
		Expect(w.Err()).NotTo(HaveOccurred())
		return ""
	}
	inJSON := func(text string) string {
		out, err := json.Marshal(text)
		Expect(err).NotTo(HaveOccurred())
		return string(out)
	}

	DescribeTable("sees a secret", func(text, name string) {
		g := sanitize.NewGuard("", "another-9f86d081884c", secret)
		Expect(seen(g, "before "+text+" after")).To(Equal(name))
		Expect(seen(g, strings.Split("before "+text+" after", "")...)).To(Equal(name), "written byte by byte")
	},
		Entry("raw", secret, "raw"),
		Entry("in the other case", strings.ToUpper(secret), "raw"),
		Entry("in JSON", inJSON(secret), "escaped for JSON"),
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

	It("sees nothing in what has only parts of it, and nothing without secrets", func() {
		g := sanitize.NewGuard("", secret)
		Expect(seen(g, secret[:len(secret)-1], " ", secret[1:])).To(BeEmpty())
		Expect(seen(sanitize.NewGuard(""), secret)).To(BeEmpty())
	})

	It("looks for a secret of eight bytes", func() {
		Expect(seen(sanitize.NewGuard("", "k9/Zq&7x"), "before k9/Zq&7x after")).To(Equal("raw"))
	})

	It("looks for no value that the suite says by itself, and for none so short that it may stand anywhere by chance",
		func() {
			g := sanitize.NewGuard(`{"Content-Type":"Application/JSON"}`, "application/json", "1234567", secret)
			Expect(seen(g, "application/json 1234567")).To(BeEmpty())
			Expect(seen(g, secret)).To(Equal("raw"))
		})

	It("knows the credentials of a header", func() {
		Expect(seen(sanitize.NewGuard("", "Bearer 9f86d081884c7d65"), "token 9f86d081884c7d65")).To(Equal("raw"))
	})
})
