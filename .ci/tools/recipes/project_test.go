package recipes_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// token is the administrator's token of the reference.
const token = "fixture-administrator-token-not-a-secret-7Qm2Zr8Kx4Wd"

// Configuration files of a user, named by the verdict of a run with them. REFERENCE and MUTANT are replaced by the URLs
// of services.
const (
	passing      = "target: {url: REFERENCE, applicationId: fixture-calling-module}\nusers: all-users.yaml\n"
	inconclusive = "target: {url: REFERENCE, applicationId: fixture-calling-module}\nusers: users.yaml\n"
	failing      = "target: {url: MUTANT, applicationId: fixture-calling-module}\nusers: users.yaml\n"
)

// root is the folder of this project.
var root, _ = filepath.Abs(filepath.Join("..", "..", ".."))

func readFile(path ...string) string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(path...))
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

func writeFile(content string, path ...string) {
	GinkgoHelper()
	name := filepath.Join(path...)
	Expect(os.MkdirAll(filepath.Dir(name), 0o755)).To(Succeed())
	Expect(os.WriteFile(name, []byte(content), 0o755)).To(Succeed())
}

// runShell runs a command in a folder, which must succeed, and returns what it printed.
func runShell(folder, name string, args ...string) string {
	GinkgoHelper()
	command := exec.Command(name, args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

// project is a user's repository on a server, and a release to download.
type project struct {
	origin            string // the bare repository
	version, checksum string
	releases          string // the URL of the release
	wrong             string // the end of the name of a file of the release that is served with a byte more
}

// newProject creates a repository with a configuration file and recipes. recipes maps each recipe file to its path in
// the repository. Version, checksum and URL are edited as the comments of the recipe require.
func newProject(config string, recipes map[string]string) *project {
	GinkgoHelper()
	p, folder := serveRelease(), GinkgoT().TempDir()
	p.origin = filepath.Join(folder, "origin.git")
	runShell(folder, "git", "init", "-q", "--bare", "-b", "main", p.origin)
	runShell(folder, "git", "-C", p.origin, "config", "receive.advertisePushOptions", "true")
	work := filepath.Join(folder, "work")
	runShell(folder, "git", "clone", "-q", p.origin, work)
	runShell(work, "git", "checkout", "-q", "-b", "main")
	if strings.Contains(config, "REFERENCE") {
		config = strings.ReplaceAll(config, "REFERENCE", p.serveReference())
	} else {
		config = strings.ReplaceAll(config, "MUTANT", p.serveReference("--mutant", "created-on-as-number-v5"))
	}
	writeFile(config, work, "conformance.yaml")
	all := readFile(root, "fixtures", "users.yaml")
	writeFile(all, work, "all-users.yaml")
	// This user has no device, so a run is inconclusive for the requirements of devices.
	id := regexp.MustCompile(`id: (\S+)\n  userId: no\.device`).FindStringSubmatch(all)
	Expect(id).NotTo(BeNil())
	writeFile("- {id: "+id[1]+", userId: no.device}\n", work, "users.yaml")
	edit := strings.NewReplacer("https://releases.invalid/conformance/0.0.0", p.releases, "0.0.0", p.version,
		strings.Repeat("0", 64), p.checksum)
	for from, to := range recipes {
		writeFile(edit.Replace(readFile(root, from)), work, to)
	}
	p.pushAll(work)
	return p
}

// pushAll commits and pushes what a folder has to the main branch.
func (p *project) pushAll(work string) {
	GinkgoHelper()
	runShell(work, "git", "add", "-A")
	runShell(work, "git", "-c", "user.name=user", "-c", "user.email=user@example.com", "commit", "-q", "-m", "Change")
	runShell(work, "git", "push", "-q", "origin", "HEAD:main")
}

// cloneRepository returns a new clone of the main branch.
func (p *project) cloneRepository() string {
	GinkgoHelper()
	folder := filepath.Join(GinkgoT().TempDir(), "work")
	runShell("/", "git", "clone", "-q", p.origin, folder)
	return folder
}

// replaceIn changes a file of the main branch.
func (p *project) replaceIn(file, from, to string) {
	GinkgoHelper()
	work := p.cloneRepository()
	content := readFile(work, file)
	Expect(content).To(ContainSubstring(from))
	writeFile(strings.ReplaceAll(content, from, to), work, file)
	p.pushAll(work)
}

// addBaseline adds the baseline of the reference to the main branch.
func (p *project) addBaseline() {
	GinkgoHelper()
	work, secret := p.cloneRepository(), GinkgoT().TempDir()
	writeFile(token, secret, "token")
	runShell(work, p.unpackBinary(), "run", "--update-baseline", "baseline.json", "--report-dir", GinkgoT().TempDir(),
		"--target-url", p.serveReference(), "--access-token-file", filepath.Join(secret, "token"),
		"--application-id", "fixture-calling-module", "--users", "all-users.yaml")
	p.pushAll(work)
}

// mergeBranch merges the only other branch into main, as a user does who accepts the request.
func (p *project) mergeBranch() {
	GinkgoHelper()
	branches := strings.Fields(runShell(p.origin, "git", "for-each-ref", "--format=%(refname:short)",
		"refs/heads/conformance-*"))
	Expect(branches).To(HaveLen(1))
	Expect(runShell(p.origin, "git", "diff", "--name-only", "main", branches[0])).To(Equal("baseline.json\n"))
	runShell(p.origin, "git", "update-ref", "refs/heads/main", branches[0])
	runShell(p.origin, "git", "branch", "-q", "-D", branches[0])
}

// serveRelease serves dist over HTTP.
func serveRelease() *project {
	GinkgoHelper()
	dist := filepath.Join(root, "dist")
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	Expect(err).NotTo(HaveOccurred(), "dist has no release, which the recipes download: run `make release` first")
	version := regexp.MustCompile(`conformance_(\S+)_linux_amd64\.tar\.gz`).FindSubmatch(sums)
	Expect(version).NotTo(BeNil())
	digest := sha256.Sum256(sums)
	p := &project{version: string(version[1]), checksum: hex.EncodeToString(digest[:])}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(filepath.Join(dist, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if p.wrong != "" && strings.HasSuffix(r.URL.Path, p.wrong) {
			content = append(content, '\n')
		}
		_, _ = w.Write(content)
	}))
	DeferCleanup(server.Close)
	p.releases = server.URL
	return p
}

// unpackBinary unpacks the binary for this machine from dist.
func (p *project) unpackBinary() string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	runShell(folder, "tar", "-xzf", filepath.Join(root, "dist", "conformance_"+p.version+"_linux_amd64.tar.gz"),
		"--strip-components=1")
	return filepath.Join(folder, "conformance")
}

// serveReference serves the reference, or the mutant that the flags name, and returns its URL.
func (p *project) serveReference(flags ...string) string {
	GinkgoHelper()
	command := exec.Command(p.unpackBinary(), append([]string{"serve"}, flags...)...)
	out, err := command.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(command.Start()).To(Succeed())
	DeferCleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); url != "" {
			return url
		}
	}
	Fail("serve printed no URL")
	return ""
}
