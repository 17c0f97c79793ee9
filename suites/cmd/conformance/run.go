package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/report/terminal"
)

func runCommand(s *app) *cobra.Command {
	update := ""
	cmd := &cobra.Command{
		Use:   runName,
		Short: "Certify a target: send every probe, judge every answer, write the reports",
		Long: `run sends every probe to the target, judges every answer, ` +
			`and writes into the report folder: report.html for people,
report.json and junit.xml for programs, summary.md for a pull request, evidence.har to judge again, and statement.json
to sign. Without a target URL the embedded reference service is the target.`,
		Args: noArguments,
	}
	s.addVerbosity(cmd.Flags())
	cmd.Flags().StringVar(&update, "update-baseline", "",
		"write the results of this run to `FILE`, as the baseline of later runs")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		n, err := bounded.Value(cmd.Context(), 0, func() (*session.Session, error) {
			if err := checkUpdate(update, s.input.MetricsFile(), s.folder); err != nil {
				return nil, err
			}
			n, err := s.prepare(cmd.Context())
			if err == nil && update != "" {
				err = checkBaseline(n.Run)
			}
			return n, err
		})
		if err != nil {
			return err
		}
		result, err := s.carryOut(cmd.Context(), n, update != "")
		if err != nil || update == "" {
			return err
		}
		if err = gate.Write(update, result); err != nil {
			return folder.Reported{Err: err}
		}
		return nil
	}
	return cmd
}

// checkBaseline returns an error if a run can't be a baseline: it has not all rows, or asks no deployed service.
func checkBaseline(r *run.Run) error {
	if err := gate.CheckWhole(r.Ledger.Rows()); err != nil || !r.Settings.Embedded {
		return err
	}
	return fmt.Errorf("%s: the target has no URL, and a baseline is of a deployed service: give --target-url",
		gate.Flag)
}

// checkUpdate returns an error if no baseline may be written to a path, such as that of the metrics; "" means that none
// is.
func checkUpdate(path, metricsFile string, reports *folder.Folder) error {
	switch path {
	case "":
		return nil
	case metricsFile:
		return fmt.Errorf("%s: %s gets the metrics, too: name another file", gate.Flag, path)
	}
	if err := folder.CheckOutside(gate.Flag, path, reports.Dir()); err != nil {
		return err
	}
	return gate.CheckPlace(path)
}

// addVerbosity adds the flags for how much of a run's result is printed.
func (a *app) addVerbosity(flags *pflag.FlagSet) {
	flags.BoolVar(&a.allFindings, "all-findings", false, "print every finding, not only the first of each kind")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "show every spec as Ginkgo runs it, and every finding")
}

// prepare resolves the settings of a run, registers its specs and applies its filters. Without a target it starts the
// embedded reference.
func (a *app) prepare(ctx context.Context) (*session.Session, error) {
	resolved, suite, err := a.resolve()
	if err == nil {
		err = a.startReference(ctx, resolved)
	}
	if err != nil {
		return nil, err
	}
	if a.failed != nil { // not before: the reference knows its other users, too
		a.failed.Narrow(resolved)
	}
	n, err := session.New(resolved, suite, a.folder)
	if err != nil {
		return nil, err
	}
	a.atEnd(n.Close)
	return n, a.registerSpecs(n)
}

// registerSpecs registers the specs of a run.
func (a *app) registerSpecs(n *session.Session) (err error) {
	a.out = n.Out
	a.runSpecs, err = ginkgospecs.Prepare(n.Run, func() *report.Report { return n.Result }, terminal.Coloured(a.stdout))
	return err
}

// carryOut executes a run, or judges one again. It writes the reports and sets the exit code. recorded is true if the
// results become a baseline.
func (a *app) carryOut(ctx context.Context, n *session.Session, recorded bool) (*report.Report, error) {
	if _, err := fmt.Fprintln(a.stdout, n.Heading()); err != nil {
		return nil, a.stdout.Err()
	}
	warning := a.warn(n.Warning())
	progress, stop := a.showProgress(time.Minute)
	err := n.Execute(ctx, progress)
	stop()
	if errors.Is(err, bounded.ErrGivenUp) {
		return nil, err
	}
	if err == nil && a.verbose {
		a.runSpecs()
	}
	if err := n.Write(); err != nil {
		return nil, err
	}
	result, screen := n.Result, a.screen(warning)
	screen.AllFindings = a.verbose || a.allFindings
	report.Print(a.stdout, result, n.Out.Text(a.folder.Dir(), 0), screen)
	annotations := markdown.Annotations
	if recorded && !result.Narrowed() && result.Error == nil {
		annotations = markdown.Recorded
	}
	a.code = exitCode(result.Verdict)
	return result, a.writeAnnotations(result, annotations)
}

// showProgress returns a function that shows a live line on a terminal, and in a log a line after each interval, also
// while the target does not answer: how many requests were sent, and about how long the others take.
func (a *app) showProgress(interval time.Duration) (progress func(done, planned int), stop func()) {
	begun := time.Now()
	if _, is := terminal.Width(a.stderr); is {
		show, remove := terminal.Bar(a.stderr, progressbar.OptionShowCount())
		return func(done, planned int) {
			show("sending"+terminal.Left(time.Since(begun), done, planned), done, planned)
		}, remove
	}
	var sent, of atomic.Int64
	progress = func(done, planned int) { sent.Store(int64(done)); of.Store(int64(planned)) }
	return progress, terminal.Log(a.stderr, interval, interval, func() string {
		done, planned := int(sent.Load()), int(of.Load())
		return fmt.Sprintf("%s of %s done%s", wording.Number(done), wording.Count(planned, "request"),
			terminal.Left(time.Since(begun), done, planned))
	})
}
