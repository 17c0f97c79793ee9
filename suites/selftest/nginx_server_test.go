package selftest_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// requireNginx is the environment variable that, set to 1, makes the specs fail instead of being skipped without nginx.
const requireNginx = "CONFORMANCE_REQUIRE_NGINX"

// nginxConfig is a typical reverse proxy: nginx ends TLS and HTTP/2, compresses, and has a port and a path for each
// release of the product. It writes into one folder only, and logs one JSON object per line. gzip_min_length 1
// compresses even an empty list.
const nginxConfig = `daemon off;
worker_processes 1;
pid {{.Folder}}/nginx.pid;
error_log {{.Folder}}/error.log notice;
events { worker_connections 256; }
http {
  client_body_temp_path {{.Folder}}/body;
  proxy_temp_path {{.Folder}}/proxy;
  fastcgi_temp_path {{.Folder}}/fastcgi;
  uwsgi_temp_path {{.Folder}}/uwsgi;
  scgi_temp_path {{.Folder}}/scgi;
  log_format line escape=json '{"port":"$server_port","uri":"$request_uri","status":$status,'
    '"protocol":"$server_protocol","encoding":"$sent_http_content_encoding","agent":"$http_user_agent"}';
  access_log {{.Folder}}/access.log line;
  ssl_certificate {{.Folder}}/server.pem;
  ssl_certificate_key {{.Folder}}/server.key;
  gzip on;
  gzip_types application/json;
  gzip_min_length 1;
{{range .Releases}}  server {
    listen {{.Address}} ssl http2;
    location {{.Prefix}}/ { proxy_pass {{.Upstream}}/; }
  }
{{end}}}
`

// nginxRelease is one release of the product behind nginx.
type nginxRelease struct {
	Version, Address, Prefix, Upstream string
}

// nginxProxy is a running nginx.
type nginxProxy struct {
	folder   string
	releases []nginxRelease
}

// nginxRequest is a line of nginx's log.
type nginxRequest struct {
	Port, URI, Protocol, Encoding, Agent string
	Status                               int
}

// startNginx starts the reference once for each version, and nginx in front of both. All end with the specs.
func startNginx() nginxProxy {
	GinkgoHelper()
	program := nginxPath()
	f := nginxProxy{folder: GinkgoT().TempDir()}
	cmd := exec.Command(program, "-p", f.folder, "-c", f.file("nginx.conf"))
	for _, r := range []nginxRelease{{Version: "v5", Prefix: "/product-8.2"}, {Version: "v6", Prefix: "/product-9.2"}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		socket, err := listener.(*net.TCPListener).File()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(socket.Close)
		// nginx inherits the open sockets, as in an upgrade, so that no other program can take the port.
		cmd.ExtraFiles = append(cmd.ExtraFiles, socket)
		r.Address = listener.Addr().String()
		upstream := httptest.NewServer(referenceFor(kit.Users()))
		DeferCleanup(upstream.Close)
		r.Upstream = upstream.URL
		f.releases = append(f.releases, r)
	}
	cmd.Env = []string{"NGINX=3;4;"} // the descriptors of ExtraFiles in the process
	cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter

	writeCertificates(f.folder)
	var config bytes.Buffer
	Expect(template.Must(template.New("").Parse(nginxConfig)).Execute(&config, map[string]any{
		"Folder": f.folder, "Releases": f.releases,
	})).To(Succeed())
	writeFile(f.folder, "nginx.conf", config.String())

	Expect(cmd.Start()).To(Succeed())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	DeferCleanup(func() {
		Expect(cmd.Process.Signal(syscall.SIGTERM)).To(Succeed())
		Eventually(ended, generousTimeout).Should(Receive(Not(HaveOccurred())), "nginx should end in good order")
	})
	Eventually(f.file("nginx.pid"), generousTimeout).Should(BeAnExistingFile(),
		"nginx should start; see its output above")
	return f
}

func (n nginxProxy) file(name string) string { return filepath.Join(n.folder, name) }

// releaseAt returns the release that listens on a port.
func (n nginxProxy) releaseAt(port string) nginxRelease {
	GinkgoHelper()
	for _, r := range n.releases {
		if strings.HasSuffix(r.Address, ":"+port) {
			return r
		}
	}
	Fail("no release listens on port " + port)
	return nginxRelease{}
}

// certify returns a run through nginx, with the users and credentials of the reference.
func (n nginxProxy) certify(more ...string) command {
	args := []string{"run", "--users", usersFile}
	for _, release := range n.releases {
		args = append(args, "--target-url-"+release.Version, "https://"+release.Address+release.Prefix)
	}
	return command{args: append(args, more...), env: credentialsOfReference()}
}

// nginxPath finds nginx. On Debian it is not in the PATH of ordinary users.
func nginxPath() string {
	GinkgoHelper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(requireNginx) == "1" {
		Fail("nginx is missing, and " + requireNginx + "=1 says that this test must run: apt-get install nginx")
	}
	Skip("nginx is missing; to run this test: apt-get install nginx")
	return ""
}

// requests parses nginx's log.
func (n nginxProxy) requests() []nginxRequest {
	GinkgoHelper()
	log, err := os.ReadFile(n.file("access.log"))
	Expect(err).NotTo(HaveOccurred())
	var list []nginxRequest
	for line := range bytes.Lines(log) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // still being written
		}
		var r nginxRequest
		Expect(json.Unmarshal(line, &r)).To(Succeed(), "%s", line)
		list = append(list, r)
	}
	return list
}
