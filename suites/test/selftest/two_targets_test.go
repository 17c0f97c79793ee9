package selftest_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/testkit"
)

// installation is a service over TLS for one version, which has a token, an application id, a header, an authority and
// client certificates of its own.
type installation struct {
	version, url, token, application, header string
	folder                                   string // of its files
	mu                                       sync.Mutex
	wire                                     strings.Builder // all that it was sent
}

// startInstallation serves the reference, or a mutant of it, until the spec ends.
func startInstallation(version, folder, mutant string) *installation {
	GinkgoHelper()
	i := &installation{version: version, folder: folder, token: "canary-token-of-" + version + "-8Kd2Wq5Zx9Lm",
		application: "module-of-" + version, header: "canary-header-of-" + version + "-3Rt7Yp1Vn"}
	service := reference.New(reference.Options{Users: kit.Users(), AccessToken: i.token, ApplicationID: i.application})
	if mutant != "" {
		m, found := mutants.Find(mutant)
		Expect(found).To(BeTrue())
		service = m.Handler(service)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the reference answers what comes
		i.mu.Lock()
		fmt.Fprintf(&i.wire, "%s %v %s\n", r.URL, r.Header, body)
		i.mu.Unlock()
		if r.Header.Get("X-Gateway") != i.header || !strings.HasPrefix(r.URL.Path, "/api/"+version+"/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		service.ServeHTTP(w, r)
	})
	address := kit.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	authority, config, err := kit.NewServerConfig(address)
	mustSucceed(err)
	client := testkit.Must(authority.Issue(kit.Certificate{Client: true}))
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, authority.Pool
	for name, content := range map[string][]byte{"ca": authority.PEM, "cert": client.PEM, "key": client.Key,
		"token": []byte(i.token + "\n")} {
		writeFile(folder, version+"-"+name, string(content))
	}
	server := httptest.NewUnstartedServer(handler)
	server.TLS = config
	server.StartTLS()
	DeferCleanup(server.Close)
	i.url = server.URL
	return i
}

// sent returns all that the installation was sent.
func (i *installation) sent() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.wire.String()
}

// settings returns the settings of the installation: v5 has flags and a token file, v6 has variables.
func (i *installation) settings() (args, env []string) {
	file := func(name string) string { return filepath.Join(i.folder, i.version+"-"+name) }
	args = []string{"--target-url-" + i.version, i.url, "--ca-" + i.version, file("ca"),
		"--application-id-" + i.version, i.application, "--subject-version-" + i.version, i.version + ".2"}
	if i.version == "v5" {
		return append(args, "--client-cert-v5", file("cert"), "--client-key-v5", file("key"), "--access-token-file-v5",
			file("token")), nil
	}
	return args, []string{"AUTHN_CLIENT_CERT_V6=" + file("cert"), "AUTHN_CLIENT_KEY_V6=" + file("key"),
		"AUTHN_ACCESS_TOKEN_V6=" + i.token, "GATEWAY_OF_V6=" + i.header}
}

// installations starts one for each version, and returns a command that asks both.
func installations(name, mutant string) (command, []*installation) {
	GinkgoHelper()
	folder := newFolder()
	five, six := startInstallation("v5", folder, ""), startInstallation("v6", folder, mutant)
	writeFile(folder, "header", five.header)
	config := writeFile(folder, "conformance.yaml", "target:\n  v5: {headers: {X-Gateway: {file: header}}}\n"+
		"  v6: {headers: {X-Gateway: {env: GATEWAY_OF_V6}}}\n")
	c := command{folder: folder, args: []string{name, "--users", usersNDJSON(), "--config", config}}
	for _, i := range []*installation{five, six} {
		args, env := i.settings()
		c.args, c.env = append(c.args, args...), append(c.env, env...)
	}
	return c, []*installation{five, six}
}

