package gate_test

import (
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("A failure that a waiver set aside in the baseline is known until the waiver's last day:",
	func(until string, endedNow bool, verdict ledger.Verdict) {
		path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
		was := newReport()
		failed := &was.Requirements[1]
		failed.Verdict, failed.Waiver = ledger.Fail, &report.Waiver{Reason: "known", Until: until}
		Expect(failed.Causes).NotTo(BeEmpty())
		Expect(gate.Write(path, was)).To(Succeed())

		now := newReport()
		now.Started = time.Date(2026, 7, 2, 12, 0, 0, 0, time.UTC)
		now.Requirements[1].Waiver, now.Requirements[1].WaiverEnded = nil, endedNow
		gate.Compare(testkit.Must(gate.Read(path, testkit.Contract())), now, false)
		Expect(now.Verdict).To(Equal(verdict))
	},
	Entry("before it", "2026-07-10", false, ledger.Pass),
	Entry("on it", "2026-07-02", false, ledger.Pass),
	Entry("after it", "2026-07-01", false, ledger.Fail),
	Entry("no day, as the file was changed", "2026-07", false, ledger.Fail),
	Entry("before it, but the waiver of now has ended", "2026-07-10", true, ledger.Fail),
)

var _ = It("What a waiver sets aside is neither new nor grown", func() {
	path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
	was := newReport()
	was.Requirements[1].Verdict, was.Requirements[1].Causes = ledger.Pass, nil
	Expect(gate.Write(path, was)).To(Succeed())

	now := newReport()
	now.Requirements[1].Verdict, now.Requirements[1].Waiver = ledger.Fail, &report.Waiver{Reason: "known"}
	gate.Compare(testkit.Must(gate.Read(path, testkit.Contract())), now, false)
	Expect(now.Gate.New).To(BeEmpty())
	Expect(now.Gate.Grown).To(BeEmpty())
})
