package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/ginkgospecs"
	"authenticator-conformance/suites/internal/input"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/statement"
)

const judgeName = "judge"

func judgeCommand(s *app) *cobra.Command {
	show := verbosity{}
	cmd := &cobra.Command{
		Use:   judgeName + " FILE.har",
		Short: "Judge recorded evidence again, without the target",
		Long: `judge judges the evidence.har of an earlier run again: no request is sent, and no token is needed. It goes by the
settings and the dates of that run, and by the contract of this binary, and writes the same files as a run. What the
evidence lacks leaves the rows that need it inconclusive.`,
		Args: oneFile,
	}
	settings.AddFlags(settings.Judge, cmd.Flags())
	show.addFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, suite, err := s.resolve()
		if err != nil {
			return err
		}
		if err := input.RefuseDevice(args[0]); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		recorded, err := engine.Value(cmd.Context(), 0,
			func() (*evidence.Evidence, error) { return evidence.Read(args[0]) })
		if err != nil {
			return err
		}
		if err := s.checkStatement(args[0], recorded.Digest()); err != nil {
			return err
		}
		if err := ginkgospecs.CheckFilters(recorded.Settings, ginkgospecs.KnownLabels(suite.Contract)); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if own.Values == settings.ValuesHide && filepath.Base(args[0]) == report.EvidenceFile &&
			sameFolder(filepath.Dir(args[0]), s.folder.Dir()) {
			return fmt.Errorf("%s: with hidden values it would be replaced by evidence that can't be judged again: "+
				"name another folder by --report-dir", args[0])
		}
		recorded.Settings.Values = own.Values
		s.out = wayOut(recorded.Settings, suite)
		p := &preparedRun{judgedAgain: true, app: s, run: run.Again(recorded.Settings, suite, recorded.Run())}
		if err := engine.Within(cmd.Context(), 0, func() error { return p.register(s, own.Baseline) }); err != nil {
			return err
		}
		if recorded.Record.Contract != suite.Contract.Digest {
			fmt.Fprintf(s.stdout, "note: the run itself was judged by another contract, %s\n",
				s.out.Text(recorded.Record.Contract, 80))
		}
		o := outcome{store: recorded, archive: func(w io.Writer, _ error) error { return recorded.WriteArchive(w) }}
		if own.Values == settings.ValuesHide {
			hidden := recorded.Hidden(p.run.Requests, s.out)
			o.store = hidden
			o.archive = func(w io.Writer, _ error) error { return hidden.WriteArchive(w) }
		}
		_, err = p.carryOut(cmd.Context(), s, show, o)
		return err
	}
	return cmd
}

// checkStatement returns an error if the statement.json beside the evidence has another digest for it: then the
// evidence was changed.
func (a *app) checkStatement(path, digest string) error {
	folder := filepath.Dir(path)
	content, err := a.previousStatement, error(nil)
	if !sameFolder(folder, a.folder.Dir()) { // otherwise this command has already replaced the statement
		content, err = os.ReadFile(filepath.Join(folder, report.StatementFile))
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && content == nil {
		return nil
	}
	stated := ""
	if err == nil {
		stated, err = statement.DigestOf(content, filepath.Base(path))
	}
	switch {
	case err != nil:
		return fmt.Errorf("the %s beside %s can't be read: %w; judge the evidence in a folder without it",
			report.StatementFile, path, err)
	case stated != "" && stated != digest:
		return fmt.Errorf("%s was changed since it was recorded: the %s beside it says %s, and it is %s; judge the "+
			"unchanged file, or one in a folder without the statement", path, report.StatementFile, stated, digest)
	}
	return nil
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("judge takes one file, the evidence.har of a report folder, such as: conformance judge "+
			"conformance-report/evidence.har; %d were given", len(args))
	}
	return nil
}
