package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/report/terminal"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep"
	"authenticator-conformance/suites/sweep/record"
)

func sweepCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   sweepName,
		Short: "Compare " + schemas.Pairs()[0].Version().Both() + " for every user of a population",
		Long: `sweep sends the four well-formed requests for every user of ` +
			`a file, judges each answer by the contract and compares
the versions, in memory that does not depend on how many users there are. Each finding is a line of findings.ndjson
at once; sweep.json and sweep.html say what became of everybody, differences.csv lists who differs. A sweep that was
stopped, however it was, continues with --resume.`,
		Args: noArguments,
	}
	flags := sweep.AddFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		options, err := flags.Options(s.input, s.environ)
		if err != nil {
			return err
		}
		w, err := bounded.Value(cmd.Context(), 0, func() (*sweep.Sweep, error) {
			return s.prepareSweep(cmd.Context(), options)
		})
		if err != nil {
			return err
		}
		return s.sweep(cmd.Context(), w)
	}
	return cmd
}

// prepareSweep resolves the settings of a sweep. Without a target it starts the embedded reference.
func (a *app) prepareSweep(ctx context.Context, o sweep.Options) (*sweep.Sweep, error) {
	resolved, suite, err := a.resolve()
	if err != nil {
		return nil, err
	}
	resolved.ReportDir = a.folder.Dir() // with the shard's number, if the setting has {shard}
	if to := resolved.Record; to != "" && (folder.IsOf(resolved.ReportDir, to) || to == resolved.MetricsFile) {
		return nil, fmt.Errorf("--%s: %s is written by this sweep, too: name another file", settings.RecordFlag, to)
	}
	if err := a.startReference(ctx, resolved); err != nil {
		return nil, err
	}
	record, err := sweep.OpenRecord(resolved, suite.Contract)
	if err != nil {
		return nil, err
	}
	return sweep.New(resolved, suite, o, sweep.Input{Stdin: a.stdin, Out: a.out, LastFailed: a.failedUsers,
		Record: record}), nil
}

// sweep executes a sweep, writes its files and sets the exit code.
func (a *app) sweep(ctx context.Context, w *sweep.Sweep) error {
	warning := a.out.Text(w.Client.UnencryptedWarning(), 0)
	progress, stop := a.showSweep(w, 10*time.Second, time.Minute)
	err := w.Execute(ctx, sweep.Watch{Progress: progress, Opened: func() error {
		_, _ = fmt.Fprint(a.stdout, w.Heading()) // the printer keeps the error
		a.warn(warning)
		return a.stdout.Err()
	}})
	stop()
	if errors.Is(err, bounded.ErrGivenUp) {
		return err
	}
	if a.kind.Keeps() && w.Tally == nil { // the earlier sweep was not resumed: keep its report
		return cmp.Or(err, fmt.Errorf("stopped before any user was checked: %w", context.Cause(ctx)))
	}
	result := w.Summary(time.Now(), err)
	var sources []record.Source
	if result.Findings != "" {
		sources = append(sources, record.Source{Folder: a.folder.Dir(), Digest: result.Findings})
	}
	if err := a.writeSweep(result, warning, sources...); err != nil {
		return err
	}
	if sweep.IsRefused(err) {
		a.code = exitRefused
	}
	if !result.Ended && result.Error == nil && interrupted(ctx) {
		a.code = exitStopped
		fmt.Fprintf(a.stderr, "stopped by a signal: exit code %d\n", exitStopped)
	}
	return nil
}

// writeSweep writes and prints the result of a sweep. A warning that was printed before is not printed again. sources
// are the places of its findings.
func (a *app) writeSweep(result *stats.Summary, warning string, sources ...record.Source) error {
	result.Folder = a.out.Text(a.folder.Dir(), 0)
	if err := sweep.Write(a.folder, a.out.Guard(), result, sources...); err != nil {
		return err
	}
	result.Document().Print(a.stdout, a.out.Text(a.folder.Dir(), 0), a.screen(warning))
	a.code = exitCode(result.Verdict)
	return a.writeStepSummary(result.Document())
}

// showSweep returns a function that shows a live line on a terminal. In a log it writes a line after first, and then
// after each interval, also while no user is finished: while the target does not answer.
func (a *app) showSweep(w *sweep.Sweep, first, interval time.Duration) (progress func(sweep.Progress), stop func()) {
	var warned sync.Once
	warn := func(p sweep.Progress) {
		if p.Left == 0 {
			return
		}
		if text := w.Client.TokenWarning(time.Now().Add(p.Left)); text != "" {
			warned.Do(func() { a.warn(a.out.Text(text, 0)) })
		}
	}
	if _, is := terminal.Width(a.stderr); is {
		const whole = 1000 // the number of users is unknown before the end
		show, remove := terminal.Bar(a.stderr)
		return func(p sweep.Progress) {
			warn(p)
			part := min(whole-1, int(p.Part*whole))
			p.Part = 0 // the bar shows it
			show(p.String(), part, whole)
		}, remove
	}
	var last atomic.Pointer[sweep.Progress]
	last.Store(&sweep.Progress{})
	progress = func(p sweep.Progress) { warn(p); last.Store(&p) }
	shard := ""
	if w.Options.Shard.Of > 1 {
		shard = "shard " + w.Options.Shard.String() + ": "
	}
	return progress, terminal.Log(a.stderr, first, interval, func() string {
		p := *last.Load()
		p.State = w.State()
		return shard + p.String()
	})
}
