package settings_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A wrong value", func() {
	DescribeTable("of a flag is refused, naming the flag", func(flag string, values ...string) {
		for _, value := range values {
			_, err := remote(nil, flag, value)
			expectFault(err, flag+": ")
		}
	},
		Entry(nil, "--target-url", "https://auth.example ", "http://[::1", "HTTP", "http://%41"),
		Entry(nil, "--versions", "v5,v4", "5", "all"),
		Entry(nil, "--concurrency", "1e2", "8 8"),
		Entry(nil, "--rate", "abc"),
		Entry(nil, "--timeout", "1d"),
		Entry(nil, "--deadline", "-1h", "30", "abc"),
		Entry(nil, "--parity", "Value", "none"),
		Entry(nil, "--divergence", "yes", "Fail"),
		Entry("a folder for a CA", "--ca", "."),
	)

	It("of a variable is refused, naming the variable", func() {
		_, err := remote([]string{"AUTHN_CONCURRENCY=0"})
		expectFault(err, "AUTHN_CONCURRENCY: ")
		_, err = resolve([]string{"AUTHN_TOKEN="})
		expectFault(err, "AUTHN_TOKEN", "is unknown")
	})

	DescribeTable("of the configuration file is refused with its line", func(content string, parts ...string) {
		_, err := resolveFile(content)
		expectFault(err, append([]string{"conformance.yaml:"}, parts...)...)
	},
		Entry("a list for a number", "rate: [1]\n", ":1: rate: "),
		Entry("a word for a number", "concurrency: many\n", ":1: concurrency: "),
		Entry("yes for a word", "divergence: yes\n", ":1: divergence: "),
		Entry("an open brace", "target: {url: x\n", "is not YAML"),
		Entry("an unknown version", "versions: [v5, v7]\n", ":1: versions: ", "v7"),
		Entry("a name of a header with a space", "target:\n  headers:\n    'X Y': me\n", ":3: "),
	)

	It("of a configuration file that a variable names is refused too", func() {
		folder := write("c.yaml", "conc: 1\n")
		_, err := resolve([]string{"AUTHN_CONFIG=" + filepath.Join(folder, "c.yaml")})
		expectFault(err, "c.yaml:1: ", "conc")
	})

	It("for a client certificate and its key is refused, naming both", func() {
		folder := write("c.pem", "x", "c.key", "x")
		_, err := remote(nil, "--target-url", "https://auth.example", "--client-cert", folder+"/c.pem",
			"--client-key", folder+"/c.key")
		expectFault(err, "--client-cert and --client-key: ")
	})

	DescribeTable("that a target needs is named, with every way to give it", func(missing string, parts ...string) {
		given := map[string]string{
			"token":       "AUTHN_ACCESS_TOKEN=" + token,
			"application": "AUTHN_APPLICATION_ID=app",
			"users":       "AUTHN_USERS=" + filepath.Join(write("u.csv", lines("id,userId", firstID+",a")), "u.csv"),
		}
		delete(given, missing)
		var environ []string
		for _, variable := range given {
			environ = append(environ, variable)
		}
		_, err := resolve(environ, "--target-url", "https://auth.example")
		expectFault(err, append(parts, "missing")...)
		Expect(err.Error()).NotTo(ContainSubstring("\n"), "one fault")
	},
		Entry(nil, "token", "AUTHN_ACCESS_TOKEN", "--access-token-file", "target.accessTokenFile"),
		Entry(nil, "application", "AUTHN_APPLICATION_ID", "--application-id", "target.applicationId"),
		Entry(nil, "users", "AUTHN_USERS", "--users"),
	)

	It("in a users file is named with its setting", func() {
		folder := write("users.csv", "id,userId\n"+firstID+",a\nwrong,b\n", "c.yaml", "\nusers: users.csv\n")
		_, err := resolve(nil, "--users", folder+"/users.csv")
		expectFault(err, "--users: "+folder+"/users.csv:3: member \"id\"")
		_, err = resolve(nil, "--config", folder+"/c.yaml")
		expectFault(err, folder+"/c.yaml:2: users: "+folder+"/users.csv:3: member \"id\"")
	})
})
