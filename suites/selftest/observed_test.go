package selftest_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// observedSpecs see that nothing is left open silently: the reference shows something at every open point.
func observedSpecs(r *rig) {
	It("The reference is observed at every open point, in both versions", func() {
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		o := r.call(command{args: []string{"run"}})
		Expect(o.code).To(Equal(0), o.said())
		content, err := os.ReadFile(filepath.Join(o.reports(), "report.json"))
		Expect(err).NotTo(HaveOccurred())
		var report struct {
			Observations []struct{ ID, Operation, V5, V6 string }
		}
		Expect(json.Unmarshal(content, &report)).To(Succeed())

		seen := map[string]bool{}
		for _, observation := range report.Observations {
			seen[observation.ID+" "+observation.Operation] = true
			for _, words := range []string{observation.V5, observation.V6} {
				Expect(words).NotTo(BeElementOf("", "not asked"), observation.ID+" "+observation.Operation)
			}
		}
		for _, requirement := range contract.Requirements {
			if requirement.Kind != schemas.Open {
				continue
			}
			for _, operation := range requirement.Operations {
				Expect(seen).To(HaveKey(requirement.ID + " " + string(operation)))
			}
		}
	})
}
