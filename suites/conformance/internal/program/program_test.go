// Package program_test uses the public API as other Go programs do. Its test binary is such a program if a variable
// says what it registers; it runs itself as one. And it builds the suite of another module, as README shows it.
package program_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
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

// variable holds the program that the test binary is to be, as JSON.
const variable = "CONFORMANCE_TEST_PROGRAM"

// program is a suite that registers configs.
type program struct {
	Configs []conformance.Config
	// CA is a certificate that all of them trust, PEM. Unverified makes them verify nothing.
	CA         string
	Unverified bool
	// Early gives the configs to Register; else BeforeSuite fills them.
	Early bool
	// Within is the container in which the configs are registered; "" means none.
	Within string
	// Nil registers no config at all.
	Nil bool
}

// applyChange changes a program and its config as the JSON text of a table says.
func (p *program) applyChange(change string) {
	GinkgoHelper()
	change = strings.NewReplacer("$token", fixtures.AccessToken, "$soon",
		time.Now().AddDate(0, 1, 0).Format(time.RFC3339)).Replace(change)
	Expect(json.Unmarshal([]byte(change), p)).To(Succeed())
	Expect(json.Unmarshal([]byte(change), &p.Configs[0])).To(Succeed())
}

func TestRegister(t *testing.T) {
	RegisterFailHandler(Fail)
	if text := os.Getenv(variable); text != "" {
		var p program
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		p.buildSpecs()
		RunSpecs(t, "the program", Label("integration"))
		log.Print("ended \x1b[0m") // the logger is again as it was
		return
	}
	describePrograms()
	describeReports()
	describeModule()
	RunSpecs(t, "Register")
}

// own is the text of the spec that belongs to the program.
const own = "has a spec of its own"

// buildSpecs makes the specs of a program.
func (p program) buildSpecs() {
	registered := make([]conformance.Config, len(p.Configs))
	for i := range p.Configs {
		if p.CA != "" || p.Unverified {
			p.Configs[i].TLS = &tls.Config{RootCAs: x509.NewCertPool(), InsecureSkipVerify: p.Unverified}
			p.Configs[i].TLS.RootCAs.AppendCertsFromPEM([]byte(p.CA))
		}
		if p.Early {
			registered[i] = p.Configs[i]
		}
	}
	register := func() {
		if p.Nil {
			conformance.Register(nil)
			return
		}
		for i := range registered {
			if !conformance.Register(&registered[i]) {
				panic("Register did not return true")
			}
		}
	}
	if p.Within == "" {
		register()
	} else {
		Describe(p.Within, register)
	}
	BeforeSuite(func() { copy(registered, p.Configs) })
	It(own, func() {})
}

// repository is the folder of this module.
var repository = filepath.Join("..", "..", "..", "..")

func describeModule() {
	// make oracles runs it, because it compiles the suite again: to Go it is a package of another module's version.
	It("The suite of another module is what README shows, green for a right service, and red for a wrong one",
		Label("module"), func(ctx SpecContext) {
			_, snippet, _ := strings.Cut(string(testkit.Read(repository, "README.md")), "```go\n")
			snippet, _, found := strings.Cut(snippet, "```\n")
			Expect(found).To(BeTrue())
			Expect(string(testkit.Read("testdata", "module", "contract_test.go"))).To(ContainSubstring(snippet))

			dir := GinkgoT().TempDir()
			binary := filepath.Join(dir, "contract.test")
			Expect(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module")))).To(Succeed())
			here := testkit.Must(filepath.Abs(repository))
			// All that this module needs, as it needs it: nothing is looked up, and nothing fetched.
			requires := regexp.MustCompile(`(?m)^(module|tool) .*$`).ReplaceAll(testkit.Read(here, "go.mod"), nil)
			testkit.Write(dir, "go.mod", []byte("module contract.example\n"+string(requires)+"\nrequire "+
				"authenticator-conformance v0.0.0\n\nreplace authenticator-conformance => "+strconv.Quote(here)+"\n"))
			testkit.Write(dir, "go.sum", testkit.Read(here, "go.sum"))
			build := exec.Command("go", "test", "-c", "-trimpath", "-vet=off", "-o", binary, ".")
			build.Dir = dir
			build.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GOWORK=off",
				"CGO_ENABLED=0")
			output, err := build.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(output))

			for mutant, failed := range map[string]OmegaMatcher{"": BeEmpty(), "created-on-as-rfc-1123-v6": And(
				ContainElement("v6 2.1/CreatedOn"), Not(ContainElement(HavePrefix("v5 "))))} {
				o := startSuite(ctx, binary, nil, "SERVICE_URL="+serveService(mutant).url,
					"SERVICE_TOKEN="+fixtures.AccessToken)
				Expect(o.code == 0).To(Equal(mutant == ""), o.output)
				Expect(o.rowsIn(types.SpecStateFailed)).To(failed)
				Expect(o.left).To(BeEmpty())
			}
		})
}

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

// configFor is right for a service that takes the credentials of package fixtures.
func configFor(url string) conformance.Config {
	c := conformance.Config{
		TargetURL: url, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID,
		Header: http.Header{"X-Gateway-Key": {header}},
	}
	for _, u := range kit.Users() {
		c.Users = append(c.Users, conformance.User{ID: u.ID, UserID: u.UserID, NotEnrolled: !u.Enrolled})
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
func runConfig(ctx context.Context, config conformance.Config) outcome {
	GinkgoHelper()
	return runProgram(ctx, program{Configs: []conformance.Config{config}})
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