// expectApart expects that no secret of one installation was sent to the other, or is in what the command left.
func expectApart(r *result, both []*installation) {
	GinkgoHelper()
	for n, i := range both {
		other := both[1-n]
		for _, canary := range []string{i.token, i.header, i.application, i.version + "/authenticator"} {
			Expect(other.sent()).NotTo(ContainSubstring(canary), "%s was sent to the installation of %s", canary,
				other.version)
		}
		expectNoTraces(r, i.token, i.header)
	}
}

var _ = Describe("Two installations, each with its own login, CA and client certificates", func() {
	It("are certified, with the release of each, and the certificate is verified for both URLs", func() {
		c, both := installations("run", "")
		r := c.runToEnd()
		Expect(checkRun(r).Verdict).To(Equal("pass"), "%s", r)
		Expect(r.stdout).To(ContainSubstring("certifies"))
		Expect(filesIn(r.reportFolder())["report.json"]).To(And(ContainSubstring(`"version": "v5.2 (v5), v6.2 (v6)"`),
			MatchRegexp(`"versions": \{\s+"v5": \{\s+"version": "v5.2"`)))
		for _, i := range both {
			Expect(i.sent()).To(ContainSubstring(i.token))
		}
		expectApart(r, both)
		verify := command{folder: c.folder, args: []string{"verify", defaultReports, "--target-v5", both[0].url,
			"--target-v6", both[1].url}}
		Expect(verify.runToEnd().exitCode).To(BeZero())
		verify.args[len(verify.args)-1] = both[0].url
		r = verify.runToEnd()
		Expect(r.exitCode).To(Equal(1))
		Expect(r.stdout).To(ContainSubstring("✗ --target-v6"))
	})

	It("are swept", func() {
		c, both := installations("sweep", "")
		r := c.runToEnd()
		Expect(r.exitCode).To(BeZero(), "%s", r)
		expectApart(r, both)
	})

	It("are in the plan, which names the variable of a token and sends nothing", func() {
		c, both := installations("plan", "")
		r := c.runToEnd()
		Expect(r.exitCode).To(BeZero(), "%s", r)
		for _, i := range both {
			Expect(r.stdout).To(ContainSubstring(i.url + "/api/" + i.version + "/"))
			Expect(i.sent()).To(BeEmpty())
		}
		Expect(r.stdout).To(And(ContainSubstring("$AUTHN_ACCESS_TOKEN_V6"), ContainSubstring("module-of-v5")))
		expectNoTraces(r, both[0].token, both[1].token)
	})

	It("have curl commands that can be pasted", func() {
		curl, err := exec.LookPath("curl")
		if err != nil {
			Skip("there is no curl on this machine")
		}
		c, both := installations("run", "created-on-microseconds-v6")
		r := c.runToEnd()
		Expect(checkRun(r).Verdict).To(Equal("fail"), "%s", r)
		var lines []string
		for line := range strings.Lines(r.stdout) {
			if _, line, found := strings.Cut(line, "printf %s "); found && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		Expect(lines).NotTo(BeEmpty(), "%s", r)
		shell := exec.Command("sh", "-c", "printf %s "+lines[0])
		shell.Dir, shell.Env = c.folder, []string{"PATH=" + filepath.Dir(curl) + ":/usr/bin:/bin",
			"AUTHN_ACCESS_TOKEN_V6=" + both[1].token, "HEADER_X_GATEWAY_V6=" + both[1].header}
		output, err := shell.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", output)
		Expect(string(output)).To(ContainSubstring(" 200"), lines[0])
	})

	It("are told apart by who refuses a token: the settings of that version are named", func() {
		c, _ := installations("run", "")
		c.env = append(c.env, "AUTHN_ACCESS_TOKEN_V6=another-token-of-v6-1Hj6")
		r := c.runToEnd()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.allOutput()).To(And(ContainSubstring("v5 serves one of these users"),
			ContainSubstring("AUTHN_ACCESS_TOKEN_V6 or --access-token-file-v6"), ContainSubstring("--target-url-v6")))
	})
})
