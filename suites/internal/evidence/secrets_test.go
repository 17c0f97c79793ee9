package evidence_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// encoding is a way to write a secret.
type encoding struct {
	name  string
	write func(string) string
}

// someEncodings are a few of those that package redact knows, whose tests have all.
func someEncodings() []encoding {
	return []encoding{
		{"raw", func(s string) string { return s }},
		{"in JSON escapes", func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, `\u%04x`, c)
			}
			return b.String()
		}},
		{"in base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("?" + s + ">")) }},
	}
}

// secretNames are headers with secret values, as the settings give them.
const (
	tenant = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
)

var _ = Describe("A secret", func() {
	secrets := []string{token, tenant, bearer}
	withHeaders := withHeaders(settings.Header{Name: "Authorization", Value: "Bearer " + bearer},
		settings.Header{Name: "X-Tenant", Value: tenant})

	for _, f := range someEncodings() {
		It("that comes back "+f.name+" stands nowhere, and JSON stays JSON", func() {
			for i, secret := range secrets {
				written := f.write(secret)
				d := newFixture(withHeaders, func(s *settings.Settings) {
					s.Users[0].Name = "known by " + written
					s.ApplicationID = "app " + written
				})
				quoted, err := json.Marshal(written)
				Expect(err).NotTo(HaveOccurred())
				inText := string(quoted[1 : len(quoted)-1])
				if f.name == "in JSON escapes" {
					inText = written
				}
				ex := answeredExchange("e1", fmt.Sprintf(`{"Description":"it is %s","%[1]s":[1,"%[1]s"]}`, inText))
				ex.Probe.User = settings.User{ID: alice.ID, UserID: "u " + written, Enrolled: true, Name: written}
				ex.Header = http.Header{
					"X-" + written: {"1"}, "X-Echo": {"a", written},
					"Location":         {"http://elsewhere.example/?t=" + written},
					"Content-Type":     {"application/json; t=" + written},
					"Www-Authenticate": {"Bearer realm=\"" + written + "\"", written},
				}
				refused := answeredExchange("e2", "refused: "+written)
				broken := answeredExchange("e3", "\xff"+written)
				size := len(ex.Body)
				d.keep(ex, refused, broken)
				archive := d.archive()
				Expect(sanitize.NewSecrets(secret).Found(string(archive))).To(BeFalse(), "%d", i)

				entries := entriesOf(archive)
				Expect(json.Valid([]byte(entries[0].Response.Content.Text))).To(BeTrue(),
					entries[0].Response.Content.Text)
				Expect(entries[0].Response.Content.Text).To(
					MatchRegexp(`(?i)^{"Description":"redacted-[a-zA-Z]{16}","(redacted-[a-zA-Z]{16})":\[1,"redacted-[a-zA-Z]{16}"\]}$`))
				Expect(entries[0].Response.Content.Size).To(Equal(size), "its length is noted")
				Expect(entries[2].Response.Content.Text).To(BeEmpty())
			}
		})
	}

	It("is in no request, neither in its header nor in its body", func() {
		d := newFixture(withHeaders)
		var list []*exchange.Exchange
		base := exchange.Probe{Operation: schemas.GetUserAuth, Version: schemas.V6, User: alice}
		probes := mutatedProbes(d, base)
		for i, p := range append(probes, readProbe("")) {
			ex := answeredExchange("", "{}")
			ex.Probe = p
			ex.Probe.ID = fmt.Sprintf("e%d", i+1)
			list = append(list, ex)
		}
		d.keep(list...)
		archive := d.archive()
		for _, secret := range secrets {
			Expect(sanitize.NewSecrets(secret).Found(string(archive))).To(BeFalse())
		}
		for _, e := range entriesOf(archive) {
			Expect(headerValue(e.Request.Headers, "Authorization")).To(Equal("[hidden]"))
			Expect(headerValue(e.Request.Headers, "X-Tenant")).To(Equal("[hidden]"))
			Expect(headerValue(e.Request.Headers, "User-Agent")).To(Equal(agent))
			if e.Request.Method == http.MethodGet {
				Expect(e.Request.PostData).To(BeNil())
			}
		}
		last := entriesOf(archive)[len(list)-1].Request
		Expect(last.PostData.Text).To(Equal(`{"Id":"` + alice.ID +
			`","UserId":"alice","AccessToken":"$AUTHN_ACCESS_TOKEN","ApplicationId":"an-application"}`))
		Expect(last.PostData.MimeType).To(Equal("application/json"))
		Expect(last.URL).To(Equal("http://127.0.0.1:1/base/api/v5/authenticator/getUserAuth"))
	})

	DescribeTable("headers of authentication and cookies are replaced whatever they hold",
		func(name, given, want string) {
			d := newFixture()
			ex := answeredExchange("e1", "{}")
			ex.Header = http.Header{http.CanonicalHeaderKey(name): {given}, "X-Other": {given}}
			d.keep(ex)
			list := onlyEntry(d.archive()).Response.Headers
			Expect(headerValue(list, http.CanonicalHeaderKey(name))).To(Equal(want))
			Expect(headerValue(list, "X-Other")).To(Equal(given), "any other header stays")
		},
		Entry(nil, "Set-Cookie", "session=abc; Path=/", "[hidden]"),
		Entry(nil, "Set-Cookie2", "session=abc", "[hidden]"),
		Entry(nil, "Cookie", "session=abc", "[hidden]"),
		Entry(nil, "Authorization", "Basic YWxpY2U6c2VjcmV0", "[hidden]"),
		Entry(nil, "Proxy-Authorization", "Basic YWxpY2U6c2VjcmV0", "[hidden]"),
		Entry(nil, "Authentication-Info", `nextnonce="abc"`, "[hidden]"),
		Entry(nil, "Proxy-Authentication-Info", `nextnonce="abc"`, "[hidden]"),
		Entry("the scheme of a challenge stays, its nonce does not", "WWW-Authenticate",
			`Digest realm="x", nonce="abc"`, "Digest [hidden]"),
		Entry("the scheme of a challenge by itself stays", "WWW-Authenticate", "Negotiate", "Negotiate"),
		Entry("the scheme of a proxy's challenge stays", "Proxy-Authenticate", "Basic realm=x", "Basic [hidden]"),
	)

	It("of digits stays a number where it was one, whatever came before in a header", func() {
		const number = "4815162342108"
		d := newFixture(func(s *settings.Settings) { s.AccessToken, s.Secrets = number, []string{number} })
		for i, body := range []string{number, "[" + number + "]",
			`{"Flags":-` + number + `,"Description":"` + number + `"}`} {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), body)
			ex.Header.Set("X-Echo", body)
			d.keep(ex)
		}
		archive := d.archive()
		Expect(sanitize.NewSecrets(number).Found(string(archive))).To(BeFalse())
		for _, e := range entriesOf(archive) {
			Expect(json.Valid([]byte(e.Response.Content.Text))).To(BeTrue(), e.Response.Content.Text)
		}
	})
})
