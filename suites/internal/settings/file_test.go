package settings_test

import (
	"path/filepath"
	"time"

	"authenticator-conformance/schemas"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The configuration file", func() {
	It("gives every setting that has a key", func() {
		s, err := resolveFile(joinLines(
			"target:", "  url: https://auth.example/", "  v6: {url: 'https://six.example'}", "  accessTokenFile: token",
			"  applicationId: app", "  headers: {X-Tenant: one}",
			"users: users.yaml", "versions: [v5, v6]", "reportDir: out", "concurrency: 3", "rate: 2.5", "timeout: 1s",
			"deadline: 2m", "parity:", "  mode: shape", "  ignore:", "    - {pointer: /Comment, reason: changes}",
			"divergence: fail", "waivers:", "  - {requirement: 2.1/CreatedOn, reason: known, until: 2027-03-01}",
			"baseline: base.json"),
			"token", token, "users.yaml", "- {id: "+firstID+", userId: a}\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].String()).To(Equal("https://auth.example"))
		Expect(s.URLs[schemas.V6].String()).To(Equal("https://six.example"))
		Expect(s.AccessToken).To(Equal(token))
		Expect(s.ApplicationID).To(Equal("app"))
		Expect(s.Headers).To(HaveLen(1))
		Expect(s.Users).To(HaveLen(1))
		Expect(filepath.Base(s.ReportDir)).To(Equal("out"))
		Expect(s.Concurrency).To(Equal(3))
		Expect(s.Rate).To(Equal(2.5))
		Expect(s.Timeout).To(Equal(time.Second))
		Expect(s.Deadline).To(Equal(2 * time.Minute))
		Expect(s.ParityMode).To(Equal("shape"))
		Expect(s.Ignore).To(HaveLen(1))
		Expect(s.Divergence).To(Equal("fail"))
		Expect(s.Waivers).To(HaveLen(1))
		Expect(filepath.Base(s.Baseline)).To(Equal("base.json"))
		Expect(effectiveSetting(s, "headers").Value).To(Equal("X-Tenant (set)"))
		Expect(effectiveSetting(s, "waivers").Value).To(Equal("1"))
	})

	DescribeTable("is taken in every ordinary shape", func(content string) {
		s, err := resolveFileWithURL(content)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Concurrency).To(Equal(3))
		Expect(s.ApplicationID).To(Equal("app"))
	},
		Entry("CRLF", "concurrency: 3\r\ntarget:\r\n  applicationId: app\r\n"),
		Entry("byte order mark", "\ufeffconcurrency: 3\ntarget: {applicationId: app}\n"),
		Entry("JSON", `{"concurrency": 3, "target": {"applicationId": "app"}}`),
		Entry("an alias", "divergence: report\nconcurrency: 3\nparity: {ignore: [{pointer: /a, reason: &r app}]}\ntarget: {applicationId: *r}\n"),
		Entry("empty lists",
			"concurrency: 3\ntarget: {applicationId: app, headers: {}}\nwaivers: []\nparity: {ignore: []}\n"),
	)
})
