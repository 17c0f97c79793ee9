package selftest_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// verboseSpecs look at a run as those see it who know Ginkgo.
func verboseSpecs(r *rig) {
	DescribeTable("A verbose run shows each spec", func(flag string) {
		o := r.call(command{args: []string{"run", flag, "--focus", "2.1/CreatedOn"}})
		Expect(o.code).To(Equal(0), o.said())
		Expect(sound(o).Complete).To(BeFalse())
		Expect(o.stdout).To(And(
			ContainSubstring("§2.1 Authenticator record v5 2.1/CreatedOn"),
			ContainSubstring("§2.1 Authenticator record v6 2.1/CreatedOn"),
			ContainSubstring("2 Passed"),
			ContainSubstring("verdict: pass"),
		))
	},
		Entry("-v", "-v"),
		Entry("--verbose", "--verbose"),
	)
}
