package selftest_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// target is a server that counts its requests, and can call a hook when one arrives.
type target struct {
	url      string
	requests atomic.Int64
	hook     func()
	hookAt   atomic.Int64 // the request that calls it
}

// startTarget serves a handler until the spec ends.
func startTarget(handler http.Handler) *target {
	GinkgoHelper()
	t := &target{}
	t.url = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if t.requests.Add(1) == t.hookAt.Load() {
			t.hook()
		}
		handler.ServeHTTP(w, r)
	})).String()
	return t
}

// disturbRun runs a command, and calls do when the nth request from now on arrives, before it is answered.
func (t *target) disturbRun(c command, nth int64, do func(p *os.Process)) *result {
	GinkgoHelper()
	started := make(chan *os.Process, 1)
	c.onStart = func(p process) { started <- p.Process }
	t.hook = func() { do(<-started) }
	t.hookAt.Store(t.requests.Load() + nth)
	defer t.hookAt.Store(0)
	return c.runToEnd()
}

// delayAnswers delays each answer, so that a run takes long enough to be disturbed. A request that ends during the
// delay gets no answer.
func delayAnswers(handler http.Handler, delay time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(delay):
			handler.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// referenceFor is the reference for some users, with the token of the fixtures.
func referenceFor(users []fixtures.User) http.Handler {
	return kit.Reference(users, fixtures.AccessToken)
}

// usersFile is the users file of the reference.
func usersFile() string {
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "fixtures", "users.yaml"))
	mustSucceed(err)
	return path
}

// usersNDJSON writes the users of the reference into a file that a sweep reads too, and returns the path.
func usersNDJSON() string {
	GinkgoHelper()
	return writeFile(newFolder(), "users.ndjson", string(testkit.UsersNDJSON()))
}

// certifyTarget returns a run against a target, with the users and credentials of the reference.
func certifyTarget(url string) command {
	return command{args: []string{"run", "--target-url", url, "--users", usersFile()},
		env: credentialsWith(fixtures.AccessToken)}
}

// credentialsWith returns the environment with a token.
func credentialsWith(token string) []string {
	return []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

// exitCodes returns the exit code of each verdict, for runs and sweeps. A sweep that a signal stopped has exitStopped.
func exitCodes() map[string]int {
	return map[string]int{"pass": 0, "fail": 1, "error": 2, "inconclusive": 3}
}

const exitStopped = 4

// report is the part of report.json that the specs need.
type report struct {
	Verdict      string
	Complete     bool
	Error        *string
	Requirements []struct {
		ID, Version, Verdict string
		FindingCount         int
		Causes               []struct{ Pointer string }
		Findings             []struct{ Message string }
	}
	Run    string
	Suite  struct{ Version string }
	Counts struct{ Requests int64 }
}

// rowsOf lists the rows that have a verdict, as "v5 2.1/Id".
func (r *report) rowsOf(verdict string) []string {
	var list []string
	for _, row := range r.Requirements {
		if row.Verdict == verdict {
			list = append(list, row.Version+" "+row.ID)
		}
	}
	return list
}

// checkRun expects what holds for every run with any target, and returns its report: it is as its schema says, and the
// exit code and junit.xml agree with it.
func checkRun(r *result) *report {
	GinkgoHelper()
	Expect(r.err).NotTo(HaveOccurred())
	content := filesIn(r.reportFolder())["report.json"]
	decoder := json.NewDecoder(strings.NewReader(content))
	decoder.UseNumber()
	var value any
	Expect(decoder.Decode(&value)).To(Succeed(), "report.json: %s\n%s", content, r)
	Expect(schemas.OutputSchema("report").Check(value)).To(BeEmpty(), "report.json breaks its schema")
	read := &report{}
	Expect(json.Unmarshal([]byte(content), read)).To(Succeed())

	Expect(r.exitCode).To(Equal(exitCodes()[read.Verdict]), "the verdict is %s\n%s", read.Verdict, r)
	junit, isError := filesIn(r.reportFolder())["junit.xml"], read.Verdict == "error"
	Expect(junit).To(ContainSubstring("<testcase "))
	Expect(strings.Contains(junit, "<error")).To(Equal(isError), "junit.xml says an error if it is one: %s", r)
	Expect(strings.Contains(junit, "<failure")).To(Or(Equal(read.Verdict == "fail"), Equal(isError)))
	Expect(read.Error != nil).To(Equal(isError))
	Expect(read.Complete && isError).To(BeFalse())
	return read
}

// filesIn returns the content of the files in a folder by name, including hidden ones. What can't be read has the error
// as its content. A folder that does not exist has no files.
func filesIn(folder string) map[string]string {
	files := map[string]string{}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			content = []byte(err.Error())
		}
		files[entry.Name()] = string(content)
	}
	return files
}

// verdictIn finds the verdict in each file of a run, by its name.
var verdictIn = map[string]*regexp.Regexp{
	"report.json":    regexp.MustCompile(`\n  "verdict": "(\w+)"`),
	"junit.xml":      regexp.MustCompile(`<testsuites [^>]*errors="(\d+)"`),
	"summary.md":     regexp.MustCompile(`^## \S+ (\w+)`),
	"report.html":    regexp.MustCompile(`<section class="certificate (\w+)"`),
	"statement.json": regexp.MustCompile(`"result": "(\w+)"`),
	"evidence.har":   regexp.MustCompile(`"_run":\{[^\n]*?"error":(null|")`),
	"metrics.prom":   regexp.MustCompile(`(# EOF)\n$`),
}

// checkWholeReports expects that a run that was disturbed left complete reports that all say pass, or all say error,
// like its exit code, and no other files.
func checkWholeReports(r *result) {
	GinkgoHelper()
	said := []string{"pass", "0", "PASSED", "null", "# EOF"}
	if r.exitCode != 0 {
		said = []string{"error", "1", "FAILED", `"`, "# EOF"}
	}
	for name, content := range filesIn(r.reportFolder()) {
		Expect(verdictIn).To(HaveKey(name), "left behind")
		if info, err := os.Stat(filepath.Join(r.reportFolder(), name)); err == nil && info.IsDir() {
			continue
		}
		Expect(checkFile(name, []byte(content))).To(Succeed(), name)
		found := verdictIn[name].FindStringSubmatch(content)
		Expect(found).To(HaveExactElements(Not(BeEmpty()), BeElementOf(said)), name)
	}
}

// writePass writes the reports of an earlier run that passed.
func writePass(reports string) {
	writeFile(reports, "report.json", `{"verdict":"pass","complete":true,"error":null}`)
	writeFile(reports, "junit.xml", `<testsuites><testsuite><testcase name="passed"/></testsuite></testsuites>`)
}

// writeCertificates writes a private CA (ca.pem) and a certificate for 127.0.0.1 that it has signed (server.pem,
// server.key).
func writeCertificates(folder string) {
	GinkgoHelper()
	authority := testkit.Must(kit.NewAuthority())
	server := testkit.Must(authority.Issue(kit.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}}))
	writeFile(folder, "ca.pem", string(authority.PEM))
	writeFile(folder, "server.pem", string(server.PEM))
	writeFile(folder, "server.key", string(server.Key))
}
