package selftest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"syscall"
	"text/template"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// nginxRelease is one release of the product behind nginx, by its port.
type nginxRelease struct{ Version, Address, Prefix, Upstream string }

// nginxRequest is a line of nginx's log.
type nginxRequest struct {
	Port, URI, Protocol, Encoding, Agent string
	Status                               int
}

// startNginx starts the reference once for each version, and nginx in front of both. All end with the spec.
func startNginx(folder string) (releases map[string]nginxRelease) {
	GinkgoHelper()
	// On Debian it is not in the PATH of ordinary users.
	program := findTool("CONFORMANCE_REQUIRE_NGINX", "apt-get install nginx", "nginx", "/usr/sbin/nginx")
	cmd := exec.Command(program, "-p", folder, "-c", filepath.Join(folder, "nginx.conf"))
	releases = map[string]nginxRelease{}
	for _, r := range []nginxRelease{{Version: "v5", Prefix: "/product-8.2"}, {Version: "v6", Prefix: "/product-9.2"}} {
		listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))
		DeferCleanup(listener.Close)
		socket := testkit.Must(listener.(*net.TCPListener).File())
		DeferCleanup(socket.Close)
		// nginx inherits the open sockets, as in an upgrade, so that no other program can take the port.
		cmd.ExtraFiles = append(cmd.ExtraFiles, socket)
		r.Address, r.Upstream = listener.Addr().String(), testkit.Serve(referenceFor(kit.Users())).String()
		_, port, err := net.SplitHostPort(r.Address)
		Expect(err).NotTo(HaveOccurred())
		releases[port] = r
	}
	cmd.Env = []string{"NGINX=3;4;"} // the descriptors of ExtraFiles in the process
	cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter

	writeCertificates(folder)
	var config bytes.Buffer
	Expect(template.Must(template.ParseFiles(filepath.Join("testdata", "nginx.conf"))).Execute(&config,
		map[string]any{"Folder": folder, "Releases": releases})).To(Succeed())
	writeFile(folder, "nginx.conf", config.String())

	Expect(cmd.Start()).To(Succeed())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	DeferCleanup(func() {
		Expect(cmd.Process.Signal(syscall.SIGTERM)).To(Succeed())
		Eventually(ended, generousTimeout).Should(Receive(Not(HaveOccurred())), "nginx should end in good order")
	})
	Eventually(filepath.Join(folder, "nginx.pid"), generousTimeout).Should(BeAnExistingFile(),
		"nginx should start; see its output above")
	return releases
}

var _ = It("Through nginx, with a private CA, HTTP/2, gzip, prefixes and a port for each version, the reference is "+
	"certified with --ca, and gets no request without", func() {
	folder := GinkgoT().TempDir()
	releases := startNginx(folder)
	// logged parses nginx's log, but for a line that is being written.
	logged := func() (list []nginxRequest) {
		GinkgoHelper()
		for line := range bytes.Lines(testkit.Read(folder, "access.log")) {
			if bytes.HasSuffix(line, []byte("\n")) {
				list = append(list, nginxRequest{})
				Expect(json.Unmarshal(line, &list[len(list)-1])).To(Succeed(), "%s", line)
			}
		}
		return list
	}
	c := command{args: []string{"run", "--users", usersFile()}, env: credentialsWith(fixtures.AccessToken)}
	for _, release := range releases {
		c.args = append(c.args, "--target-url-"+release.Version, "https://"+release.Address+release.Prefix)
	}
	Expect(checkRun(c.runToEnd()).Error).To(HaveValue(And(ContainSubstring("certificate"), ContainSubstring("--ca"))))
	Expect(logged()).To(BeEmpty(), "a request, and the token, reached a server that was not trusted")

	c.args = append(c.args, "--ca", filepath.Join(folder, "ca.pem"))
	report := checkRun(c.runToEnd())
	Expect(report.Verdict).To(Equal("pass"))
	Expect(report.Complete).To(BeTrue())
	// nginx writes a line when a request is finished, which may be after the answer has arrived.
	Eventually(logged, generousTimeout).Should(HaveLen(int(report.Counts.Requests)))
	agents := map[string]bool{}
	agent := fmt.Sprintf(`^authenticator-conformance/%s \(run %s; exchange (?:e\d+(?:\.2)?|c\d+)\)$`,
		regexp.QuoteMeta(report.Suite.Version), report.Run)
	operations := map[string]int{}
	for _, l := range logged() {
		release := releases[l.Port]
		Expect(l.Protocol).To(Equal("HTTP/2.0"), "%+v", l)
		Expect(l.URI).To(HavePrefix(release.Prefix+"/api/"), "%+v", l)
		Expect(l.Agent).To(MatchRegexp(agent), "it names suite, run and exchange")
		agents[l.Agent] = true
		if l.Status == http.StatusOK {
			Expect(l.Encoding).To(Equal("gzip"), "%+v", l)
			Expect(l.URI).To(HavePrefix(release.Prefix+"/api/"+release.Version+"/"), "%+v", l)
			operations[release.Version+path.Base(l.URI)]++
		}
	}
	Expect(agents).To(HaveLen(int(report.Counts.Requests)), "each exchange has its own")
	Expect(operations).To(HaveLen(4), "both operations of both versions were served")
})
