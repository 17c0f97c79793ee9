// Package conformance is the contract of the Authenticator API as Ginkgo specs, one file for each section of the document:
// a spec for each requirement and version, readable beside the section. The specs send nothing themselves: the run they
// are registered with is carried out once, before the first of them, and each reads its row.
package conformance

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
)

// Specs registers the specs of a run. Call it once, where Ginkgo builds its tree: at the top level of a test file, or
// before RunSpecs. Nothing is kept in this package, so a suite may hold the specs of several runs.
//
// The specs are serial: they share one run, and would send its requests once for each parallel process otherwise.
func Specs(r *run.Run) {
	Describe("Authenticator API", Serial, func() {
		BeforeEach(func(ctx SpecContext) {
			if err := r.Execute(ctx); err != nil {
				AbortSuite("the run could not be carried out: " + r.Secrets().Show(err.Error(), 0))
			}
		})
		s := &specs{run: r, Gomega: NewGomega(Fail)}
		s.authenticatorRecord()
		s.device()
		s.identifierList()
		s.states()
		s.endpoints()
		s.getUserAuth()
		s.findByUserIds()
		s.openPoints()
		s.authentication()
		s.errors()
		s.limits()
		s.versioning()
	})
}

// specs registers specs for the rows of one run.
type specs struct {
	run *run.Run
	// Gomega with its own fail handler, so that the specs work in any suite, whatever handler that one registers.
	Gomega
}

// section groups the specs of one section of the document.
func (s *specs) section(number, title string, specs func()) {
	Describe("§"+number+" "+title, Label(number), specs)
}

// holds registers a spec for each version in which the run judges the requirement.
func (s *specs) holds(id string) {
	for _, version := range []schemas.Version{schemas.V5, schemas.V6, schemas.Parity} {
		row := s.run.Ledger.Row(ledger.Key{ID: id, Version: version})
		if row == nil {
			continue
		}
		It(leaf(row.Key, row.Requirement), labels(row.Requirement, version), func() {
			if row.Verdict() == ledger.Inconclusive {
				Skip(report.Explain(s.run, row))
			}
			s.Expect(row).To(passOf(s.run))
		})
	}
}

// observed registers a spec for each version under test that records what the target did at an open point. It can't be
// violated; what fails the spec is a run that has no observation of it, a defect of the suite.
func (s *specs) observed(id string) {
	requirement, _ := s.run.Contract.Requirement(id)
	for _, version := range s.run.Settings.Versions {
		key := ledger.Key{ID: id, Version: version}
		It(leaf(key, requirement), labels(requirement, version), func() {
			var seen []string
			for _, o := range s.run.Ledger.Observations() {
				if words := o.Words[version]; o.Requirement.ID == id && words != "" {
					seen = append(seen, fmt.Sprintf("%s: %s", o.Operation, words))
				}
			}
			s.Expect(seen).To(HaveLen(len(requirement.Operations)), "each operation has its observation; else the suite has a defect")
			AddReportEntry(id, strings.Join(seen, "\n"))
		})
	}
}

// leaf is the text of a spec; Selected reads the key out of it again.
func leaf(key ledger.Key, requirement schemas.Requirement) string {
	return string(key.Version) + " " + key.ID + ": " + requirement.Statement
}

func labels(requirement schemas.Requirement, version schemas.Version) Labels {
	list := Labels{string(version), string(requirement.Kind), string(requirement.Risk)}
	for _, op := range requirement.Operations {
		list = append(list, string(op))
	}
	return list
}

// Selected tells from a report of Ginkgo, a preview's or a run's, which rows and open points its filters leave.
func Selected(preview types.Report) map[ledger.Key]bool {
	selected := map[ledger.Key]bool{}
	for _, spec := range preview.SpecReports {
		if key, ok := KeyOf(spec); ok && !spec.State.Is(types.SpecStateSkipped|types.SpecStatePending) {
			selected[key] = true
		}
	}
	return selected
}

// KeyOf is the row that a spec is about; false for nodes that are no specs.
func KeyOf(spec types.SpecReport) (ledger.Key, bool) {
	name, _, found := strings.Cut(spec.LeafNodeText, ": ")
	version, id, both := strings.Cut(name, " ")
	if !found || !both || spec.LeafNodeType != types.NodeTypeIt {
		return ledger.Key{}, false
	}
	return ledger.Key{ID: id, Version: schemas.Version(version)}, true
}

// KnownLabels lists every label that a spec may bear.
func KnownLabels(contract *schemas.Contract) []string {
	var list []string
	for _, r := range contract.Requirements {
		if r.Kind == schemas.Excluded {
			continue
		}
		list = append(list, r.Section)
		for _, v := range []schemas.Version{schemas.V5, schemas.V6, schemas.Parity} {
			list = append(list, labels(r, v)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
