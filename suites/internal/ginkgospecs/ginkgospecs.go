// Package ginkgospecs reports the results of a run as Ginkgo specs: one for each requirement and version.
package ginkgospecs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/spec"
)

// Specs maps the text of each registered spec to its row. The texts of a run are unique.
type Specs map[string]ledger.Key

// Register registers the specs of a run. Call it once while Ginkgo builds its tree: at the top level of a test file, or
// before RunSpecs.
//
// The run is carried out once, before the first spec. It sends the probes of the selected requirements, each once. The
// specs are serial, because parallel processes would each send all requests of the run.
func Register(r *run.Run) Specs {
	specs := Specs{}
	ginkgo.Describe("Authenticator API", ginkgo.Serial, func() {
		ginkgo.BeforeEach(func(ctx ginkgo.SpecContext) {
			if err := r.Execute(ctx); err != nil {
				ginkgo.AbortSuite("the run could not be carried out: " + r.Secrets().Show(err.Error(), 0))
			}
		})
		Add(r.Suite, r.Options(), func(key ledger.Key, text string, labels ginkgo.Labels, state func(*run.Run)) {
			specs[text] = key
			ginkgo.It(text, labels, func() { state(r) })
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
// section. It calls the function for each spec. State needs the finished run, when the spec runs.
func Add(suite *spec.Suite, options spec.Options,
	add func(key ledger.Key, text string, labels ginkgo.Labels, state func(*run.Run))) {
	for _, section := range suite.Sections {
		ginkgo.Describe("§"+section.Number+" "+section.Title, ginkgo.Label(section.Number), func() {
			for _, requirement := range section.Requirements {
				for _, version := range requirement.Versions(options) {
					key := ledger.Key{ID: requirement.ID, Version: version}
					text := string(version) + " " + requirement.ID + ": " + requirement.Statement
					add(key, text, labelsOf(requirement.Requirement, version), func(r *run.Run) { state(r, key) })
				}
			}
		})
	}
}

// state reports the result of a requirement in a version. An open point can't be violated, so the observation is only
// added to the report.
func state(r *run.Run, key ledger.Key) {
	row := r.Ledger.Row(key)
	if row == nil {
		ginkgo.AddReportEntry(key.ID, observed(r, key))
		return
	}
	shown := report.RowOf(r, row)
	State(&shown, false)
}

// State reports the result of a row. What a waiver or the baseline allows is skipped, and so is what could not be
// decided unless that is to fail.
func State(row *report.Row, failInconclusive bool) {
	switch {
	case row.Waiver != nil, row.Known:
		ginkgo.Skip(row.State().Word + ": " + row.Explain())
	case row.Open() && failInconclusive, row.Failed():
		ginkgo.Fail(row.Explain())
	case row.Verdict != ledger.Pass:
		ginkgo.Skip(row.Explain())
	}
}

// observed returns what a version did at an open point, one line for each operation.
func observed(r *run.Run, key ledger.Key) string {
	var lines []string
	for _, o := range r.Ledger.Observations() {
		if o.Requirement.ID == key.ID {
			text, _ := o.Summary(key.Version)
			lines = append(lines, fmt.Sprintf("%s: %s", o.Operation, text))
		}
	}
	return strings.Join(lines, "\n")
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
		for _, v := range []schemas.Version{schemas.V5, schemas.V6, schemas.Parity} {
			list = append(list, labelsOf(r, v)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
