// Package program_test uses the public API as other Go programs do. Its test binary is such a program if a variable
// says what it registers; it runs itself as one. And it builds the suite of another module, as README shows it.
package program_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/conformance"
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

func TestRegister(t *testing.T) {
	RegisterFailHandler(Fail)
	if text := os.Getenv(variable); text != "" {
		var p program
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		p.buildSpecs()
		RunSpecs(t, "the program", Label("integration"))
		return
	}
	describePrograms()
	describeDecisions()
	describeFilters()
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
		registered[i].Versions = p.Configs[i].Versions
		if p.Early {
			registered[i] = p.Configs[i]
		}
	}
	register := func() {
		if p.Nil {
			conformance.Register(nil)
		}
		for i := range registered {
			conformance.Register(&registered[i])
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

// buildModule builds the suite of another module.
func buildModule() string {
	dir := GinkgoT().TempDir()
	binary := filepath.Join(dir, "contract.test")
	Expect(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module")))).To(Succeed())
	here := testkit.Must(filepath.Abs(repository))
	// All that this module needs, as it needs it: nothing is looked up, and nothing fetched.
	requires := regexp.MustCompile(`(?m)^(module|tool) .*$`).ReplaceAllString(string(testkit.Read(here, "go.mod")), "")
	testkit.Write(dir, "go.mod", []byte("module contract.example\n"+requires+
		"\nrequire authenticator-conformance v0.0.0\n\nreplace authenticator-conformance => "+strconv.Quote(here)+"\n"))
	testkit.Write(dir, "go.sum", testkit.Read(here, "go.sum"))
	build := exec.Command("go", "test", "-c", "-trimpath", "-vet=off", "-o", binary, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	return binary
}

// repository is the folder of this module.
var repository = filepath.Join("..", "..", "..", "..")

func describeModule() {
	It("The suite of another module is what README shows, green for a right service, and red for a wrong one",
		func(ctx SpecContext) {
			_, snippet, _ := strings.Cut(string(testkit.Read(repository, "README.md")), "```go\n")
			snippet, _, found := strings.Cut(snippet, "```\n")
			Expect(found).To(BeTrue())
			Expect(string(testkit.Read("testdata", "module", "contract_test.go"))).To(ContainSubstring(snippet))

			binary := buildModule()
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
