package settings_test

import (
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The access token", func() {
	tokenFile := func(content string) string { return filepath.Join(writeFiles("token", content), "token") }

	DescribeTable("read from a file", func(content, want string) {
		path := tokenFile(content)
		s, err := resolveWithURL(nil, "--access-token-file", path)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal(want))
		Expect(s.Secrets).To(ConsistOf(want))
		e := effectiveSetting(s, "access token file")
		Expect(e.Value).To(Equal(path))
		Expect(e.Source).To(Equal("flag --access-token-file"))
	},
		Entry("with LF", token+"\n", token), Entry("with CRLF", token+"\r\n", token),
		Entry("after a byte order mark", "\ufeff"+token+"\n", token),
		Entry("space inside and around", " a b ", " a b "),
		Entry("beyond ASCII", "ключ-1", "ключ-1"),
	)

	It("does not repeat a token that was given in place of its file", func() {
		_, err := resolveWithURL(nil, "--access-token-file", token)
		expectFault(err, "--access-token-file: the file that it names cannot be read: no such file or directory")
		_, err = resolveWithURL([]string{"AUTHN_ACCESS_TOKEN_FILE=" + token})
		expectFault(err, "AUTHN_ACCESS_TOKEN_FILE: the file that it names cannot be read")
		_, err = resolveFile("target: {accessTokenFile: " + token + "}\n")
		expectFault(err, "conformance.yaml:1: target.accessTokenFile: the file that it names cannot be read")
		_, err = resolveWithURL(nil, "--access-token-file", strings.Repeat(token, 1000))
		expectFault(err, "--access-token-file: the file that it names cannot be read: file name too long")
	})

	It("lets a flag beat the variables, and a variable the file", func() {
		flagged, varied, filed := tokenFile("from-flag"), tokenFile("from-variable"), "from-file"
		config := filepath.Join(writeFiles("c.yaml", "target: {accessTokenFile: t}\n", "t", filed), "c.yaml")

		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_ACCESS_TOKEN_FILE=" + varied,
			"AUTHN_CONFIG=" + config}, "--access-token-file", flagged)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal("from-flag"))

		s, err = resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_CONFIG=" + config})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal(token))
		Expect(effectiveSetting(s, "access token").Value).To(Equal("set"))
		Expect(effectiveSetting(s, "access token").Source).To(Equal("environment AUTHN_ACCESS_TOKEN"))

		s, err = resolveWithURL([]string{"AUTHN_ACCESS_TOKEN_FILE=" + varied, "AUTHN_CONFIG=" + config})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal("from-variable"))

		s, err = resolveWithURL([]string{"AUTHN_CONFIG=" + config})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal(filed))
		Expect(s.Secrets).To(ConsistOf(filed))
	})

	It("stands in no effective setting", func() {
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token})
		Expect(err).NotTo(HaveOccurred())
		for _, e := range s.Effective {
			Expect(e.Name + e.Value + e.Source).NotTo(ContainSubstring(token))
		}
	})
})
