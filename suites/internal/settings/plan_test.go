package settings_test

import (
	"path/filepath"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The settings of a plan", func() {
	const url = "https://auth.example"
	users := func() string {
		return filepath.Join(writeFiles("users.csv", "id,userId\n"+firstID+",a\n"), "users.csv")
	}
	plan := func(environ []string, args ...string) (*settings.Settings, error) {
		return resolveFor(settings.Plan, environ, args...)
	}

	It("need neither token nor application id, for which others stand", func() {
		s, err := plan(nil, "--target-url", url, "--users", users())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).NotTo(BeEmpty())
		Expect(s.ApplicationID).To(Equal("$AUTHN_APPLICATION_ID"))
		Expect(s.Secrets).To(BeEmpty())
	})

	It("may name a token file that is not there yet", func() {
		s, err := plan(nil, "--target-url", url, "--users", users(), "--access-token-file",
			filepath.Join(GinkgoT().TempDir(), "none"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).NotTo(BeEmpty())
	})

	It("take both if they are given, and keep the token a secret", func() {
		s, err := plan([]string{"AUTHN_ACCESS_TOKEN=" + token}, "--target-url", url, "--users", users(),
			"--application-id", "own")
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{s.AccessToken, s.ApplicationID}).To(Equal([]string{token, "own"}))
		Expect(s.Secrets).To(ContainElement(token))
	})

	It("of the embedded reference are its own", func() {
		s, err := plan(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal(referenceDefaults().AccessToken))
	})
})
