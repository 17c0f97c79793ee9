package settings_test

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// resolveRemote resolves with all that a remote target needs but its URL.
func resolveRemote(environ []string, args ...string) (*settings.Settings, error) {
	folder := writeFiles("users.csv", joinLines("id,userId", firstID+",u"))
	return resolveRun(append([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=app",
		"AUTHN_USERS=" + folder + "/users.csv"}, environ...), args...)
}

var _ = Describe("The target's URL", func() {
	DescribeTable("taken", func(text, want string) {
		s, err := resolveRemote(nil, "--target-url", text)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeFalse())
		Expect(s.URLs[schemas.V5].String()).To(Equal(want))
		Expect(s.URLs[schemas.V6].String()).To(Equal(want))
	},
		Entry(nil, "https://auth.example", "https://auth.example"),
		Entry("trailing slash", "https://auth.example/", "https://auth.example"),
		Entry("path prefix", "http://auth.example:8080/gate/auth/", "http://auth.example:8080/gate/auth"),
		Entry("several trailing slashes", "http://auth.example/gate//", "http://auth.example/gate"),
		Entry("escaped path", "http://auth.example/a%2Fb/%20/", "http://auth.example/a%2Fb/%20"),
		Entry("upper-case scheme", "HTTPS://auth.example", "https://auth.example"),
		Entry("non-Latin host", "https://портал.example", "https://%D0%BF%D0%BE%D1%80%D1%82%D0%B0%D0%BB.example"),
		Entry("at sign in the path", "https://auth.example/@tenant", "https://auth.example/@tenant"),
	)

	It("lets the URL of one version win for that version, wherever it was given", func() {
		s, err := resolveRemote([]string{"AUTHN_TARGET_URL_V5=http://five.example"}, "--target-url",
			"http://both.example")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].Host).To(Equal("five.example"))
		Expect(s.URLs[schemas.V6].Host).To(Equal("both.example"))
	})

	It("takes the two from the file", func() {
		s, err := resolveFile(joinLines("target:", "  v5: {url: 'http://five.example'}",
			"  v6: {url: 'http://six.example'}", "  applicationId: app", "  accessTokenFile: token",
			"users: users.csv"),
			"token", token, "users.csv", joinLines("id,userId", firstID+",u"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].Host).To(Equal("five.example"))
		Expect(s.URLs[schemas.V6].Host).To(Equal("six.example"))
	})

	It("needs no URL for a version that is not under test, and gives none", func() {
		s, err := resolveRemote(nil, "--target-url-v5", "http://five.example", "--versions", "v5")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs).To(HaveLen(1))
		Expect(s.URLs).To(HaveKey(schemas.V5))
		s, err = resolveRemote(nil, "--target-url", "http://both.example", "--versions", "v6")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs).To(HaveLen(1))
		Expect(s.URLs).To(HaveKey(schemas.V6))
	})
})
