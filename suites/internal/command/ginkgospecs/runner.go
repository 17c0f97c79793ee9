package ginkgospecs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

const suiteName = "Authenticator API conformance"

// Runner runs the specs of a finished run in an ordinary program.
type Runner struct {
	suite    types.SuiteConfig
	reporter types.ReporterConfig
}

// Prepare registers the specs of a run, and reduces the run to those that the filters of its settings select. Call it
// once in a process. result returns the report, once the run has ended.
func Prepare(r *run.Run, result func() *report.Report, coloured bool) (*Runner, error) {
	specs, in := Register(r, result), r.Settings
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.LabelFilter = in.LabelFilter
	if in.Focus != "" {
		suite.FocusStrings = []string{in.Focus}
	}
	reporter.Verbose, reporter.NoColor = true, !coloured
	if in.LabelFilter != "" || in.Focus != "" || len(in.OnlyRows) > 0 {
		selected := specs.Selected(ginkgo.PreviewSpecs(suiteName, suite, reporter))
		if len(in.OnlyRows) > 0 {
			maps.DeleteFunc(selected, func(key ledger.Key, _ bool) bool {
				return !slices.Contains(in.OnlyRows, key.String())
			})
			if len(selected) == 0 {
				return nil, fmt.Errorf("--%s: nothing that failed is left to run: the filter, the versions or the "+
					"settings of this run leave it out: %s", settings.LastFailedFlag, strings.Join(in.OnlyRows, ", "))
			}
		}
		if len(selected) == 0 {
			return nil, fmt.Errorf("the filter selects nothing: --label-filter %q, --focus %q; see the ids with: "+
				"conformance explain", in.LabelFilter, in.Focus)
		}
		r.Select(selected)
	}
	return &Runner{suite, reporter}, nil
}

// Run runs the specs, and Ginkgo prints them. Each states the result of one requirement in one version. The verdict
// comes from the report, and not from Ginkgo.
func (r *Runner) Run() { ginkgo.RunSpecs(noTest{}, suiteName, r.suite, r.reporter) }

// noTest replaces the *testing.T that Ginkgo needs. It does nothing.
type noTest struct{}

func (noTest) Fail() {}
