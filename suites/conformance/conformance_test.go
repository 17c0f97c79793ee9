package conformance_test

import (
	"context"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// TestConformance runs the specs as an ordinary Ginkgo suite, against the target that the AUTHN_ variables name, else
// against the embedded reference:
//
//	go test ./suites/conformance -ginkgo.v -ginkgo.label-filter 'v5 && read'
func TestConformance(t *testing.T) {
	RegisterFailHandler(Fail)
	r, err := prepareRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	specs := ginkgospecs.Register(r, sync.OnceValue(func() *report.Report {
		out := sanitize.New(r.Settings, r.Contract, report.Name)
		err := r.Execute(t.Context(), nil)
		if err != nil {
			AbortSuite("the run could not be carried out: " + out.Error(err))
		}
		return report.New(r.Result(err), out)
	}))
	suite, reporter := GinkgoConfiguration()
	if suite.LabelFilter != "" || len(suite.FocusStrings)+len(suite.SkipStrings) > 0 {
		r.Select(ginkgospecs.Selected(specs, suite, "conformance "+ginkgospecs.Container, nil))
	}
	RunSpecs(t, "conformance", suite, reporter)
}

// prepareRun starts the embedded reference if the variables name no target.
func prepareRun(ctx context.Context) (*run.Run, error) {
	known, err := fixtures.Users()
	if err != nil {
		return nil, err
	}
	defaults := settings.Defaults{AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	for _, u := range known {
		defaults.Users = append(defaults.Users, exchange.User(u))
	}
	s, err := settings.Read(settings.Run, nil, nil, os.Environ()).Resolve(defaults, testkit.Contract(), time.Now())
	if err != nil {
		return nil, err
	}
	if s.Embedded {
		handler := reference.New(reference.Options{Users: known, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID})
		server, err := reference.Listen(ctx, handler, "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		base, err := url.Parse(server.URL)
		if err != nil {
			return nil, err
		}
		for _, t := range s.Targets {
			t.URL = base
		}
	}
	return run.New(s, testkit.Suite(), "go test", run.Input{}), nil
}
