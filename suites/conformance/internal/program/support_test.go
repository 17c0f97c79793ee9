package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/sanitize"
)

// header is the value of a header that counts as a secret.
const header = "gateway-key-of-a-program-5Rw9Lm3Vd"

// call is one request that a target was sent.
type call struct{ path, token string }

// service is a target on loopback that remembers its requests.
type service struct {
	url   string
	mu    sync.Mutex
	calls []call
}

// serveService serves the reference, or a mutant of it by its name, until the spec ends.
func serveService(mutant string) *service {
	GinkgoHelper()
	handler := kit.Reference(kit.Users(), fixtures.AccessToken)
	if mutant != "" {
		m, ok := mutants.Find(mutant)
		Expect(ok).To(BeTrue(), mutant)
		handler = m.Handler(handler)
	}
	s := &service{}
	server := httptest.NewServer(s.remember(handler))
	DeferCleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *service) remember(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is broken is none of the suite's requests
		var fields struct{ AccessToken string }
		_ = json.Unmarshal(body, &fields)
		s.mu.Lock()
		s.calls = append(s.calls, call{r.URL.Path, fields.AccessToken})
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(w, r)
	})
}

// sent are the requests so far.
func (s *service) sent() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// configFor is right for a service that takes the credentials of package fixtures, changed where a spec needs it.
func configFor(url string, changes ...func(*conformance.Config)) conformance.Config {
	c := conformance.Config{
		TargetURL: url, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID,
		Header: http.Header{"X-Gateway-Key": {header}},
	}
	for _, u := range kit.Users() {
		c.Users = append(c.Users, conformance.User{ID: u.ID, UserID: u.UserID, NotEnrolled: !u.Enrolled})
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

// outcome is what a process left.
type outcome struct {
	code   int
	output string
	junit  string
	specs  types.SpecReports
	// left are the files in the folders that it had to itself.
	left []string
}

// patience is how long a process may take: seconds, unless it hangs.
const patience = time.Minute

// runProgram runs a program in the driven suite, with flags of Ginkgo.
func runProgram(ctx context.Context, p program, flags ...string) outcome {
	GinkgoHelper()
	//lint:ignore SA1026 TLS, which has functions, is nil here: the driven suite makes its own of CA
	text, err := json.Marshal(p)
	Expect(err).NotTo(HaveOccurred())
	return startSuite(ctx, drivenBinary, flags, variable+"="+string(text))
}

// startSuite runs a suite and takes what it leaves. No secret may stand in it.
func startSuite(ctx context.Context, binary string, flags []string, environ ...string) outcome {
	GinkgoHelper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reports, work := GinkgoT().TempDir(), GinkgoT().TempDir()
	jsonFile, junitFile := filepath.Join(reports, "ginkgo.json"), filepath.Join(reports, "ginkgo.xml")
	cmd := exec.CommandContext(ctx, binary, append(
		[]string{"-ginkgo.v", "-ginkgo.no-color", "-ginkgo.json-report=" + jsonFile, "-ginkgo.junit-report=" +
			junitFile},
		flags...)...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), append(environ, "TMPDIR="+work)...)
	output, err := cmd.CombinedOutput()
	o := outcome{code: cmd.ProcessState.ExitCode(), output: string(output)}
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) {
		Expect(err).NotTo(HaveOccurred(), o.output)
	}
	content, err := os.ReadFile(jsonFile)
	Expect(err).NotTo(HaveOccurred(), o.output)
	var suites []types.Report
	Expect(json.Unmarshal(content, &suites)).To(Succeed())
	Expect(suites).To(HaveLen(1))
	for _, spec := range suites[0].SpecReports {
		if spec.LeafNodeType == types.NodeTypeIt {
			o.specs = append(o.specs, spec)
		}
	}
	junit, err := os.ReadFile(junitFile)
	Expect(err).NotTo(HaveOccurred())
	o.junit = string(junit)
	expectNoSecret(o.output, string(content), o.junit)
	entries, err := os.ReadDir(work)
	Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		o.left = append(o.left, entry.Name())
	}
	return o
}

// expectNoSecret looks for the secrets of configFor in every form.
func expectNoSecret(texts ...string) {
	GinkgoHelper()
	guard := sanitize.NewGuard("", fixtures.AccessToken, header)
	for _, text := range texts {
		watcher := guard.Watch("a file")
		_, _ = io.WriteString(watcher, text) // it can't fail
		Expect(watcher.Err()).NotTo(HaveOccurred(), text)
	}
}

// own is the text of the spec that belongs to the program.
const own = "has a spec of its own"

// in are the registered specs that ended in a state.
func (o outcome) in(state types.SpecState) types.SpecReports {
	var list types.SpecReports
	for _, spec := range o.specs {
		if spec.State == state && spec.LeafNodeText != own {
			list = append(list, spec)
		}
	}
	return list
}

// ran reports whether the program's own spec passed.
func (o outcome) ran() bool {
	return slices.ContainsFunc(o.specs, func(s types.SpecReport) bool {
		return s.LeafNodeText == own &&
			s.State == types.SpecStatePassed
	})
}

// rowsOfSpecs are the version and the id of each spec.
func rowsOfSpecs(specs types.SpecReports) []string {
	var list []string
	for _, spec := range specs {
		row, _, _ := strings.Cut(spec.LeafNodeText, ": ")
		list = append(list, row)
	}
	return list
}
