package asker_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/settings"
)

var _ = It("A deadline that is too near is a matter of the rate only if one is set", func() {
	Expect(asker.Advice(&settings.Settings{})).To(Equal("raise it, or send fewer users"))
	Expect(asker.Advice(&settings.Settings{Rate: 2})).To(Equal("raise it, send fewer users, or raise --rate"))
})
