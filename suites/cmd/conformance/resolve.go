package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

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
		a.out = session.WayOut(resolved, suite)
		for _, caution := range resolved.Cautions {
			a.warn(a.out.Text(caution, 0))
		}
	}
	return resolved, suite, err
}

func embeddedUsers() (list []exchange.User, err error) {
	users, err := fixtures.Users()
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the embedded users do not load: %w", err)
	}
	for _, u := range users {
		list = append(list, exchange.User(u))
	}
	return list, nil
}

// referenceOf returns the embedded reference with some users.
func referenceOf(known []exchange.User) http.Handler {
	o := reference.Options{AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	for _, u := range known {
		o.Users = append(o.Users, fixtures.User(u))
	}
	return reference.New(o)
}

// startReference starts the embedded reference, if the settings have no target, and makes it the target, with their
// credentials and the known users.
func startReference(ctx context.Context, s *settings.Settings, known []exchange.User) (stop func(), err error) {
	if !s.Embedded {
		return func() {}, nil
	}
	server, err := reference.Listen(context.WithoutCancel(ctx), referenceOf(known), "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the embedded reference: %w", err)
	}
	base, err := url.Parse(server.URL)
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the reference listens at %q: %w", server.URL, err)
	}
	for _, t := range s.Targets {
		t.URL = base
	}
	return func() { _ = server.Stop() }, nil // an error can't change the verdict, and the process ends soon
}
