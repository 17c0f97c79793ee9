package selftest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sweepMemoryBound is the maximum of a sweep's resident memory, in bytes. `make bench` measures a million users.
const sweepMemoryBound = 96 << 20

var _ = Describe("A sweep", func() {
	const many = 4_000
	faulty, harmless := newPopulation(many, injectedFaults()), newPopulation(300, harmlessChanges())
	sweep := func(p changedPopulation) func() *result {
		return startEarly(&otherJobs, func() *result {
			t := startTarget(p.handler())
			defer t.Close()
			return p.sweep(t.URL).run()
		})
	}
	faultySweep, harmlessSweep := sweep(faulty), sweep(harmless)

	It("finds exactly the 137 of 4,000 users with a fault, grouped by cause, within its memory bound", func() {
		r := faultySweep()
		report, findings := checkSweep(r)
		Expect(report.Verdict).To(Equal("fail"))
		Expect(report.Complete).To(BeTrue())
		faulty.expectFound(report, findings)
		users := map[int]bool{}
		for _, one := range findings.findings {
			users[one.User.Index] = true
		}
		Expect(users).To(HaveLen(faultyUsers))
		Expect(r.stdout).To(ContainSubstring("\n%d of 4,000 users (", report.Tally.Differing))
		Expect(r.stdout).To(ContainSubstring(listFile))
		info, err := os.Stat(filepath.Join(r.reports(), listFile))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)), "it contains users and their values")
		Expect(slices.IsSortedFunc(findings.findings, byUser)).To(BeTrue())
		Expect(r.peakMemory).To(BeNumerically("<", sweepMemoryBound))
	})

	It("passes users whose answers change harmlessly", func() {
		report, findings := checkSweep(harmlessSweep())
		Expect(report.Verdict).To(Equal("pass"), "%s", harmlessSweep())
		Expect(report.Complete).To(BeTrue())
		harmless.expectFound(report, findings)
		Expect(findings.findings).To(BeEmpty())
	})

	fromInput := startEarly(&otherJobs, func() *result {
		t := startTarget(harmless.handler())
		defer t.Close()
		c := sweepOf(t.URL, "-")
		c.folder = newFolder()
		c.stdin = strings.NewReader(packZstd(harmless.ndjson()))
		return c.run()
	})
	It("reads compressed users from its standard input", func() {
		harmless.expectFound(checkSweep(fromInput()))
	})
})
