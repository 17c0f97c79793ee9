// Package ginkgospecs reports the results of a run as Ginkgo specs: one for each requirement and version.
package ginkgospecs

import (
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
)

// Specs maps the text of each registered spec to its row. The texts of a run are unique.
type Specs map[string]ledger.Key

// Register registers the specs of a run. Call it once while Ginkgo builds its tree. The specs are serial, and each
// states what the report has of its row: the run ends before the first of them.
func Register(r *run.Run, result func() *report.Report) Specs {
	specs := Specs{}
	ginkgo.Describe("Authenticator API", ginkgo.Serial, func() {
		Add(r.Suite, r.Options(), func(key ledger.Key, text string, labels ginkgo.Labels) {
			specs[text] = key
			ginkgo.It(text, labels, func() { State(result(), key, false) })
		})
	})
	return specs
}

// Selected returns the rows and open points that Ginkgo's filters select, according to the report of a preview.
func (s Specs) Selected(preview types.Report) map[ledger.Key]bool {
	selected := map[ledger.Key]bool{}
	for _, spec := range preview.SpecReports {
		if key, ok := s[spec.LeafNodeText]; ok && !spec.State.Is(types.SpecStateSkipped|types.SpecStatePending) {
			selected[key] = true
		}
	}
	return selected
}

// Add registers a spec for each requirement and version that a run with these options judges or observes, section by
// section. It calls the function for each spec.
func Add(suite *spec.Suite, options spec.Options, add func(key ledger.Key, text string, labels ginkgo.Labels)) {
	for _, section := range suite.Sections {
		ginkgo.Describe("§"+section.Number+" "+section.Title, ginkgo.Label(section.Number), func() {
			for _, requirement := range section.Requirements {
				for _, version := range requirement.Versions(options) {
					key := ledger.Key{ID: requirement.ID, Version: version}
					text := string(version) + " " + requirement.ID + ": " + requirement.StatementOf(version)
					add(key, text, labelsOf(requirement.Requirement, version))
				}
			}
		})
	}
}

// State reports the result of a requirement in a version. What a waiver or the baseline allows is skipped, and so is
// what could not be decided unless that is to fail. An open point can't be violated, so the observation is only added
// to Ginkgo's report.
func State(result *report.Report, key ledger.Key, failInconclusive bool) {
	row := result.Row(key)
	switch {
	case row == nil:
		ginkgo.AddReportEntry(key.ID, strings.Join(result.Observed(key), "\n"),
			ginkgo.ReportEntryVisibilityFailureOrVerbose)
	case row.Waiver != nil, row.Known:
		ginkgo.Skip(row.State().Word + ": " + row.Explain())
	case row.Open() && failInconclusive, row.Failed():
		ginkgo.Fail(row.Explain())
	case row.Verdict != ledger.Pass:
		ginkgo.Skip(row.Explain())
	}
}

func labelsOf(requirement schemas.Requirement, version schemas.Version) ginkgo.Labels {
	list := ginkgo.Labels{string(version), string(requirement.Kind), string(requirement.Risk)}
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
		list = append(list, r.Section)
		for _, v := range contract.Versions {
			list = append(list, labelsOf(r, v)...)
		}
		for _, p := range contract.Pairs {
			list = append(list, labelsOf(r, p.Version())...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
