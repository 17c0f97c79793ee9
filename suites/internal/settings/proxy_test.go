package settings_test

import (
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// resolveURLs resolves the settings of a target by its URLs, with variables of the environment.
func resolveURLs(v5, v6 string, environ ...string) (*settings.Settings, error) {
	folder := writeFiles("users.csv", "id,userId\n"+firstID+",u\n")
	environ = append(environ, "AUTHN_ACCESS_TOKEN="+token, "AUTHN_APPLICATION_ID=a", "AUTHN_USERS="+folder+"/users.csv",
		"AUTHN_TARGET_URL_V5="+v5, "AUTHN_TARGET_URL_V6="+v6)
	return settings.Read(settings.Run, nil, nil, environ).Resolve(referenceDefaults(), testkit.Contract(), time.Now())
}

var _ = Describe("A proxy", func() {
	const password = "open%2Dsesame"
	const plain, secured = "http://access.example", "https://access.example"

	DescribeTable("is taken from the environment", func(target, environ, shown, variable string) {
		s, err := resolveURLs(target, target, strings.Fields(environ)...)
		Expect(err).NotTo(HaveOccurred())
		if shown == "" {
			Expect(s.Proxies).To(BeEmpty())
			return
		}
		Expect(s.Proxies).To(HaveLen(2))
		p := s.ProxyFor(s.URLs[schemas.V6])
		Expect([]string{p.Shown, p.Variable}).To(Equal([]string{shown, variable}))
		Expect(effectiveSetting(s, "proxy of v5")).To(Equal(
			settings.Effective{Name: "proxy of v5", Value: shown, Source: "environment " + variable}))
	},
		Entry(nil, plain, "HTTP_PROXY=http://proxy.example:3128", "http://proxy.example:3128", "HTTP_PROXY"),
		Entry(nil, secured, "HTTPS_PROXY=https://proxy.example:3128", "https://proxy.example:3128", "HTTPS_PROXY"),
		Entry("in small letters, which is stronger", secured, "HTTPS_PROXY=http://a:1 https_proxy=http://b:2",
			"http://b:2", "https_proxy"),
		Entry("without a scheme", plain, "http_proxy=proxy.example:3128", "http://proxy.example:3128", "http_proxy"),
		Entry("SOCKS", secured, "HTTPS_PROXY=socks5://proxy.example", "socks5://proxy.example", "HTTPS_PROXY"),
		Entry("given twice: the later one", plain, "HTTP_PROXY=http://a:1 HTTP_PROXY=http://b:2", "http://b:2",
			"HTTP_PROXY"),
		Entry("with credentials, which are not shown", plain, "HTTP_PROXY=http://user:"+password+"@proxy.example",
			"http://proxy.example", "HTTP_PROXY"),
		Entry("not of the other scheme", plain, "HTTPS_PROXY=http://proxy.example:3128", "", ""),
		Entry("not for an exception", plain, "HTTP_PROXY=http://proxy.example:3128 NO_PROXY=other,.example", "", ""),
		Entry("not for an exception in small letters", plain,
			"HTTP_PROXY=http://proxy.example:3128 no_proxy=access.example", "", ""),
		Entry("not for this machine", "http://127.0.0.1:8080", "HTTP_PROXY=http://proxy.example:3128", "", ""),
		Entry("not where it is empty", plain, "HTTP_PROXY=", "", ""),
		Entry("not a wrong one that is not used", "http://localhost", "HTTP_PROXY=ftp://proxy", "", ""),
	)

	It("keeps its credentials secret, and is that of its own version", func() {
		s, err := resolveURLs(plain, secured, "HTTPS_PROXY=http://user:"+password+"@proxy.example")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Proxies).To(And(HaveLen(1), HaveKey(schemas.V6)))
		Expect(s.Secrets).To(ContainElements("open-sesame", "user:open-sesame", "dXNlcjpvcGVuLXNlc2FtZQ=="))
		Expect(s.ProxyFor(s.URLs[schemas.V5])).To(BeNil())
		Expect(s.Proxies[schemas.V6].String()).To(Equal("http://proxy.example (HTTPS_PROXY)"))
	})

	DescribeTable("that is wrong is an error that names the variable, and nothing of its value", func(value string) {
		_, err := resolveURLs(plain, plain, "http_proxy="+value)
		Expect(err).To(MatchError(HavePrefix("http_proxy: is no URL of a proxy")))
		Expect(err.Error()).NotTo(ContainSubstring("sesame"))
	},
		Entry(nil, "ftp://user:sesame@proxy"), Entry(nil, "http://user:sesame@"),
		Entry(nil, "http://user:sesame@proxy:port"),
		Entry(nil, "://sesame"),
	)
})

var _ = DescribeTable("A token in clear text is noticed", func(v5, v6 string, want ...schemas.Version) {
	s, err := resolveURLs(v5, v6)
	Expect(err).NotTo(HaveOccurred())
	Expect(append([]schemas.Version{}, s.InClear...)).To(Equal(append([]schemas.Version{}, want...)))
},
	Entry(nil, "http://access.example", "http://10.0.0.1:8080", schemas.V5, schemas.V6),
	Entry(nil, "https://access.example", "http://localhost.example", schemas.V6),
	Entry("not where TLS hides it, nor on this machine", "https://access.example", "http://localhost"),
	Entry("nor by its addresses", "http://[::1]:80", "http://127.8.8.8"),
	Entry("nor by its names", "http://LOCALHOST:80", "http://v6.localhost"),
)
