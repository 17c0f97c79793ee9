// Package ginkgospecs reports the results of a run as Ginkgo specs: one for each requirement and version.
package ginkgospecs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// Spec is a requirement in a version as a spec of Ginkgo's.
type Spec struct {
	Key     ledger.Key
	section string // the text of its container
	text    string
	labels  []string
}

// Specs lists a spec for each requirement and version that a run with these options judges or observes, section by
// section. Their texts are unique.
func Specs(suite *spec.Suite, options spec.Options) (list []Spec) {
	for _, section := range suite.Sections {
		for _, requirement := range section.Requirements {
			for _, version := range requirement.Versions(options) {
				list = append(list, Spec{ledger.Key{ID: requirement.ID, Version: version},
					"§" + section.Number + " " + section.Title,
					string(version) + " " + requirement.ID + ": " + requirement.StatementOf(version),
					labelsOf(requirement.Requirement, version)})
			}
		}
	}
	return list
}

// Add adds specs to the container that is being built. Each has the body.
func Add(list []Spec, body func(ginkgo.SpecContext, ledger.Key)) {
	for _, one := range list {
		ginkgo.Describe(one.section, func() {
			ginkgo.It(one.text, ginkgo.Label(one.labels...), func(ctx ginkgo.SpecContext) { body(ctx, one.Key) })
		})
	}
}

// Selected returns the specs that Ginkgo's filters select. text and labels are those of the suite and of the containers
// around them. It repeats Ginkgo's logic, because a suite that is running can't be previewed. The filters are valid.
// Those by file and by semantic version are ignored: they select all of these specs or none.
func Selected(list []Spec, config types.SuiteConfig, text string, labels []string) map[ledger.Key]bool {
	labelled := types.MustParseLabelFilter(config.LabelFilter)
	focus := regexp.MustCompile(strings.Join(config.FocusStrings, "|"))
	skip := regexp.MustCompile(strings.Join(config.SkipStrings, "|"))
	selected := map[ledger.Key]bool{}
	for _, one := range list {
		whole := text + " " + one.section + " " + one.text
		if labelled(slices.Concat(labels, one.labels)) && focus.MatchString(whole) &&
			(len(config.SkipStrings) == 0 || !skip.MatchString(whole)) {
			selected[one.Key] = true
		}
	}
	return selected
}

// Container is the text of the container of a run's specs.
const Container = "Authenticator API"

// Register registers the specs of a run, and returns them. Call it once while Ginkgo builds its tree. The specs are
// serial, and each states what the report has of its row: the run ends before the first of them.
func Register(r *run.Run, result func() *report.Report) []Spec {
	list := Specs(r.Suite, r.Options())
	ginkgo.Describe(Container, ginkgo.Serial, func() {
		Add(list, func(_ ginkgo.SpecContext, key ledger.Key) { State(result(), key, false) })
	})
	return list
}

// State reports the result of a requirement in a version. Of the rows that failed for one cause the first fails, with
// all that is known of the cause in a few lines, and the others are skipped. What a waiver or the baseline allows is
// skipped, and so is what could not be decided unless that is to fail. An open point can't be violated, so the
// observation is only added to Ginkgo's report.
func State(result *report.Report, key ledger.Key, failInconclusive bool) {
	row := result.Row(key)
	switch {
	case row == nil:
		ginkgo.AddReportEntry(key.ID, strings.Join(result.Observed(key), "\n"),
			ginkgo.ReportEntryVisibilityFailureOrVerbose)
	case row.Waiver != nil, row.Known:
		ginkgo.Skip(row.State().Word + ": " + row.Explain())
	case row.Failed():
		switch text, first := result.Failure(row); {
		case first == row:
			ginkgo.Fail(text)
		default:
			ginkgo.Skip(fmt.Sprintf("failed, for the same cause as %s %s, which fails", first.Version, first.ID))
		}
	case row.Open() && failInconclusive:
		ginkgo.Fail(row.Explain())
	case row.Verdict != ledger.Pass:
		ginkgo.Skip(row.Explain())
	}
}

func labelsOf(requirement schemas.Requirement, version schemas.Version) []string {
	list := []string{requirement.Section, string(version), string(requirement.Kind), string(requirement.Risk)}
	for _, op := range requirement.Operations {
		list = append(list, string(op))
	}
	return list
}

// KnownLabels lists every label that a spec may have.
func KnownLabels(contract *schemas.Contract) []string {
	var list []string
	for _, r := range contract.Requirements {
		if r.Kind == schemas.Excluded {
			continue
		}
		for _, v := range contract.VersionsOf(r, contract.Versions) {
			list = append(list, labelsOf(r, v)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const suiteName = "Authenticator API conformance"

// Prepare registers the specs of a run, and reduces the run to those that the filters of its settings select. Call it
// once in a process. result returns the report, once the run has ended. Then start runs the specs in an ordinary
// program, and Ginkgo prints them. Each states the result of one requirement in one version. The verdict comes from the
// report, and not from Ginkgo.
func Prepare(r *run.Run, result func() *report.Report, coloured bool) (start func(), err error) {
	specs, in := Register(r, result), r.Settings
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.LabelFilter = in.LabelFilter
	if in.Focus != "" {
		suite.FocusStrings = []string{in.Focus}
	}
	reporter.Verbose, reporter.NoColor = true, !coloured
	if in.LabelFilter != "" || in.Focus != "" || len(in.OnlyRows) > 0 {
		selected := Selected(specs, suite, suiteName+" "+Container, nil)
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
	return func() { ginkgo.RunSpecs(noTest{}, suiteName, suite, reporter) }, nil
}

// noTest replaces the *testing.T that Ginkgo needs. It does nothing.
type noTest struct{}

func (noTest) Fail() {}
