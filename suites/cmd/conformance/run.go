package main

import (
	"fmt"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/settings"
)

const runName = "run"

func runCommand(s *app) *cobra.Command {
	show, update := verbosity{}, ""
	cmd := &cobra.Command{
		Use:   runName,
		Short: "Certify a target: send every probe, judge every answer, write the reports",
		Long: `run sends every probe to the target, judges every answer, and writes into the report folder: report.html for people,
report.json and junit.xml for programs, summary.md for a pull request, evidence.har to judge again, and statement.json
to sign. Without a target URL the embedded reference service is the target.`,
		Args: noArguments,
	}
	settings.AddFlags(settings.Run, cmd.Flags())
	show.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&update, "update-baseline", "",
		"write the results of this run to `FILE`, as the baseline of later runs")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		kept, err := evidence.NewWriter(s.folder.Dir())
		if err != nil {
			return fmt.Errorf("the evidence can't be kept in the report folder: %w", err)
		}
		defer kept.Close()
		p, err := engine.Value(cmd.Context(), 0, func() (*preparedRun, error) {
			return prepare(cmd.Context(), s, kept)
		})
		if err != nil {
			return err
		}
		defer p.close()
		kept.ForRun(p.run.Requests, s.out)
		result, err := p.carryOut(cmd.Context(), s, show, outcome{
			store:    kept,
			recorded: update != "",
			archive: func(w io.Writer, err error) error {
				return kept.WriteArchive(w, evidence.RecordOf(p.run, s.out, err))
			},
		})
		if err != nil || update == "" {
			return err
		}
		return gate.Write(update, result)
	}
	return cmd
}

// runSpecs runs the specs on the finished run, and Ginkgo prints them. Each states the result of one requirement in one
// version.
func (p *preparedRun) runSpecs() {
	ginkgo.RunSpecs(noTest{}, suiteName, p.suite, p.reporter)
}

// noTest replaces the *testing.T that Ginkgo needs. It does nothing, because the verdict comes from the ledger.
type noTest struct{}

func (noTest) Fail() {}
