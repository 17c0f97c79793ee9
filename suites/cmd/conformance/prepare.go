package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/pflag"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

const suiteName = "Authenticator API conformance"

// prepared is a run that is ready to be carried out: settings judged, specs registered, filters applied.
type prepared struct {
	run      *run.Run
	suite    types.SuiteConfig
	reporter types.ReporterConfig
	baseline *report.Report // to gate against; nil where none is set
	close    func()
}

// prepare resolves the settings and registers the specs. Where no target is given, the embedded reference is started.
func prepare(ctx context.Context, s *surroundings, flags *pflag.FlagSet) (*prepared, error) {
	contract, err := s.contract()
	if err != nil {
		return nil, err
	}
	defaults, err := embeddedDefaults()
	if err != nil {
		return nil, err
	}
	resolved, err := settings.Resolve(flags, s.environ, defaults, contract, time.Now())
	if err != nil {
		return nil, err
	}
	if err := checkFilters(resolved, conformance.KnownLabels(contract)); err != nil {
		return nil, err
	}
	p := &prepared{close: func() {}}
	if resolved.Embedded {
		if err := p.startReference(ctx, resolved); err != nil {
			return nil, err
		}
	}
	p.run = run.New(resolved, contract, report.Version)
	if resolved.Baseline != "" {
		if p.baseline, err = gate.Read(resolved.Baseline, contract); err == nil {
			err = gate.Cover(resolved.Baseline, p.baseline, p.run.Ledger.Rows())
		}
		if err != nil {
			p.close()
			return nil, err
		}
	}
	conformance.Specs(p.run)
	p.suite, p.reporter = ginkgo.GinkgoConfiguration()
	p.suite.LabelFilter = resolved.LabelFilter
	if resolved.Focus != "" {
		p.suite.FocusStrings = []string{resolved.Focus}
	}
	p.reporter.Succinct, p.reporter.NoColor = true, !coloured(s.stdout)
	if resolved.LabelFilter != "" || resolved.Focus != "" {
		selected := conformance.Selected(ginkgo.PreviewSpecs(suiteName, p.suite, p.reporter))
		if len(selected) == 0 {
			p.close()
			return nil, fmt.Errorf("the filter selects nothing: --label-filter %q, --focus %q; see the ids with: conformance requirements", resolved.LabelFilter, resolved.Focus)
		}
		p.run.Select(selected)
	}
	return p, nil
}

func embeddedDefaults() (settings.Defaults, error) {
	users, err := fixtures.Users()
	if err != nil {
		return settings.Defaults{}, fmt.Errorf("defect of the suite: the embedded users do not load: %w", err)
	}
	d := settings.Defaults{AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	for _, u := range users {
		d.Users = append(d.Users, settings.User(u))
	}
	return d, nil
}

// startReference makes the embedded reference the target, over the users and with the credentials of the settings.
func (p *prepared) startReference(ctx context.Context, s *settings.Settings) error {
	users := make([]fixtures.User, len(s.Users))
	for i, u := range s.Users {
		users[i] = fixtures.User(u)
	}
	handler := reference.New(reference.Options{Users: users, AccessToken: s.AccessToken, ApplicationID: s.ApplicationID})
	server, err := reference.Listen(context.WithoutCancel(ctx), handler, "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the embedded reference: %w", err)
	}
	p.close = func() { _ = server.Stop() } // the verdict stands; the process ends with it
	base, err := url.Parse(server.URL)
	if err != nil {
		return fmt.Errorf("defect of the suite: the reference listens at %q: %w", server.URL, err)
	}
	s.URLs = map[schemas.Version]*url.URL{}
	for _, v := range s.Versions {
		s.URLs[v] = base
	}
	return nil
}

// heading says what is about to be judged.
func (p *prepared) heading() string {
	s := p.run.Settings
	text := fmt.Sprintf("%s %s, contract %.19s…\n", report.Name, report.Version, p.run.Contract.Digest)
	for _, v := range s.Versions {
		text += fmt.Sprintf("%s at %s", v, p.run.Client.Secrets().Show(s.URLs[v].String(), 0))
		if s.Embedded {
			text += " (the embedded reference service)"
		}
		text += "\n"
	}
	return text + fmt.Sprintf("%d users, %d requests planned, run %s\n", len(s.Users), len(p.run.Plan()), p.run.ID)
}
