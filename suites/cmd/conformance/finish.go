package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/summary"
)

// outcome has the exchanges of a finished run and its archive.
type outcome struct {
	store    evidence.Store
	archive  func(w io.Writer, err error) error
	recorded bool // its results become a baseline
}

// verbosity is how much of a run's result is printed.
type verbosity struct {
	specs       bool // every spec, as Ginkgo runs it
	allFindings bool // every finding, not only the first of each kind
}

func (v *verbosity) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&v.allFindings, "all-findings", false, "print every finding, not only the first of each kind")
	flags.BoolVarP(&v.specs, "verbose", "v", false, "show every spec as Ginkgo runs it, and every finding")
}

// carryOut executes a run, or judges one again. It writes the reports and sets the exit code.
func (p *preparedRun) carryOut(ctx context.Context, s *app, show verbosity, o outcome) (*report.Report, error) {
	if _, err := fmt.Fprintln(s.stdout, p.heading()); err != nil {
		return nil, s.stdout.err()
	}
	warning := ""
	if !p.judgedAgain {
		warning = s.warn(p.app.out.Text(p.run.UnencryptedWarning(), 0))
	}
	stop := showProgress(p.run, s.stderr)
	err := p.run.Execute(ctx)
	stop()
	if errors.Is(err, engine.ErrGivenUp) {
		return nil, err
	}
	result := report.New(p.run, p.app.out, err)
	p.result = result
	if p.baseline != nil {
		gate.Compare(p.baseline, result, p.run.Settings.Divergence == settings.DivergenceFail)
	}
	if err == nil && show.specs {
		p.runSpecs()
	}
	content := folder.Content{Report: result, Store: o.store, Guard: p.app.out.Guard(),
		Archive: func(w io.Writer) error { return o.archive(w, err) }}
	if err := s.folder.Write(content); err != nil {
		return nil, err
	}
	report.Print(s.stdout, result, p.app.out.Text(s.folder.Dir(), 0),
		report.Screen{Colours: coloured(s.stdout), AllFindings: show.specs || show.allFindings, Width: columns(s.stdout),
			Folds: s.foldStyle(), Said: warning})
	annotations := summary.Annotations
	if o.recorded && result.Complete && result.Error == nil {
		annotations = summary.Recorded
	}
	if err := s.writeAnnotations(result, annotations); err != nil {
		return nil, err
	}
	s.code = exitCode(result.Verdict)
	return result, nil
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
	if summary.OnGitHub(a.environ) {
		fmt.Fprint(a.stdout, annotations(r.Document()))
	}
	return summary.StepSummary(a.environ, summary.Render(r.Document()))
}

// foldStyle returns how the CI's log collapses long output.
func (a *app) foldStyle() report.Folds {
	switch {
	case summary.OnGitHub(a.environ):
		return report.GitHub
	case summary.OnGitLab(a.environ):
		return report.GitLab
	}
	return report.NoFolds
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
