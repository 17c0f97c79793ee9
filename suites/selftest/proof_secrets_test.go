package selftest_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A secret", Label(proofLabel), func() {
	It("leaves no trace as a client key", func() {
		service := conformingService(conformingNamed("host-client-certificate"))
		r, _ := service.judge(command{args: []string{"run"}})
		checkRun(r)
		expectNoTraces(r, keyLines(filepath.Join(r.folder, "client.key"))...)
	})

	for _, m := range misplacedSecrets(plainToken) {
		It("leaves no trace as "+m.name, func() {
			c := certifyTarget("http://127.0.0.1:1", m.args...)
			c.env, c.folder = m.env, newFolder()
			writeFile(c.folder, "file", m.file)
			r := c.run()
			Expect(r.exitCode).To(Equal(2), "%s", r)
			expectNoTraces(r, plainToken)
		})
	}
})

// misplacedSecret is a call with a secret in a wrong place.
type misplacedSecret struct {
	name      string
	args, env []string
	file      string // the content of a file of this name
}

// misplacedSecrets are calls for a port where nothing listens.
func misplacedSecrets(secret string) []misplacedSecret {
	right := credentialsOfReference()
	app, token := []string{"AUTHN_APPLICATION_ID=a"}, "AUTHN_ACCESS_TOKEN="+secret
	url := func(text string) []string { return []string{"--target-url", text} }
	config := []string{"--config", "file"}
	return []misplacedSecret{
		{name: "a token with a control character", env: append(app, token+"\x01")},
		{name: "a token of two lines", args: []string{"--access-token-file", "file"}, env: app,
			file: secret + "\n" + secret},
		{name: "the name of the token's file", args: []string{"--access-token-file", secret}, env: app},
		{name: "a flag", args: []string{"--access-token=" + secret}, env: right},
		{name: "an unknown variable", env: append(right, "AUTHN_TOKEN="+secret)},
		{name: "a member of the configuration file", args: config, env: right,
			file: "target:\n  accessToken: " + secret + "\n"},
		{name: "an alias in a file that is no YAML", args: config, env: right,
			file: "target: {accessToken: *" + secret + "\n"},
		{name: "a password in a URL", args: url("http://user:" + secret + "@127.0.0.1/"), env: right},
		{name: "a password in a wrong URL", args: url("user:" + secret + "@127.0.0.1"), env: right},
		{name: "a password in a query", args: url("http://127.0.0.1:1/?key=" + secret), env: right},
		{name: "the name of a header", args: config, env: right,
			file: "target:\n  headers:\n    'Authorization: Bearer " + secret + "': x\n"},
		{name: "a header of two lines", args: config, env: right,
			file: "target:\n  headers:\n    Authorization: \"Bearer " + secret + "\\n\"\n"},
		{name: "a token beside a wrong rate", args: []string{"--rate", "-1"}, env: append(app, token)},
		{name: "a token for a port where nothing listens", env: append(app, token)},
	}
}

// keyLines returns the lines of a PEM file with its content.
func keyLines(path string) []string {
	GinkgoHelper()
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	var list []string
	for _, line := range strings.Fields(string(content)) {
		if len(line) > 20 {
			list = append(list, line)
		}
	}
	Expect(list).NotTo(BeEmpty())
	return list
}
