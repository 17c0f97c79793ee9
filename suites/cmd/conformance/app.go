package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/command/lastfailed"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/report/terminal"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
)

// The exit codes.
const (
	exitPass         = 0
	exitFail         = 1
	exitError        = 2
	exitInconclusive = 3
	exitStopped      = 4 // a signal stopped a sweep; it has no verdict and can be resumed with --resume
	exitRefused      = 5 // the target refuses a sweep's token or settings; to start it again changes nothing
)

// The names of the commands that write reports.
const (
	runName   = "run"
	sweepName = "sweep"
	judgeName = "judge"
	mergeName = "merge"
)

// app has the inputs and outputs of a command.
type app struct {
	program       string // how the program is called, quoted for a shell
	args, environ []string
	stdin         io.Reader
	stdout        *terminal.Printer
	stderr        io.Writer
	input         *settings.Input                           // the settings that were given, not yet validated
	suite         func() (*conformance.Requirements, error) // loads the embedded contract, once
	folder        *folder.Folder                            // the report folder; nil for a command without reports
	kind          folder.Kind                               // what the command leaves in its folder without a result
	dir           string                                    // the path of the report folder; "" if there is none
	ended         *report.Document                          // the report of a command that ended without a result
	failed        *lastfailed.Selection                     // what --last-failed selects in a run; nil: everything
	failedUsers   []users.Row                               // whom --last-failed selects in a sweep; nil: everybody
	runSpecs      func()                                    // of a run, registered and filtered
	verbose       bool                                      // print every spec, as Ginkgo runs it, and every finding
	allFindings   bool                                      // print every finding, not only the first of each kind
	out           *sanitize.Output                          // the way out; nil until it is known
	code          int                                       // exit code, set by the command
	opened        []func()                                  // close what the command opened
}

// atEnd adds what is done at the end of the command, before a report says that it failed.
func (a *app) atEnd(do func()) { a.opened = append(a.opened, do) }

func (a *app) close() {
	for _, do := range slices.Backward(a.opened) {
		do()
	}
}

// text returns an error as it may be shown.
func (a *app) text(err error) string { return a.wayOut().ErrorLines(err) }

// wayOut returns the way out. Until the settings are known to be right it is one for the secrets that were given, as
// each may be in the wrong setting.
func (a *app) wayOut() *sanitize.Output {
	if a.out == nil {
		given := a.input
		if given == nil {
			given = settings.Read(settings.Run, nil, a.args, a.environ)
		}
		a.out = sanitize.Of(given.Secrets()...)
	}
	return a.out
}

// warn prints a warning before anything is sent, unless it is "", and returns it.
func (a *app) warn(warning string) string {
	if warning != "" {
		fmt.Fprintf(a.stderr, "warning: %s\n", warning)
	}
	return warning
}

// writeAnnotations writes a report for GitHub Actions: the step summary, and annotations on standard output.
func (a *app) writeAnnotations(r *report.Report, annotations func(*report.Document) string) error {
	if markdown.OnGitHub(a.environ) {
		_, _ = a.stdout.Write([]byte(annotations(r.Document()))) // the printer keeps the error
	}
	return a.writeStepSummary(r.Document())
}

// writeStepSummary writes the step summary of GitHub Actions. If it can't be written, the reports stay.
func (a *app) writeStepSummary(d *report.Document) error {
	if err := markdown.StepSummary(a.environ, markdown.Render(d)); err != nil {
		return folder.Reported{Err: err}
	}
	return nil
}

// screen returns how results are printed. said is a warning that was printed before.
func (a *app) screen(said string) report.Screen {
	width, _ := terminal.Width(a.stdout)
	s := report.Screen{Colours: terminal.Coloured(a.stdout), Width: width, Said: said, Program: a.program}
	switch {
	case markdown.OnGitHub(a.environ):
		s.Folds = report.GitHub
	case markdown.OnGitLab(a.environ):
		s.Folds = report.GitLab
	}
	return s
}

func exitCode(v ledger.Verdict) int {
	switch v {
	case ledger.Pass:
		return exitPass
	case ledger.Fail:
		return exitFail
	case ledger.Inconclusive:
		return exitInconclusive
	default:
		return exitError
	}
}

// oneArgument accepts exactly one argument. usage says what it is, with an example.
func oneArgument(usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s; %d were given", usage, len(args))
		}
		return nil
	}
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
	if err != nil {
		return nil, suite, err
	}
	a.out = session.WayOut(resolved, suite)
	for _, caution := range resolved.Cautions {
		a.warn(a.out.Text(caution, 0))
	}
	return resolved, suite, nil
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
// credentials and users.
func (a *app) startReference(ctx context.Context, s *settings.Settings) error {
	if !s.Embedded {
		return nil
	}
	server, err := reference.Listen(context.WithoutCancel(ctx), referenceOf(s.Users), "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the embedded reference: %w", err)
	}
	a.atEnd(func() { _ = server.Stop() }) // an error can't change the verdict
	base, err := url.Parse(server.URL)
	if err != nil {
		return fmt.Errorf("defect of the suite: the reference listens at %q: %w", server.URL, err)
	}
	for _, t := range s.Targets {
		t.URL = base
	}
	return nil
}
