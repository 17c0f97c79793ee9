package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/summary"
	"authenticator-conformance/suites/sweep"
)

const sweepName = "sweep"

func sweepCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   sweepName,
		Short: "Compare v5 and v6 for every user of a population",
		Long: `sweep sends the four well-formed requests for every user of a file, judges each answer by the contract and compares
the versions, in memory that does not depend on how many users there are. Each finding is a line of findings.ndjson
at once; sweep.json and sweep.html say what became of everybody, differences.csv lists who differs. A sweep that was
stopped, however it was, continues with --resume. Exit codes: 0 all alike and within the contract, 1 a difference
or a broken contract, 2 error, also of a sweep whose budget or deadline was spent, 3 users who could not be compared,
4 stopped by a signal.`,
		Args: noArguments,
	}
	settings.AddFlags(settings.Sweep, cmd.Flags())
	flags := sweep.AddFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		options, err := flags.Options(s.environ)
		if err != nil {
			return err
		}
		var stop func()
		w, err := engine.Value(cmd.Context(), 0, func() (w *sweep.Sweep, err error) {
			w, stop, err = prepareSweep(cmd.Context(), s, options)
			return w, err
		})
		if err != nil {
			return err
		}
		defer stop()
		return s.sweep(cmd.Context(), w)
	}
	return cmd
}

// prepareSweep resolves the settings of a sweep. Without a target it starts the embedded reference.
func prepareSweep(ctx context.Context, s *app, o sweep.Options) (w *sweep.Sweep, stop func(), err error) {
	resolved, suite, err := s.resolve()
	if err != nil {
		return nil, nil, err
	}
	known, err := embeddedUsers()
	if err != nil {
		return nil, nil, err
	}
	resolved.ReportDir = s.folder.Dir() // with the shard's number, if the setting has {shard}
	stop = func() {}
	if resolved.Embedded {
		if stop, err = startReference(ctx, resolved, known); err != nil {
			return nil, nil, err
		}
	}
	return sweep.New(resolved, suite, o, sweep.Input{Stdin: s.stdin, Known: known, Out: s.out}), stop, nil
}

// sweep executes a sweep, writes its files and sets the exit code.
func (a *app) sweep(ctx context.Context, w *sweep.Sweep) error {
	if _, err := fmt.Fprint(a.stdout, w.Heading()); err != nil {
		return a.stdout.err()
	}
	warning := a.warn(a.out.Text(w.Client.UnencryptedWarning(), 0))
	stop := showSweep(w, a.stderr)
	err := w.Execute(ctx)
	stop()
	if errors.Is(err, engine.ErrGivenUp) {
		return err
	}
	if a.keepReports && w.Tally == nil { // the earlier sweep was not resumed: keep its report
		return cmp.Or(err, fmt.Errorf("stopped before any user was checked: %w", context.Cause(ctx)))
	}
	result := w.Summary(time.Now(), err)
	var sources []checkpoint.Source
	if result.Findings != "" {
		sources = append(sources, checkpoint.Source{Folder: a.folder.Dir(), Digest: result.Findings})
	}
	if err := a.writeSweep(result, warning, sources...); err != nil {
		return err
	}
	if !result.Complete && result.Error == nil && interrupted(ctx) {
		a.code = exitStopped
		fmt.Fprintf(a.stderr, "stopped by a signal, without a verdict: exit code %d; continue with --resume\n",
			exitStopped)
	}
	return nil
}

// writeSweep writes and prints the result of a sweep. A warning that was printed before is not printed again. sources
// are the places of its findings.
func (a *app) writeSweep(result *stats.Summary, warning string, sources ...checkpoint.Source) error {
	var files []folder.File
	if len(sources) > 0 {
		files = append(files, folder.File{Name: stats.DifferencesFile,
			Write: func(w io.Writer) error { return checkpoint.WriteDifferences(w, sources) }})
	}
	if err := a.folder.Put(a.out.Guard(), append(files, sweepFiles(result)...)...); err != nil {
		return err
	}
	result.Document().Print(a.stdout, a.out.Text(a.folder.Dir(), 0), report.Screen{Colours: coloured(a.stdout),
		Width: columns(a.stdout), Said: warning})
	if err := summary.StepSummary(a.environ, summary.Render(result.Document())); err != nil {
		return err
	}
	a.code = exitCode(result.Verdict)
	return nil
}

// sweepFiles returns the files of a summary. sweep.json is last, because programs rely on it.
func sweepFiles(result *stats.Summary) []folder.File {
	return []folder.File{
		{Name: stats.PageFile, Write: func(w io.Writer) error { return page.WriteSweep(w, result) }},
		{Name: stats.SummaryFile, Write: func(w io.Writer) error { return stats.Write(w, result) }},
	}
}
