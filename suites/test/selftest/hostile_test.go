package selftest_test

import (
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/suites/internal/testkit"
)

// A run against any hostile target ends, describes what happened, and reveals no secret. Package suites/test/proof
// judges all of them in process. Only a process shows its memory, its end and its streams, and takes long: each change
// is checked with a twentieth of them, which the random seed draws, and every night with all.
var _ = Describe("A hostile target", func() {
	list := hostile.All()
	random := rand.New(rand.NewPCG(uint64(GinkgoRandomSeed()), 46))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	judge := func(list []hostile.Target, labels ...string) {
		early := make(jobs, 0, len(list))
		for _, t := range list {
			runs := startEarly(&early, func() []hostileRun { return hostileRuns(t) })
			It(t.Name+" ends a run in good order", Label(labels...), func() {
				for _, r := range runs() {
					r.checkAgainst(t)
				}
			})
		}
	}
	judge(list[:len(list)/20], proofLabel, hostileLabel)
	judge(list[len(list)/20:], proofLabel, hostileLabel, nightLabel)

	// Those of the families that need the most memory, or write to a terminal.
	for _, name := range []string{"coding-bomb-of-members", "http2-endless-body", "length-largest",
		"status-line-terminal"} {
		It("that needs much memory, or writes to a terminal, ends a run in good order: "+name, func() {
			runHostile(hostileNamed(name), fixtures.AccessToken).checkAgainst(hostileNamed(name))
		})
	}

	It("that answers twice makes the HTTP client log nothing on the standard error", func() {
		r := runHostile(hostileNamed("answers-twice"), fixtures.AccessToken)
		Expect(r.exitCode).To(BeElementOf(1, 2), "%s", r)
		Expect(r.stderr).To(BeEmpty())
	})
})

var _ = Describe("What a hostile target must not do", Label(proofLabel), func() {
	DescribeTable("is found in a file by its kind:", func(name, content string, accepted bool) {
		if err := checkFile(name, []byte(content)); accepted {
			Expect(err).NotTo(HaveOccurred())
		} else {
			Expect(err).To(HaveOccurred())
		}
	}, testkit.Entries("files"), Entry("evidence that is no UTF-8", "a.har", "{\"a\": \"\x9b\"}", false))

	DescribeTable("is found on a stream:", func(line string, forged bool) {
		found := forgedLines("verdict: fail (complete)\n"+line+"\n", "fail")
		Expect(len(found) > 0).To(Equal(forged), "%q", found)
	}, testkit.Entries("lines"))
})
