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
		s, err := resolveFileWithURL(lines("target:", "  headers:", "    X-Tenant: north wing",
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
		Expect(effective(s, "headers").Value).To(Equal(
			"Authorization (set), Proxy-Authorization (set), X-Number (set), X-Tenant (set), x-lower (set)"))
	})

	It("may take their values from the environment and from files", func() {
		folder := write("conformance.yaml", lines("target:", "  headers:", "    X-Api-Key: {env: GATEWAY_KEY}",
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
		Expect(effective(s, "headers").Value).To(
			Equal("X-Api-Key (set), X-Plain (set), X-Relative (set), X-Windows (set)"))
	})

	DescribeTable("that are refused, of a value from elsewhere", func(value, part string) {
		folder := write("conformance.yaml", "target:\n  headers:\n    X-A: "+value+"\n",
			"two-lines", token+"\n"+token+"\n", "blank", "\n", "latin1", "caf\xe9 "+token)
		_, err := resolve([]string{"EMPTY=", "SPACE= " + token, "LINES=a\nb"}, "--config",
			filepath.Join(folder, "conformance.yaml"))
		expectFault(err, "conformance.yaml:3: header X-A", part)
	},
		Entry("a variable that is not set", "{env: GATEWAY_KEY}", "the variable GATEWAY_KEY is not set"),
		Entry("an empty variable", "{env: EMPTY}", "header X-A is empty"),
		Entry("a variable of two lines", "{env: LINES}", "control character or line break"),
		Entry("a variable with a space before", "{env: SPACE}", "begins or ends with white space"),
		Entry("a file that is not there", "{file: keys/none}", filepath.Join("keys", "none")+`" cannot be read`),
		Entry("a folder", "{file: .}", "cannot be read"),
		Entry("a file of two lines", "{file: two-lines}", "control character or line break"),
		Entry("a blank file", "{file: blank}", "header X-A is empty"),
		Entry("a file that is not UTF-8", "{file: latin1}", "not valid UTF-8"),
		Entry("another source", "{vault: a}", "expected a text, {env: NAME} or {file: PATH}"),
		Entry("two sources", "{env: EMPTY, file: blank}", "expected a text, {env: NAME} or {file: PATH}"),
		Entry("no source", "{}", "expected a text, {env: NAME} or {file: PATH}"),
		Entry("a source without a name", "{env: ''}", "expected a text, {env: NAME} or {file: PATH}"),
		Entry("a source that is a list", "{file: [a]}", "expected a text, {env: NAME} or {file: PATH}"),
		Entry("a list", "[a]", "expected a text, {env: NAME} or {file: PATH}, got a list"),
		Entry("a placeholder", "'${GATEWAY_KEY}'",
			"${…} is not replaced in this file: to take the value from a variable of the environment, write {env: GATEWAY_KEY}"),
		Entry("a placeholder inside", "Bearer ${TOKEN:-"+token+"}", "write {env: TOKEN}"),
	)

	DescribeTable("made of words are no secrets, as words stand anywhere", func(name, value string, secret bool) {
		s, err := resolveFileWithURL(lines("target:", "  headers:", "    "+name+": "+value))
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

	DescribeTable("that are refused", func(member string, part string) {
		_, err := resolveFile("target:\n  headers:\n    Good: value\n    " + member + "\n")
		expectFault(err, "conformance.yaml:4: ", part)
	},
		Entry(nil, "User-Agent: x", "header User-Agent is set by the suite itself"),
		Entry(nil, "content-type: x", "header content-type is set by the suite itself"),
		Entry(nil, "Transfer-Encoding: x", "set by the suite"),
		Entry("empty", "X-A: ''", "header X-A is empty"),
		Entry("a number", "X-A: 42",
			"header X-A: expected a text, {env: NAME} or {file: PATH}, got a number: put it in quotes"),
		Entry("a line break inside", `X-A: "`+token+`\nX-B: y"`, "header X-A: its value contains a control character"),
		Entry("a space after", "X-A: '"+token+" '", "header X-A: its value begins or ends with white space"),
		Entry("a space in the name", "Authorization "+token+": x", `begins with "Authorization" is no token`),
		Entry("an empty name", "'': x", `begins with "" is no token`),
		Entry("twice, in another case", "good: "+token, "header good is already on line 3"),
	)
})
