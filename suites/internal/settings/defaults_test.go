package settings_test

import (
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Resolve without any setting", func() {
	It("takes the embedded reference and the defaults of DESIGN section 4", func() {
		s, err := resolve(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeTrue())
		Expect(s.URLs).To(BeEmpty())
		Expect(s.AccessToken).To(Equal(defaults().AccessToken))
		Expect(s.ApplicationID).To(Equal(defaults().ApplicationID))
		Expect(s.Users).To(Equal(defaults().Users))
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
		s, err := resolve(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Secrets).To(ConsistOf(defaults().AccessToken))
		Expect(effective(s, "access token")).To(Equal(
			settings.Effective{Name: "access token", Value: "set", Source: "default"}))
		for _, e := range s.Effective {
			Expect(e.Value).NotTo(ContainSubstring(defaults().AccessToken))
		}
	})

	It("takes no flags at all for a caller that has none", func() {
		s, err := settings.Read(settings.Run, nil, nil, nil).Resolve(defaults(), contract(), noon(today))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeTrue())
	})

	It("does not share the defaults' users with the caller", func() {
		d := defaults()
		s, err := settings.Read(settings.Run, nil, nil, nil).Resolve(d, contract(), noon(today))
		Expect(err).NotTo(HaveOccurred())
		s.Users[0].UserID = "changed"
		Expect(d.Users[0].UserID).To(Equal("reference-user"))
	})

	It("names a fault in a users file with its setting", func() {
		folder := write("users.csv", "id,userId\n"+firstID+",a\nwrong,b\n", "c.yaml", "\nusers: users.csv\n")
		_, err := resolve(nil, "--users", folder+"/users.csv")
		expectFault(err, "--users: "+folder+"/users.csv:3: member \"id\"")
		_, err = resolve(nil, "--config", folder+"/c.yaml")
		expectFault(err, folder+"/c.yaml:2: users: "+folder+"/users.csv:3: member \"id\"")
	})

	DescribeTable("refuses every setting of a deployed target whose URL is missing, so that the reference never passes in its place",
		func(c settings.Command, environ []string, args []string, config string, places ...string) {
			certificate, key := selfSigned()
			folder := write("users.csv", lines("id,userId", firstID+",mine"), "token", token+"\n", "cert.pem", certificate,
				"key.pem", key, "conformance.yaml", config)
			GinkgoT().Chdir(folder)
			if config != "" {
				args = append(args, "--config", "conformance.yaml")
			}
			_, err := resolveFor(c, environ, args...)
			expectFault(err, "the target has no URL, although settings of a deployed service are given ("+
				strings.Join(places, ", ")+"): give --target-url, AUTHN_TARGET_URL or target.url in the configuration "+
				"file, or leave them out")
		},
		Entry("a token", settings.Run, []string{"AUTHN_ACCESS_TOKEN=" + token}, nil, "", "AUTHN_ACCESS_TOKEN"),
		Entry("a token file", settings.Run, nil, []string{"--access-token-file", "token"}, "", "--access-token-file"),
		Entry("an application id", settings.Run, nil, []string{"--application-id", "a"}, "", "--application-id"),
		Entry("users", settings.Run, []string{"AUTHN_USERS=users.csv"}, nil, "", "AUTHN_USERS"),
		Entry("a CA", settings.Run, nil, []string{"--ca", "cert.pem"}, "", "--ca"),
		Entry("a client certificate and its key", settings.Run,
			[]string{"AUTHN_CLIENT_CERT=cert.pem", "AUTHN_CLIENT_KEY=key.pem"}, nil, "", "AUTHN_CLIENT_CERT", "AUTHN_CLIENT_KEY"),
		Entry("a header", settings.Run, nil, nil, "rate: 1\ntarget: {headers: {X-A: b1}}\n", "conformance.yaml:2: target.headers"),
		Entry("all at once, of a plan", settings.Plan, []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_USERS=users.csv"},
			[]string{"--application-id", "a"}, "target:\n  ca: cert.pem\n",
			"AUTHN_ACCESS_TOKEN", "--application-id", "AUTHN_USERS", "conformance.yaml:2: target.ca"),
		Entry("users of a sweep", settings.Sweep, nil, []string{"--users", "users.csv"}, "", "--users"),
	)
})
