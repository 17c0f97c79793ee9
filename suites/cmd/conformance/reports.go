package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/command/lastfailed"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep"
)

// withReports makes a command that reads settings write reports, even if its arguments are invalid.
func (a *app) withReports(c settings.Command, cmd *cobra.Command) *cobra.Command {
	settings.AddFlags(c, cmd.Flags())
	cmd.Flags().Bool(replaceFlag, false, "replace a signed certificate, or the files of another command or "+
		"program, in the report folder")
	checkArgs, run := cmd.Args, cmd.RunE
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return a.writeReports(c, cmd, func() error { return flagFault(cmd, err) })
	})
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.writeReports(c, cmd, func() error {
			if err := checkArgs(cmd, args); err != nil {
				return err
			}
			if r, isSweep := a.kind.(*sweep.Reports); isSweep && r.Refused != nil {
				_, _, err := a.resolve()
				return cmp.Or(err, r.Refused)
			}
			return run(cmd, args)
		})
	}
	return cmd
}

// writeReports does the work of a command between two reports in the report folder of the settings.
func (a *app) writeReports(c settings.Command, cmd *cobra.Command, work func() error) error {
	go a.suite() // while the first report is written, which needs no more than the digest
	digest, err := schemas.Digest()
	if err != nil {
		return errors.Join(err, work())
	}
	ctx := cmd.Context()
	a.input = settings.Read(c, cmd.Flags(), a.args, a.environ)
	dir, fault := bounded.Value(ctx, 0, func() (string, error) { return a.input.ReportDir(), nil })
	own := settings.Read(c, nil, nil, nil).ReportDir() // the default
	if fault != nil {                                  // the configuration file could not be read in time
		dir = own
	}
	if c == settings.Sweep {
		shard, _ := a.input.Flag("shard")
		if dir, err = sweep.ReportDir(dir, shard, a.environ); err != nil {
			return err // without a folder there is no place for a report
		}
	}
	if hasSecret(sanitize.Of(a.input.SecretsAtOnce()...), dir) && dir != own {
		return fmt.Errorf(secretPath, "the report folder")
	}
	inputs := a.input.Inputs()
	if from, given := a.input.Flag(settings.LastFailedFlag); given {
		_, named := a.input.Flag("report-dir")
		if inputs = append(inputs, from); !named && dir == own && folder.Same(from, own) {
			dir += "-again" // as in the command that a report prints
		}
	}
	dir = folder.Dated(dir, time.Now())
	fault = cmp.Or(fault, bounded.Within(ctx, 0, func() error { return a.readLastFailed(c) }))
	a.dir = dir
	a.kind = a.kindOf(c, digest)
	at := folder.Place{Dir: dir, Replace: a.isSet(replaceFlag), Inputs: inputs, MetricsFile: func() string {
		path, _ := bounded.Value(ctx, 0, func() (string, error) {
			path := a.input.MetricsFile()
			if hasSecret(a.wayOut(), path) {
				path = ""
			}
			return path, nil
		})
		return path // "" if the configuration file could not be read in time
	}}
	return folder.Live(at, a.kind, a.text, func(f *folder.Folder) error {
		a.folder = f
		return bounded.Within(ctx, reportGrace, func() error {
			defer a.close()
			if err := cmp.Or(fault, bounded.Within(ctx, 0, a.checkOutputs)); err != nil {
				return err
			}
			err := work()
			if lost := a.stdout.Err(); err == nil && lost != nil { // the reports are written
				err = folder.Reported{Err: lost}
			}
			return err
		})
	})
}

// secretPath is the error of a setting that names what is written.
const secretPath = "%s: the path has a secret, and is not written to: give another one"

// hasSecret reports whether a path has a secret. Whatever is written there would show it.
func hasSecret(out *sanitize.Output, path string) bool { return out.Clean(path) != path }

// checkOutputs returns an error if a file beside the report folder would have a secret in its path.
func (a *app) checkOutputs() error {
	for _, flag := range []string{metrics.Flag, "--" + settings.RecordFlag, gate.Flag} {
		path, _ := a.input.Flag(strings.TrimPrefix(flag, "--"))
		if flag == metrics.Flag { // it can be a variable or a member of the file
			path = a.input.MetricsFile()
		}
		if hasSecret(a.wayOut(), path) {
			return fmt.Errorf(secretPath, flag)
		}
	}
	return nil
}

// readLastFailed reads the report folder that --last-failed names.
func (a *app) readLastFailed(c settings.Command) error {
	dir, given := a.input.Flag(settings.LastFailedFlag)
	if !given || strings.TrimSpace(dir) == "" { // Resolve reports that it is empty
		return nil
	}
	suite, err := a.suite()
	if err != nil {
		return err
	}
	switch c {
	case settings.Run, settings.Plan:
		a.failed, err = lastfailed.OfRun(dir, suite)
	case settings.Sweep:
		a.failedUsers, err = lastfailed.OfSweep(dir, suite.Contract)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", settings.LastFailedFlag, err)
	}
	return nil
}

// kindOf returns what a command leaves in its folder without a result.
func (a *app) kindOf(c settings.Command, digest string) folder.Kind {
	arguments := a.input.Arguments()
	arguments = arguments[min(1, len(arguments)):] // without the command's name
	if c&(settings.Sweep|settings.Merge) == 0 {
		evidence := ""
		if len(arguments) > 0 {
			evidence = arguments[0]
		}
		return &folder.Run{Contract: digest, Started: time.Now(), Judges: c == settings.Judge, Evidence: evidence,
			CI: func(result *report.Report) error {
				a.ended = result.Document()
				return a.writeAnnotations(result, markdown.Annotations)
			}}
	}
	_, resumes := a.input.Flag(sweep.ResumeFlag)
	reports := &sweep.Reports{Contract: digest, Started: time.Now(), Begins: c == settings.Sweep, Resume: resumes,
		Restart: a.isSet(sweep.RestartFlag),
		CI: func(result *stats.Summary) error {
			a.ended = result.Document()
			return a.writeStepSummary(result.Document())
		}}
	if c == settings.Merge {
		reports.Shards = arguments
	}
	return reports
}

// replaceFlag lets a command write into the folder of another one. It is read before any flag is judged.
const replaceFlag = "replace"

// isSet reports whether a switch is given. An invalid value is reported when flags are judged.
func (a *app) isSet(flag string) bool {
	text, _ := a.input.Flag(flag)
	is, _ := strconv.ParseBool(text)
	return is
}

// conclude prints the last lines of a command that has no result: where its reports are, and the verdict.
func (a *app) conclude(err error) {
	d := a.ended
	if d == nil {
		d = &report.Document{State: report.StateOf(ledger.Fault),
			Verdict: string(ledger.Fault) + ": " + report.ShortReason(a.text(err))}
	}
	d.Files = slices.DeleteFunc(d.Files, func(f report.File) bool {
		_, err := os.Stat(filepath.Join(a.dir, f.Name))
		return err != nil
	})
	if a.kind != nil && a.kind.Keeps() {
		d.Files = nil
		fmt.Fprintf(a.stderr, "note: the reports in %s were left as they are\n", a.out.Text(a.dir, 0))
	}
	d.PrintEnd(a.stdout, a.out.Text(a.dir, 0), a.screen(""))
}
