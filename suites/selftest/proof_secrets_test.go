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

	for _, f := range misplacedSecrets(plainToken) {
		It("leaves no trace as "+f.name, func() {
			r := f.run()
			Expect(r.exitCode).To(Equal(2), "%s", r)
			expectNoTraces(r.result, plainToken)
		})
	}
})

// misplacedSecrets are calls with a secret in a wrong place.
func misplacedSecrets(secret string) []faultyCall {
	app, token := []string{"AUTHN_APPLICATION_ID=a"}, "AUTHN_ACCESS_TOKEN="+secret
	url := func(text string) []string { return []string{"run", "--target-url", text, "--users", "{users}"} }
	config := func(content string) map[string]string { return map[string]string{"c.yaml": content} }
	withConfig := onTarget("--config", "c.yaml")
	return []faultyCall{
		{name: "a token with a control character", args: onTarget(), env: append(app, token+"\x01")},
		{name: "a token of two lines", args: onTarget("--access-token-file", "t"), env: app,
			files: map[string]string{"t": secret + "\n" + secret}},
		{name: "the name of the token's file", args: onTarget("--access-token-file", secret), env: app},
		{name: "a flag", args: onTarget("--access-token=" + secret), env: credentialsOfReference()},
		{name: "an unknown variable", args: onTarget(), env: append(credentialsOfReference(), "AUTHN_TOKEN="+secret)},
		{name: "a member of the configuration file", args: withConfig, env: credentialsOfReference(),
			files: config("target:\n  accessToken: " + secret + "\n")},
		{name: "an alias in a file that is no YAML", args: withConfig, env: credentialsOfReference(),
			files: config("target: {accessToken: *" + secret + "\n")},
		{name: "a password in a URL", args: url("http://user:" + secret + "@127.0.0.1/"),
			env: credentialsOfReference()},
		{name: "a password in a wrong URL", args: url("user:" + secret + "@127.0.0.1"), env: credentialsOfReference()},
		{name: "a password in a query", args: url("{target}/?key=" + secret), env: credentialsOfReference()},
		{name: "the name of a header", args: withConfig, env: credentialsOfReference(),
			files: config("target:\n  headers:\n    'Authorization: Bearer " + secret + "': x\n")},
		{name: "a header of two lines", args: withConfig, env: credentialsOfReference(),
			files: config("target:\n  headers:\n    Authorization: \"Bearer " + secret + "\\n\"\n")},
		{name: "a token beside a wrong rate", args: onTarget("--rate", "-1"), env: append(app, token)},
		{name: "a token for a port where nothing listens", args: url("http://127.0.0.1:1"), env: append(app, token)},
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
