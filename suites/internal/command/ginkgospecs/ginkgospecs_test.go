// Package ginkgospecs_test holds the specs against the catalogue of requirements. It previews them and runs none.
package ginkgospecs_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// kindsOfRuns are the runs whose specs are held against the catalogue.
func kindsOfRuns() map[string]func(*settings.Settings) {
	return map[string]func(*settings.Settings){
		"both versions":    func(*settings.Settings) {},
		"v5 alone":         func(s *settings.Settings) { s.Versions = []schemas.Version{schemas.V5} },
		"v6 alone":         func(s *settings.Settings) { s.Versions = []schemas.Version{schemas.V6} },
		"compared by form": func(s *settings.Settings) { s.ParityMode = settings.ParityShape },
		"divergence fails": func(s *settings.Settings) { s.Divergence = settings.DivergenceFail },
	}
}

// registeredRun is a run of one kind, its specs registered below a container that bears the kind's name.
func registeredRun(kind string, change func(*settings.Settings)) *run.Run {
	s := testkit.Settings(&url.URL{Scheme: "http", Host: "127.0.0.1:1"},
		[]fixtures.User{{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u", Enrolled: true}}, change)
	r := run.New(s, testkit.Suite(), "0.0.0", run.Input{})
	ginkgo.Describe(kind, func() { ginkgospecs.Register(r, func() *report.Report { return nil }) })
	return r
}

// configuration is Ginkgo's, with a filter.
func configuration(label, focus string) (types.SuiteConfig, types.ReporterConfig) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.LabelFilter = label
	if focus != "" {
		suite.FocusStrings = []string{focus}
	}
	return suite, reporter
}

// keyOf returns the row of a spec, by its text.
func keyOf(spec types.SpecReport) ledger.Key {
	name, _, _ := strings.Cut(spec.LeafNodeText, ": ")
	version, id, _ := strings.Cut(name, " ")
	return ledger.Key{ID: id, Version: schemas.Version(version)}
}

// keysIn returns the rows of the specs that Ginkgo runs, each once.
func keysIn(g Gomega, preview types.Report) map[ledger.Key]bool {
	keys := map[ledger.Key]bool{}
	for _, spec := range preview.SpecReports {
		if !spec.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
			g.Expect(keys).NotTo(HaveKey(keyOf(spec)))
			keys[keyOf(spec)] = true
		}
	}
	return keys
}

// previewSpecs asks Ginkgo which specs a filter leaves, by the kind of run.
func previewSpecs(label, focus string) map[string]types.Report {
	suite, reporter := configuration(label, focus)
	byKind := map[string]types.Report{}
	for _, spec := range ginkgo.PreviewSpecs("catalogue", suite, reporter).SpecReports {
		if len(spec.ContainerHierarchyTexts) == 0 {
			continue
		}
		kind := spec.ContainerHierarchyTexts[0]
		part := byKind[kind]
		part.SpecReports = append(part.SpecReports, spec)
		byKind[kind] = part
	}
	return byKind
}

// expectedKeys are the keys that a run's specs must have: a row of the ledger each, and each open point once a version.
func expectedKeys(r *run.Run) map[ledger.Key]bool {
	keys := map[ledger.Key]bool{}
	for _, row := range r.Ledger.Rows() {
		keys[row.Key] = true
	}
	for _, q := range r.Contract.Requirements {
		for _, v := range r.Settings.Versions {
			if q.Kind == schemas.Open {
				keys[ledger.Key{ID: q.ID, Version: v}] = true
			}
		}
	}
	return keys
}

func TestCatalogue(t *testing.T) {
	runs := map[string]*run.Run{}
	for kind, change := range kindsOfRuns() {
		runs[kind] = registeredRun(kind, change)
	}
	all := previewSpecs("", "")

	for kind, r := range runs {
		t.Run(kind, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(keysIn(g, all[kind])).To(Equal(expectedKeys(r)))
			for _, spec := range all[kind].SpecReports {
				key := keyOf(spec)
				requirement, found := r.Contract.Requirement(key.ID)
				g.Expect(found).To(BeTrue(), key.ID)
				g.Expect(spec.LeafNodeText).To(HaveSuffix(": " + requirement.Statement))
				g.Expect(spec.ContainerHierarchyTexts).To(ContainElement(HavePrefix("§" + requirement.Section + " ")))
				labels := []string{requirement.Section, string(key.Version), string(requirement.Kind),
					string(requirement.Risk)}
				for _, op := range requirement.Operations {
					labels = append(labels, string(op))
				}
				g.Expect(spec.Labels()).To(ContainElements(labels), key.ID)
				g.Expect(append(ginkgospecs.KnownLabels(r.Contract), "Serial")).To(ContainElements(spec.Labels()),
					"Serial is Ginkgo's own")
				g.Expect(spec.IsSerial).To(BeTrue(), "in parallel processes its requests would be sent once for each")
			}
		})
	}

	type requirement = schemas.Requirement
	type version = schemas.Version
	for _, filter := range []struct {
		name, label, focus string
		selects            func(requirement, version) bool
	}{
		{"no bad tokens", "!auth-failure", "", func(q requirement, _ version) bool {
			return q.Risk != schemas.AuthFailure
		}},
		{"reads", "read", "", func(q requirement, _ version) bool { return q.Risk == schemas.Read }},
		{"a version", "v6", "", func(_ requirement, v version) bool { return v == schemas.V6 }},
		{"parity", "v5=v6", "", func(_ requirement, v version) bool { return v == schemas.Parity }},
		{"a section", "2.1", "", func(q requirement, _ version) bool { return q.Section == "2.1" }},
		{"an operation, documented", "findByUserIds && documented", "", func(q requirement, _ version) bool {
			return slices.Contains(q.Operations, schemas.FindByUserIDs) && q.Kind == schemas.Documented
		}},
		{"labels in the other case", "V5 || AUTH-FAILURE", "", func(q requirement, v version) bool {
			return v == schemas.V5 || q.Risk == schemas.AuthFailure
		}},
		{"a pattern of labels", "/^v[5]$/", "", func(_ requirement, v version) bool { return v == schemas.V5 }},
		{"a focus", "", `v5 2\.1/Id:`, func(q requirement, v version) bool {
			return q.ID == "2.1/Id" && v == schemas.V5
		}},
		{"a focus on a section", "", "§2.2", func(q requirement, _ version) bool { return q.Section == "2.2" }},
		{"both", "v5", "§2.2", func(q requirement, v version) bool { return q.Section == "2.2" && v == schemas.V5 }},
		{"nothing", "v5 && v6", "", func(requirement, version) bool { return false }},
	} {
		t.Run("filtered: "+filter.name, func(t *testing.T) {
			g := NewWithT(t)
			left := previewSpecs(filter.label, filter.focus)
			for kind, r := range runs {
				want := map[ledger.Key]bool{}
				for key := range expectedKeys(r) {
					if q, _ := r.Contract.Requirement(key.ID); filter.selects(q, key.Version) {
						want[key] = true
					}
				}
				g.Expect(keysIn(g, left[kind])).To(Equal(want), kind)
				suite, _ := configuration(filter.label, filter.focus)
				g.Expect(ginkgospecs.Selected(ginkgospecs.Specs(r.Suite, r.Options()), suite,
					"catalogue "+kind+" "+ginkgospecs.Container, nil)).To(Equal(want), "as Ginkgo does: "+kind)
			}
		})
	}
}
