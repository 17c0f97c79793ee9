package program_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
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
	"authenticator-conformance/suites/internal/testkit"
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
	s.url = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is broken is none of the suite's requests
		var fields struct{ AccessToken string }
		_ = json.Unmarshal(body, &fields)
		s.mu.Lock()
		s.calls = append(s.calls, call{r.URL.Path, fields.AccessToken})
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	})).String()
	return s
}

// sentCalls returns the requests so far.
func (s *service) sentCalls() []call {
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
	specs  types.SpecReports // the registered ones
	ranOwn bool              // the program's own spec passed
	// left are the files in the folders that it had to itself.
	left []string
}

// runProgram runs a program in a process of its own, with flags of Ginkgo.
func runProgram(ctx context.Context, p program, flags ...string) outcome {
	GinkgoHelper()
	//lint:ignore SA1026 TLS, which has functions, is nil here: the program makes its own of CA
	text := testkit.Must(json.Marshal(p))
	return startSuite(ctx, testkit.Must(os.Executable()), flags, variable+"="+string(text))
}

// runConfig runs a program with one config.
func runConfig(ctx context.Context, config conformance.Config, flags ...string) outcome {
	GinkgoHelper()
	return runProgram(ctx, program{Configs: []conformance.Config{config}}, flags...)
}

// startSuite runs a suite and takes what it leaves. No secret may be in it. It takes seconds, unless it hangs.
func startSuite(ctx context.Context, binary string, flags []string, environ ...string) outcome {
	GinkgoHelper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	reports, work := GinkgoT().TempDir(), GinkgoT().TempDir()
	cmd := exec.CommandContext(ctx, binary, append([]string{"-ginkgo.v", "-ginkgo.no-color", "-ginkgo.json-report=" +
		filepath.Join(reports, "json"), "-ginkgo.junit-report=" + filepath.Join(reports, "xml")}, flags...)...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), append(environ, "TMPDIR="+work)...)
	output, err := cmd.CombinedOutput()
	o := outcome{code: cmd.ProcessState.ExitCode(), output: string(output)}
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) {
		Expect(err).NotTo(HaveOccurred(), o.output)
	}
	content := testkit.Read(reports, "json")
	o.junit = string(testkit.Read(reports, "xml"))
	expectNoSecret(o.output, string(content), o.junit)
	var suites []types.Report
	Expect(json.Unmarshal(content, &suites)).To(Succeed())
	Expect(suites).To(HaveLen(1))
	for _, spec := range suites[0].SpecReports {
		o.ranOwn = o.ranOwn || spec.LeafNodeText == own && spec.State == types.SpecStatePassed
		if spec.LeafNodeType == types.NodeTypeIt && spec.LeafNodeText != own {
			o.specs = append(o.specs, spec)
		}
	}
	for _, entry := range testkit.Must(os.ReadDir(work)) {
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

// inState returns the registered specs that ended in a state.
func (o outcome) inState(state types.SpecState) types.SpecReports {
	return slices.DeleteFunc(slices.Clone(o.specs), func(s types.SpecReport) bool { return s.State != state })
}

// rowOf returns the version and the id of a spec.
func rowOf(spec types.SpecReport) string {
	row, _, _ := strings.Cut(spec.LeafNodeText, ": ")
	return row
}

// rowsIn returns the version and the id of each spec that ended in a state.
func (o outcome) rowsIn(state types.SpecState) (rows []string) {
	for _, spec := range o.inState(state) {
		rows = append(rows, rowOf(spec))
	}
	return rows
}
