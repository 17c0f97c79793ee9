package main

import (
	"fmt"
	"io"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"

	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

const runName = "run"

func runCommand(s *surroundings) *cobra.Command {
	verbose, update := false, ""
	cmd := &cobra.Command{
		Use:   runName,
		Short: "Certify a target: send every probe, judge every answer, write the reports",
		Long:  "run sends every probe to the target, judges every answer, and writes into the report folder: report.html for people,\nreport.json and junit.xml for programs, summary.md for a pull request, evidence.har to judge again, and statement.json\nto sign. Without a target URL the embedded reference service is the target.",
		Args:  cobra.NoArgs,
	}
	settings.AddFlags(cmd.Flags())
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every spec as Ginkgo runs it")
	cmd.Flags().StringVar(&update, "update-baseline", "", "write the report of this run to FILE, as the baseline of later ones")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		check, err := beginSelfCheck(s)
		if err != nil {
			return err
		}
		kept, err := evidence.NewWriter(s.folder.Dir())
		if err != nil {
			return fmt.Errorf("the evidence can't be kept in the report folder: %w", err)
		}
		defer kept.Close()
		p, err := prepare(cmd.Context(), s, cmd.Flags(), kept)
		if err != nil {
			return err
		}
		defer p.close()
		kept.Of(p.run.Requests, p.run.Alike)
		if p.run.SelfChecked, err = check(); err != nil {
			return err
		}
		guard, err := guardOf(p.run.Settings)
		if err != nil {
			return err
		}
		result, err := p.carryOut(cmd.Context(), s, verbose, outcome{
			shelf:    kept,
			finished: time.Now,
			guard:    guard,
			archive: func(w io.Writer, finished time.Time, err error) error {
				return kept.WriteArchive(w, evidence.RecordOf(p.run, finished, err))
			},
		})
		if err != nil || update == "" {
			return err
		}
		return updateBaseline(update, result)
	}
	return cmd
}

// updateBaseline writes a report as the baseline of later runs. Only a complete run that was carried out can be one.
func updateBaseline(path string, r *report.Report) error {
	if r.Verdict == ledger.Fault || !r.Complete {
		return fmt.Errorf("--update-baseline: %s is left as it was: this run was not complete, or was not carried out, and can be no baseline", path)
	}
	return report.WriteBaseline(path, r)
}

// runSpecs runs the specs over the run that was carried out, and holds Ginkgo's outcome of each against the ledger's: two
// ways to the same verdict, so that a spec that is missing or judges wrongly cannot pass unseen.
func (p *prepared) runSpecs(verbose bool) error {
	suite, reporter := p.suite, p.reporter
	if verbose {
		reporter.Verbose, reporter.Succinct = true, false
	} else {
		// The command's own report says what Ginkgo's would, in the words of the design.
		formatter.ColorableStdOut = io.Discard
	}
	outcome := map[ledger.Key]types.SpecReport{}
	ginkgo.ReportAfterEach(func(spec ginkgo.SpecReport) {
		if key, ok := conformance.KeyOf(spec); ok {
			outcome[key] = spec
		}
	})
	ginkgo.RunSpecs(noTest{}, suiteName, suite, reporter)
	return p.crossCheck(outcome)
}

// crossCheck compares what each spec came to with its row. The spec of an open point has no row, and never fails unless
// the suite has a defect.
func (p *prepared) crossCheck(outcome map[ledger.Key]types.SpecReport) error {
	states := map[ledger.Verdict]types.SpecState{
		ledger.Pass: types.SpecStatePassed, ledger.Fail: types.SpecStateFailed, ledger.Inconclusive: types.SpecStateSkipped,
	}
	for _, row := range p.run.Ledger.Rows() {
		if spec := outcome[row.Key]; row.Selected && spec.State != states[row.Verdict()] {
			return fmt.Errorf("defect of the suite: the ledger says %s of %s, its spec %q: %s", row.Verdict(), row.Key, spec.State, spec.FailureMessage())
		}
	}
	for key, spec := range outcome {
		if p.run.Ledger.Row(key) == nil && spec.State.Is(types.SpecStateFailureStates) {
			return fmt.Errorf("defect of the suite: the spec of the open point %s %s: %s", key, spec.State, spec.FailureMessage())
		}
	}
	return nil
}

// noTest stands where Ginkgo wants a *testing.T: the verdict comes from the ledger.
type noTest struct{}

func (noTest) Fail() {}
