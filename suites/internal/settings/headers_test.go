package settings_test

import (
	"encoding/base64"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Extra headers", func() {
	It("come sorted by name, each value a secret, and are shown without values", func() {
		basic := base64.StdEncoding.EncodeToString([]byte("admin:open-sesame"))
		s, err := resolveFile(lines("target:", "  headers:", "    X-Tenant: north wing", "    Authorization: Bearer "+token,
			"    Proxy-Authorization: Basic "+basic, "    X-Number: '42'", "    x-lower: Größe"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Headers).To(Equal([]settings.Header{
			{Name: "Authorization", Value: "Bearer " + token}, {Name: "Proxy-Authorization", Value: "Basic " + basic},
			{Name: "X-Number", Value: "42"}, {Name: "X-Tenant", Value: "north wing"}, {Name: "x-lower", Value: "Größe"},
		}))
		Expect(s.Secrets).To(ContainElements("Bearer "+token, token, "Basic "+basic, basic, "admin:open-sesame", "open-sesame",
			"42", "north wing", "Größe"))
		Expect(effective(s, "headers").Value).To(Equal(
			"Authorization (set), Proxy-Authorization (set), X-Number (set), X-Tenant (set), x-lower (set)"))
	})

	DescribeTable("that are refused", func(member string, part string) {
		_, err := resolveFile("target:\n  headers:\n    Good: value\n    " + member + "\n")
		expectFault(err, "conformance.yaml:4: ", part)
	},
		Entry(nil, "User-Agent: x", "header User-Agent is set by the suite itself"),
		Entry(nil, "content-type: x", "header content-type is set by the suite itself"),
		Entry(nil, "Content-Length: '1'", "set by the suite"), Entry(nil, "Accept-Encoding: x", "set by the suite"),
		Entry(nil, "HOST: x", "set by the suite"), Entry(nil, "Connection: x", "set by the suite"),
		Entry(nil, "Transfer-Encoding: x", "set by the suite"), Entry(nil, "TE: x", "set by the suite"),
		Entry(nil, "trailer: x", "set by the suite"), Entry(nil, "Upgrade: x", "set by the suite"),
		Entry("empty", "X-A: ''", "header X-A is empty"), Entry("null", "X-A:", "header X-A is empty"),
		Entry("white space alone", "X-A: ' '", "header X-A is empty"),
		Entry("a number", "X-A: 42", "header X-A: expected a text, got a number: put it in quotes"),
		Entry("a boolean", "X-A: true", "header X-A: expected a text, got a boolean: put it in quotes"),
		Entry("a list", "X-A: ["+token+"]", "header X-A: expected a text, got a list"),
		Entry("a line break inside", `X-A: "`+token+`\nX-B: y"`, "header X-A: its value holds a control character"),
		Entry("NUL inside", `X-A: "a\0b"`, "header X-A: its value holds a control character"),
		Entry("a space after", "X-A: '"+token+" '", "header X-A: its value begins or ends with white space"),
		Entry("a space in the name", "Authorization "+token+": x", `begins with "Authorization" is no token`),
		Entry("the value in the name", `"X-A: `+token+`": x`, `begins with "X-A" is no token`),
		Entry("no ASCII in the name", "X-Größe: x", `begins with "X-Gr" is no token`),
		Entry("an empty name", "'': x", `begins with "" is no token`),
		Entry("twice, in another case", "good: "+token, "header good stands twice (first on line 3)"),
	)
})
