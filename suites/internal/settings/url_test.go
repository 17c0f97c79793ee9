package settings_test

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// remote resolves with all that a remote target needs but its URL.
func remote(environ []string, args ...string) (*settings.Settings, error) {
	folder := write("users.csv", lines("id,userId", firstID+",u"))
	return resolve(append([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=app",
		"AUTHN_USERS=" + folder + "/users.csv"}, environ...), args...)
}

var _ = Describe("The target's URL", func() {
	DescribeTable("taken", func(text, want string) {
		s, err := remote(nil, "--target-url", text)
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

	DescribeTable("refused, naming the setting and nothing that may be a credential", func(text, part string) {
		_, err := remote(nil, "--target-url", text)
		expectFault(err, "--target-url: ", part)
		_, err = remote([]string{"AUTHN_TARGET_URL_V6=" + text})
		expectFault(err, "AUTHN_TARGET_URL_V6: ", part)
	},
		Entry("no scheme", "auth.example", "http:// or https://"),
		Entry("another scheme", "ftp://auth.example", "http:// or https://"),
		Entry("no host", "http://", "no valid host"),
		Entry("no host but a path", "http:///api", "no valid host"),
		Entry("query", "https://auth.example/?token="+token, "query or fragment"),
		Entry("empty query", "https://auth.example?", "query or fragment"),
		Entry("fragment", "https://auth.example/#"+token, "query or fragment"),
		Entry("user and password", "https://admin:"+token+"@auth.example", "put them into a header"),
		Entry("user", "https://"+token+"@auth.example", "put them into a header"),
		Entry("password in place of a port", "https://admin:"+token, "no valid host, port or path"),
		Entry("white space inside", "https://auth.example/a b", "white space"),
		Entry("white space around", " https://auth.example", "white space"),
		Entry("line break after", "https://auth.example\n", "white space"),
		Entry("zero-width space", "https://auth\u200b.example", "control character"),
		Entry("colon without port", "https://auth.example:", "no port"),
		Entry("port 0", "https://auth.example:0", `port "0": expected 1 to 65535`),
		Entry("port too high", "https://auth.example:65536", `port "65536": expected 1 to 65535`),
		Entry("port in words", "https://auth.example:https", "no valid host, port"),
		Entry("bad escape", "https://auth.example/%zz", "no valid host, port or path"),
		Entry("an escape in the host", "http://%41", "no valid host, port or path"),
		Entry("an open bracket", "http://[::1", "no valid host, port or path"),
	)

	It("lets the URL of one version win for that version, wherever it was given", func() {
		s, err := remote([]string{"AUTHN_TARGET_URL_V5=http://five.example"}, "--target-url", "http://both.example")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].Host).To(Equal("five.example"))
		Expect(s.URLs[schemas.V6].Host).To(Equal("both.example"))
	})

	It("takes the two from the file", func() {
		s, err := resolveFile(lines("target:", "  v5: {url: 'http://five.example'}",
			"  v6: {url: 'http://six.example'}", "  applicationId: app", "  accessTokenFile: token",
			"users: users.csv"),
			"token", token, "users.csv", lines("id,userId", firstID+",u"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].Host).To(Equal("five.example"))
		Expect(s.URLs[schemas.V6].Host).To(Equal("six.example"))
	})

	It("refuses to leave a version under test without URL, and names all ways out", func() {
		_, err := remote(nil, "--target-url-v5", "http://five.example")
		expectFault(err, "v6 is under test but has no URL", "--target-url-v6", "AUTHN_TARGET_URL_V6", "target.v6.url",
			"--target-url,", "AUTHN_TARGET_URL ", "target.url")
		_, err = remote(nil, "--target-url-v6", "http://six.example", "--versions", "v5")
		expectFault(err, "v5 is under test but has no URL")
	})

	It("needs no URL for a version that is not under test, and gives none", func() {
		s, err := remote(nil, "--target-url-v5", "http://five.example", "--versions", "v5")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs).To(HaveLen(1))
		Expect(s.URLs).To(HaveKey(schemas.V5))
		s, err = remote(nil, "--target-url", "http://both.example", "--versions", "v6")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs).To(HaveLen(1))
		Expect(s.URLs).To(HaveKey(schemas.V6))
	})

	It("tells at once all that a remote target lacks, and every way to give it", func() {
		_, err := resolve(nil, "--target-url", "https://auth.example")
		expectFault(err, "the access token is missing",
			"--access-token-file, AUTHN_ACCESS_TOKEN, AUTHN_ACCESS_TOKEN_FILE or target.accessTokenFile",
			"the application id is missing", "--application-id, AUTHN_APPLICATION_ID or target.applicationId",
			"the users file is missing", "--users, AUTHN_USERS or users in the configuration file")
		Expect(err.Error()).NotTo(ContainSubstring("default"))
	})

	It("does not call missing what is there but wrong", func() {
		_, err := resolve([]string{"AUTHN_ACCESS_TOKEN=", "AUTHN_APPLICATION_ID=app"},
			"--target-url", "https://auth.example", "--users", "no-such.csv")
		expectFault(err, "AUTHN_ACCESS_TOKEN: is empty", "--users: no-such.csv: cannot be read: no such file")
		Expect(err.Error()).NotTo(ContainSubstring("missing"))
	})
})
