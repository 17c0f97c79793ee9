package settings_test

import (
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Resolve without any setting", func() {
	It("takes the embedded reference and the defaults of DESIGN section 4", func() {
		s, err := resolveRun(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeTrue())
		Expect(s.URLs).To(BeEmpty())
		Expect(s.AccessToken).To(Equal(referenceDefaults().AccessToken))
		Expect(s.ApplicationID).To(Equal(referenceDefaults().ApplicationID))
		Expect(s.Users).To(Equal(referenceDefaults().Users))
		Expect(s.Versions).To(Equal([]schemas.Version{schemas.V5, schemas.V6}))
		Expect(s.ReportDir).To(Equal("conformance-report"))
		Expect(s.Concurrency).To(Equal(8))
		Expect(s.Rate).To(BeZero())
		Expect(s.Timeout).To(Equal(10 * time.Second))
		Expect(s.Deadline).To(Equal(10 * time.Minute))
		Expect(s.ParityMode).To(Equal(settings.ParityValue))
		Expect(s.Divergence).To(Equal(settings.DivergenceReport))
		Expect(s.CA).To(BeNil())
		Expect(s.ClientCertificate).To(BeNil())
		Expect(s.Headers).To(BeEmpty())
		Expect(s.Ignore).To(BeEmpty())
		Expect(s.Waivers).To(BeEmpty())
		Expect(s.Baseline).To(BeEmpty())
		Expect(s.LabelFilter).To(BeEmpty())
		Expect(s.Focus).To(BeEmpty())
	})

	It("counts the reference's own token as a secret and shows it as set", func() {
		s, err := resolveRun(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Secrets).To(ConsistOf(referenceDefaults().AccessToken))
		Expect(effectiveSetting(s, "access token")).To(Equal(
			settings.Effective{Name: "access token", Value: "set", Source: "default"}))
		for _, e := range s.Effective {
			Expect(e.Value).NotTo(ContainSubstring(referenceDefaults().AccessToken))
		}
	})

	It("takes no flags at all for a caller that has none", func() {
		s, err := settings.Read(settings.Run, nil, nil, nil).Resolve(referenceDefaults(), testkit.Contract(),
			noonOf(today))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeTrue())
	})

	It("does not share the defaults' users with the caller", func() {
		d := referenceDefaults()
		s, err := settings.Read(settings.Run, nil, nil, nil).Resolve(d, testkit.Contract(), noonOf(today))
		Expect(err).NotTo(HaveOccurred())
		s.Users[0].UserID = "changed"
		Expect(d.Users[0].UserID).To(Equal("reference-user"))
	})
})
