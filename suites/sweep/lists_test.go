package sweep_test

import (
	"context"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/ledger"
)

// oneList lets findByUserIds answer one list for the users from a number on.
func oneList(from int) answering {
	return func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
		is := user >= from && strings.HasSuffix(r.URL.Path, "/findByUserIds")
		if is {
			withBody(`["0f8fad5b-d9cb-469f-a165-70867728950e","9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a"]`)(w)
		}
		return is
	}
}

var _ = DescribeTable("A sweep is inconclusive if half of the lists of identifiers are also another user's (J24)",
	func(from int, verdict ledger.Verdict, reason string) {
		run := carryOut(newSweep(serveExcept(validFor(10), oneList(from)).URL, inventedUsers(10)))
		Expect(run.Verdict).To(Equal(verdict))
		Expect(run.Reason).To(HavePrefix(reason))
		Expect(run.Tally.Lists).To(And(HaveLen(10), HaveEach(MatchRegexp("^[0-9a-f]{32}$"))))
	},
	Entry("all are", 0, ledger.Inconclusive, "10 of the first 10 lists of identifiers are also another user's"),
	Entry("half are", 5, ledger.Inconclusive, "5 of the first 10 lists of identifiers are also another user's"),
	Entry("fewer are", 6, ledger.Pass, "all alike"),
	Entry("none is", 10, ledger.Pass, "all alike"),
)

var _ = It("A sweep that is resumed keeps the lists of identifiers that it met before", func() {
	target := serveExcept(validFor(80), oneList(10))
	first := newSweep(target.URL, inventedUsers(80), withConcurrency(1))
	target.stopAfter(context.Background(), first, 220) // in the third block: the first one counts
	Expect(first.Tally.Lists).NotTo(BeEmpty())
	resumed := carryOut(newSweep(target.URL, inventedUsers(80), resumeSweep(first)))
	whole := carryOut(newSweep(target.URL, inventedUsers(80)))
	Expect(resumed.Tally.Lists).To(And(HaveLen(80), Equal(whole.Tally.Lists)))
	Expect(resumed.Reason).To(And(Equal(whole.Reason), HavePrefix("70 of the first 80 lists")))
})
