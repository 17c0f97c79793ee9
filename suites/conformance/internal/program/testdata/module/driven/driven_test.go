// Package driven_test is a suite that does what a variable tells it: register configs that are right or wrong.
package driven_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/conformance"
)

// variable holds the program that is to run, as JSON.
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

func TestProgram(t *testing.T) {
	var p program
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &p); err != nil {
		t.Fatal(err)
	}
	for i := range p.Configs {
		p.Configs[i].TLS = p.tls()
	}
	registered := make([]conformance.Config, len(p.Configs))
	for i, config := range p.Configs {
		registered[i].Versions = config.Versions
		if p.Early {
			registered[i] = config
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
	It("has a spec of its own", func() {})
	RegisterFailHandler(Fail)
	RunSpecs(t, "the program", Label("integration"))
}

func (p program) tls() *tls.Config {
	if p.CA == "" && !p.Unverified {
		return nil
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), InsecureSkipVerify: p.Unverified}
	config.RootCAs.AppendCertsFromPEM([]byte(p.CA))
	return config
}
