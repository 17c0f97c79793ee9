// Package suite_test runs the specs of a sweep as an ordinary Ginkgo suite. It has a folder to itself: a test process
// can run one Ginkgo suite, and that of the folder above tests the sweep itself.
package suite_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep"
)

// TestSweep sweeps the population that the AUTHN_ variables name at the target that they name, else the users of the
// embedded reference there:
//
//	AUTHN_REPORT_DIR=/reports AUTHN_USERS=/users.ndjson AUTHN_TARGET_URL=… go test ./suites/sweep/suite -ginkgo.v
//
// Without AUTHN_REPORT_DIR the findings are not kept.
func TestSweep(t *testing.T) {
	RegisterFailHandler(Fail)
	w, err := prepareSweep(t)
	if err != nil {
		t.Fatal(err)
	}
	registerSpecs(w)
	suite, reporter := GinkgoConfiguration()
	RunSpecs(t, "sweep", suite, reporter)
	// A spec that leaves open what it is about is skipped, and Ginkgo calls that a success: a sweep that proves nothing
	// is none.
	if s := w.Summary(time.Now(), nil); s.Verdict == ledger.Inconclusive {
		t.Errorf("the sweep is inconclusive: %s", s.Reason)
	}
}

func prepareSweep(t *testing.T) (*sweep.Sweep, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, err
	}
	known, err := fixtures.Users()
	if err != nil {
		return nil, err
	}
	defaults := settings.Defaults{AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	for _, u := range known {
		defaults.Users = append(defaults.Users, exchange.User(u))
	}
	s, err := settings.Read(settings.Sweep, nil, nil, os.Environ()).Resolve(defaults, contract, time.Now())
	if err != nil {
		return nil, err
	}
	if _, kept := os.LookupEnv("AUTHN_REPORT_DIR"); !kept {
		s.ReportDir = t.TempDir()
	} else if err := os.MkdirAll(s.ReportDir, 0o755); err != nil {
		return nil, err
	}
	if s.Embedded {
		if err := embedReference(t.Context(), s, known); err != nil {
			return nil, err
		}
	}
	o := sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}}
	requirements, err := conformance.Specification(contract)
	if err != nil {
		return nil, err
	}
	return sweep.New(s, requirements, o, sweep.Input{Stdin: os.Stdin}), nil
}

// embedReference makes the embedded reference the target, over the users that it knows.
func embedReference(ctx context.Context, s *settings.Settings, known []fixtures.User) error {
	if s.UsersFile != "" {
		return fmt.Errorf("AUTHN_USERS: %s was given without a target, and the embedded reference knows its own users "+
			"only: name a target by AUTHN_TARGET_URL", s.UsersFile)
	}
	handler := reference.New(reference.Options{Users: known, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
	server, err := reference.Listen(ctx, handler, "127.0.0.1:0")
	if err != nil {
		return err
	}
	base, err := url.Parse(server.URL)
	if err != nil {
		return err
	}
	for _, t := range s.Targets {
		t.URL = base
	}
	return nil
}
