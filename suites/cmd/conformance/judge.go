package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

const judgeName = "judge"

func judgeCommand(s *surroundings) *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   judgeName + " FILE.har",
		Short: "Judge recorded evidence again, without the target",
		Long:  "judge judges the evidence.har of an earlier run again: no request is sent, and no token is needed. It goes by the\nsettings and the dates of that run, and by the contract of this binary, and writes the same files as a run. What the\nevidence lacks leaves the rows that need it inconclusive.",
		Args:  oneFile,
	}
	settings.AddJudgeFlags(cmd.Flags())
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every spec as Ginkgo runs it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		check, err := beginSelfCheck(s)
		if err != nil {
			return err
		}
		baseline, err := settings.Baseline(cmd.Flags(), s.environ)
		if err != nil {
			return err
		}
		contract, err := s.contract()
		if err != nil {
			return err
		}
		past, err := evidence.Read(args[0])
		if err != nil {
			return err
		}
		if err := checkFilters(past.Settings, conformance.KnownLabels(contract)); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		p := &prepared{again: true, run: run.Again(past.Settings, contract, past.Run())}
		if err := p.register(s, baseline); err != nil {
			return err
		}
		if p.run.SelfChecked, err = check(); err != nil {
			return err
		}
		if past.Record.Contract != contract.Digest {
			fmt.Fprintf(s.stdout, "note: the run itself was judged by another contract, %s\n", redact.Printable(past.Record.Contract, 80))
		}
		_, err = p.carryOut(cmd.Context(), s, verbose, outcome{
			shelf:    past,
			finished: past.Finished,
			archive:  func(w io.Writer, _ time.Time, _ error) error { return past.WriteArchive(w) },
		})
		return err
	}
	return cmd
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("judge takes one file, the evidence.har of a report folder; %d were given", len(args))
	}
	return nil
}
