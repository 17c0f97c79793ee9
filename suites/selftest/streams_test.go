package selftest_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

var _ = Describe("The standard error", func() {
	It("does not contain what the HTTP client logs about a target, such as a second answer", func() {
		r := runHostile(hostileNamed("answers-twice"), fixtures.AccessToken)
		Expect(r.exitCode).To(BeElementOf(1, 2), "%s", r)
		Expect(r.stderr).To(BeEmpty())
	})
})
