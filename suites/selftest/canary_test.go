package selftest_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
)

// The secrets of these runs. They look like no other text, so that what is found of them can only come from them.
const (
	plainToken  = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	oddToken    = `W<x"Y&z'9+k/L=m%p\R;ü€😀{n}[o] v^2|T~u:8?h@j`
	headerValue = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer      = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
	password    = "pAss+w0rd/of=the&caller!"
)

func canarySpecs(r *rig) {
	Describe("A secret that never leaves this machine leaves no trace", Label(proof), func() {
		It("a client key", func() {
			service, ok := find("host-client-certificate")
			Expect(ok).To(BeTrue())
			folder := r.work()
			running, err := service.Start(folder)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(running.Close)
			o := r.call(command{args: append([]string{"run", "--users", r.users}, running.Arguments...), env: credentials(), folder: folder})
			sound(o)
			leakless(o, lines(folder, "client.key")...)
		})
	})

	Describe("A secret leaves no trace where it is given wrongly", Label(proof), func() {
		const secret = plainToken
		for name, s := range map[string]slip{
			"a token with a control character":     {args: full(), env: []string{"AUTHN_ACCESS_TOKEN=" + secret + "\x01", "AUTHN_APPLICATION_ID=a"}},
			"a token of two lines":                 {args: full("--access-token-file", "t"), env: []string{"AUTHN_APPLICATION_ID=a"}, files: map[string]string{"t": secret + "\n" + secret}},
			"a token for the name of its file":     {args: full("--access-token-file", secret), env: []string{"AUTHN_APPLICATION_ID=a"}},
			"a token as a flag":                    {args: full("--access-token=" + secret), env: credentials()},
			"a token in an unknown variable":       {args: full(), env: append(credentials(), "AUTHN_TOKEN="+secret)},
			"a token in the configuration file":    {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  accessToken: " + secret + "\n"}},
			"a token in a file that is no YAML":    {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target: {accessToken: *" + secret + "\n"}},
			"a password in a URL":                  {args: []string{"--target-url", "http://user:" + secret + "@127.0.0.1/", "--users", "{users}"}, env: credentials()},
			"a password in a URL that is wrong":    {args: []string{"--target-url", "user:" + secret + "@127.0.0.1", "--users", "{users}"}, env: credentials()},
			"a password in a query":                {args: []string{"--target-url", "{target}/?key=" + secret, "--users", "{users}"}, env: credentials()},
			"a header whose value is in its name":  {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  headers:\n    'Authorization: Bearer " + secret + "': x\n"}},
			"a header of two lines":                {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  headers:\n    Authorization: \"Bearer " + secret + "\\n\"\n"}},
			"a token beside a slip":                {args: full("--rate", "-1"), env: []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=a"}},
			"a token where the target is no where": {args: []string{"--target-url", "http://127.0.0.1:1", "--users", "{users}"}, env: []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=a"}},
		} {
			It(name, func() {
				o, _ := s.make(r)
				Expect(o.code).To(Equal(2), o.said())
				leakless(o, secret)
			})
		}
	})

	DescribeTable("The search for traces finds what is there", func(encode func(string) string) {
		for _, secret := range append(headerSecrets(), plainToken, oddToken) {
			Expect(traces("before "+encode(secret)+" after", secret)).NotTo(BeEmpty(), secret)
			Expect(traces("before "+encode("something else that is as long as a secret")+" after", secret)).To(BeEmpty(), secret)
		}
	}, func() (entries []TableEntry) {
		for _, e := range hostile.Encodings() {
			entries = append(entries, Entry(e.Name, e.Encode))
		}
		return entries
	}())
}

// lines are those of a PEM file that hold its content.
func lines(folder, name string) []string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(folder, name))
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

// find gives a conforming service by its name.
func find(name string) (conforming.Service, bool) {
	for _, s := range conforming.All() {
		if s.Name == name {
			return s, true
		}
	}
	return conforming.Service{}, false
}
