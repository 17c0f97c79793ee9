package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/summary"
)

// outcome is where a run's exchanges are found once it has been carried out, and when it ended.
type outcome struct {
	shelf    evidence.Shelf
	finished func() time.Time
	archive  func(w io.Writer, finished time.Time, err error) error
	guard    *redact.Guard
}

// carryOut carries a run out, or judges one again, and leaves its reports and the exit code.
func (p *prepared) carryOut(ctx context.Context, s *surroundings, verbose bool, o outcome) (*report.Report, error) {
	fmt.Fprintln(s.stdout, p.heading())
	stop := showProgress(p.run, s.stderr)
	err := p.run.Execute(ctx)
	stop()
	if err == nil {
		err = p.runSpecs(verbose)
	}
	finished := o.finished()
	result := report.Of(p.run, finished, err)
	if p.baseline != nil {
		gate.Compare(p.baseline, result, p.run.Settings.Divergence == settings.DivergenceFail)
	}
	content := folder.Content{Report: result, Shelf: o.shelf, Guard: o.guard,
		Archive: func(w io.Writer) error { return o.archive(w, finished, err) }}
	if err := s.folder.Write(content); err != nil {
		return nil, err
	}
	report.Print(s.stdout, p.run, result, s.folder.Dir(), coloured(s.stdout))
	if err := s.tellCI(result); err != nil {
		return nil, err
	}
	s.code = exitCode(result.Verdict)
	return result, nil
}

// tellCI leaves a report where GitHub Actions shows it: the step's summary, and annotations on the standard output.
func (s *surroundings) tellCI(r *report.Report) error {
	if summary.OnGitHub(s.environ) {
		fmt.Fprint(s.stdout, summary.Annotations(r))
	}
	return summary.StepSummary(s.environ, summary.Of(r))
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

// guardOf looks for the secrets of a run in all files that it writes: but not for those that the catalogue, the schemas and the
// suite's name have in them, and, of extra headers, not for values that are made of words, such as application/json.
func guardOf(s *settings.Settings) (*redact.Guard, error) {
	var own strings.Builder
	files := schemas.Files()
	names, err := fs.Glob(files, "*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		own.Write(content)
	}
	own.WriteString(report.Name + "/" + report.Version)
	var secrets []string
	for _, secret := range s.Secrets {
		wordy := strings.IndexFunc(secret, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("/-._, ;=*", r) }) < 0
		if !wordy || secret == s.AccessToken {
			secrets = append(secrets, secret)
		}
	}
	return redact.NewGuard(own.String(), secrets...), nil
}
