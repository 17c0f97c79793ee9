package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ginkgospecs"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/wording"
)

const suiteName = "Authenticator API conformance"

// preparedRun is a run that is ready to execute: settings validated, specs registered, filters applied.
type preparedRun struct {
	run         *run.Run
	suite       types.SuiteConfig
	reporter    types.ReporterConfig
	baseline    *report.Report // the baseline to compare with, or nil
	judgedAgain bool           // the evidence is judged again; no request is sent
	close       func()
	app         *app
	result      *report.Report // once the run has ended
}

// prepare resolves the settings and registers the specs. Without a target it starts the embedded reference. kept, if
// not nil, records the exchanges.
func prepare(ctx context.Context, s *app, kept *evidence.Writer) (*preparedRun, error) {
	resolved, suite, err := s.resolve()
	if err != nil {
		return nil, err
	}
	if err := ginkgospecs.CheckFilters(resolved, ginkgospecs.KnownLabels(suite.Contract)); err != nil {
		return nil, err
	}
	p := &preparedRun{close: func() {}, app: s}
	if resolved.Embedded {
		if p.close, err = startReference(ctx, resolved, resolved.Users); err != nil {
			return nil, err
		}
	}
	var recorder target.Recorder
	if kept != nil {
		recorder = kept
	}
	p.run = run.New(resolved, suite, report.Version, recorder)
	if err := p.register(s, resolved.Baseline); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// register reads the baseline, registers the specs, and reduces the run to those that match the filters.
func (p *preparedRun) register(s *app, baseline string) (err error) {
	if baseline != "" {
		if p.baseline, err = gate.Read(baseline, p.run.Contract); err == nil {
			err = gate.CheckCoverage(baseline, p.baseline, p.run.Ledger.Rows())
		}
		if err != nil {
			return err
		}
	}
	specs := ginkgospecs.Register(p.run, func() *report.Report { return p.result })
	in := p.run.Settings
	p.suite, p.reporter = ginkgo.GinkgoConfiguration()
	p.suite.LabelFilter = in.LabelFilter
	if in.Focus != "" {
		p.suite.FocusStrings = []string{in.Focus}
	}
	p.reporter.Verbose, p.reporter.NoColor = true, !coloured(s.stdout)
	if in.LabelFilter != "" || in.Focus != "" {
		selected := specs.Selected(ginkgo.PreviewSpecs(suiteName, p.suite, p.reporter))
		if len(selected) == 0 {
			return fmt.Errorf("the filter selects nothing: --label-filter %q, --focus %q; see the ids with: "+
				"conformance requirements", in.LabelFilter, in.Focus)
		}
		p.run.Select(selected)
	}
	return nil
}

// resolve validates the settings that were given, by the embedded contract.
func (a *app) resolve() (*settings.Settings, *conformance.Requirements, error) {
	suite, err := a.suite()
	if err != nil {
		return nil, nil, err
	}
	users, err := embeddedUsers()
	if err != nil {
		return nil, nil, err
	}
	defaults := settings.Defaults{AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID,
		Users: users}
	resolved, err := a.input.Resolve(defaults, suite.Contract, time.Now())
	if err == nil {
		a.out = wayOut(resolved, suite)
	}
	return resolved, suite, err
}

func embeddedUsers() (list []settings.User, err error) {
	users, err := fixtures.Users()
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the embedded users do not load: %w", err)
	}
	for _, u := range users {
		list = append(list, settings.User(u))
	}
	return list, nil
}

// startReference starts the embedded reference and makes it the target, with the credentials of the settings and the
// known users.
func startReference(ctx context.Context, s *settings.Settings, known []settings.User) (stop func(), err error) {
	users := make([]fixtures.User, len(known))
	for i, u := range known {
		users[i] = fixtures.User(u)
	}
	handler := reference.New(reference.Options{Users: users, AccessToken: s.AccessToken,
		ApplicationID: s.ApplicationID})
	server, err := reference.Listen(context.WithoutCancel(ctx), handler, "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the embedded reference: %w", err)
	}
	base, err := url.Parse(server.URL)
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the reference listens at %q: %w", server.URL, err)
	}
	s.URLs = map[schemas.Version]*url.URL{}
	for _, v := range s.Versions {
		s.URLs[v] = base
	}
	return func() { _ = server.Stop() }, nil // an error can't change the verdict, and the process ends soon
}

// heading returns the lines that describe what is tested.
func (p *preparedRun) heading() string {
	s := p.run.Settings
	text := report.Heading(p.run.Contract.Digest, p.app.out.Texts(p.run.Targets()), s.Embedded, p.app.out.Hides())
	work := wording.Count(p.run.Planned(), "request") + " planned"
	if p.judgedAgain {
		work = fmt.Sprintf("judged again as of %s", p.run.Started.Format(time.RFC3339))
	}
	return text + fmt.Sprintf("%s, %s, run %s\n", wording.Count(len(s.Users), "user"), work, p.run.ID)
}
