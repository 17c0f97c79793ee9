package settings_test

import (
	"encoding/base64"
	"path/filepath"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Extra headers", func() {
	It("come sorted by name, each value a secret, and are shown without values", func() {
		basic := base64.StdEncoding.EncodeToString([]byte("admin:open-sesame"))
		s, err := resolveFileWithURL(joinLines("target:", "  headers:", "    X-Tenant: north wing",
			"    Authorization: Bearer "+token, "    Proxy-Authorization: Basic "+basic, "    X-Number: '42'",
			"    x-lower: Größe 7"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Headers).To(Equal([]settings.Header{
			{Name: "Authorization", Value: "Bearer " + token}, {Name: "Proxy-Authorization", Value: "Basic " + basic},
			{Name: "X-Number", Value: "42"}, {Name: "X-Tenant", Value: "north wing"},
			{Name: "x-lower", Value: "Größe 7"},
		}))
		Expect(s.Secrets).To(ContainElements("Bearer "+token, token, "Basic "+basic, basic, "admin:open-sesame",
			"open-sesame", "42", "Größe 7"))
		Expect(s.Secrets).NotTo(ContainElement("north wing"))
		Expect(effectiveSetting(s, "headers").Value).To(Equal(
			"Authorization (set), Proxy-Authorization (set), X-Number (set), X-Tenant (set), x-lower (set)"))
	})

	It("may take their values from the environment and from files", func() {
		folder := writeFiles("conformance.yaml", joinLines("target:", "  headers:", "    X-Api-Key: {env: GATEWAY_KEY}",
			"    X-Relative: {file: keys/relative}", "    X-Windows: {file: windows}", "    X-Plain: a $price of {5}"),
			"keys/relative", token+"\n", "windows", "carriage-return-42\r\n")
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "GATEWAY_KEY=first",
			"GATEWAY_KEY=gateway-key=1", "OTHER=x"}, "--config",
			filepath.Join(folder, "conformance.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Headers).To(Equal([]settings.Header{
			{Name: "X-Api-Key", Value: "gateway-key=1"}, {Name: "X-Plain", Value: "a $price of {5}"},
			{Name: "X-Relative", Value: token}, {Name: "X-Windows", Value: "carriage-return-42"},
		}))
		Expect(s.Secrets).To(ContainElements("gateway-key=1", token, "carriage-return-42"))
		Expect(effectiveSetting(s, "headers").Value).To(
			Equal("X-Api-Key (set), X-Plain (set), X-Relative (set), X-Windows (set)"))
	})

	DescribeTable("made of words are no secrets, as words stand anywhere", func(name, value string, secret bool) {
		s, err := resolveFileWithURL(joinLines("target:", "  headers:", "    "+name+": "+value))
		Expect(err).NotTo(HaveOccurred())
		if secret {
			Expect(s.Secrets).To(ContainElement(value))
		} else {
			Expect(s.Secrets).NotTo(ContainElement(value))
		}
	},
		Entry(nil, "X-Media", "application/json; charset=utf", false),
		Entry(nil, "X-Tenant", "North-Wing", false),
		Entry(nil, "X-Key", "hunter2hunter2", true),
		Entry("letters at random", "X-Key", "qHxZrTbLmNpWvKd", true),
		Entry("more letters than a word has", "X-Key", "qhxzrtblmnpwvkdqhxzrtbl", true),
		Entry("of authorization", "Authorization", "Bearer swordfish", true),
	)
})
