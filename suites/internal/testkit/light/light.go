// Package light is the part of testkit that needs hardly anything of the suite. Packages that nearly all others import
// use it in their tests: with testkit, Go would compile all that is between them once more for each of these tests.
package light

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests
	. "github.com/onsi/gomega"    //lint:ignore ST1001 as in all tests

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// Specs runs the specs of a package.
func Specs(t *testing.T, name string) {
	RegisterFailHandler(Fail)
	RunSpecs(t, name)
}

// Must returns a value, or fails the spec with the error.
func Must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}

var contract = sync.OnceValues(schemas.Load)

// Contract is the embedded contract, loaded once.
func Contract() *schemas.Contract {
	c, err := contract()
	if err != nil {
		panic(err) // it is part of the program
	}
	return c
}

// Serve serves a handler on a socket until the spec ends.
func Serve(handler http.Handler) *url.URL {
	GinkgoHelper()
	server := httptest.NewServer(handler)
	DeferCleanup(server.Close)
	return Must(url.Parse(server.URL))
}

// Settings are those of a run against a target, for these users, with the token of the fixtures.
func Settings(target *url.URL, users []fixtures.User, changes ...func(*settings.Settings)) *settings.Settings {
	s := &settings.Settings{Targets: map[schemas.Version]*settings.Target{}, Secrets: []string{fixtures.AccessToken},
		Versions: schemas.Versions(), Concurrency: 1, Timeout: 10 * time.Second, Deadline: 10 * time.Minute,
		ParityMode: settings.ParityValue,
		Divergence: settings.DivergenceReport}
	for _, v := range s.Versions {
		s.Targets[v] = &settings.Target{URL: target, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID}
	}
	for _, u := range users {
		s.Users = append(s.Users, exchange.User(u))
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

// EachTarget returns a change of settings: of the target of each version.
func EachTarget(change func(*settings.Target)) func(*settings.Settings) {
	return func(s *settings.Settings) {
		for _, t := range s.Targets {
			change(t)
		}
	}
}

// Write writes a file into a folder, or anew, and returns its path.
func Write(dir, name string, content []byte) string {
	GinkgoHelper()
	path := filepath.Join(dir, name)
	Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
	return path
}

// Read returns the content of a file.
func Read(path ...string) []byte {
	GinkgoHelper()
	return Must(os.ReadFile(filepath.Join(path...)))
}
