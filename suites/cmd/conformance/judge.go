package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/command/session"
)

func judgeCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   judgeName + " FILE.har",
		Short: "Judge recorded evidence again, without the target",
		Long: `judge judges the evidence.har of an earlier run again: no ` +
			`request is sent, and no token is needed. It goes by the
settings and the dates of that run, and by the contract of this binary, and writes the same files as a run. What the
evidence lacks leaves the rows that need it inconclusive.`,
		Args: oneArgument("judge takes one file, the evidence.har of a report folder, such as: conformance judge " +
			"conformance-report/evidence.har"),
	}
	s.addVerbosity(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, suite, err := s.resolve()
		if err != nil {
			return err
		}
		n, contract, err := session.Again(cmd.Context(), args[0], own, suite, s.folder)
		if err != nil {
			return err
		}
		if err := s.registerSpecs(n); err != nil {
			return err
		}
		if !suite.Contract.Is(contract) {
			fmt.Fprintf(s.stdout, "note: the run itself was judged by another contract, %s\n", s.out.Text(contract, 80))
		}
		_, err = s.carryOut(cmd.Context(), n, false)
		return err
	}
	return cmd
}
