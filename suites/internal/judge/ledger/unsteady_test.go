package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"testing/quick"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
)

// A history is the number that each call of a lookup shows at a member: to these versions, in the order of time.
type history func(random *rand.Rand, order []schemas.Version) []int

// movedOnce is one change of the data, since which each version has a call.
func movedOnce(random *rand.Rand, order []schemas.Version) []int {
	shown := make([]int, len(order))
	for i := range random.IntN(len(order) - 1) {
		shown[i] = 1
	}
	return shown
}

// endedApart is another value in each version, but for what the first call shows.
func endedApart(random *rand.Rand, order []schemas.Version) (shown []int) {
	for _, v := range order {
		shown = append(shown, int(v[1]))
	}
	shown[0] = random.IntN(3)
	return shown
}

// backAndForth changes at each call to some versions, and stands still in the other.
func backAndForth(in ...schemas.Version) history {
	return func(random *rand.Rand, order []schemas.Version) (shown []int) {
		calls := map[schemas.Version]int{}
		for _, v := range in {
			calls[v] = random.IntN(2)
		}
		for _, v := range order {
			shown = append(shown, calls[v]%2)
			if _, changes := calls[v]; changes {
				calls[v]++
			}
		}
		return shown
	}
}

var _ = DescribeTable("For some users of many whose data moves, whoever is asked first, each lookup shows at a member",
	func(member string, some history, verdict ledger.Verdict, unsteady int) {
		order := []schemas.Version{schemas.V5, schemas.V6, schemas.V6, schemas.V5, schemas.V5, schemas.V6}
		Expect(quick.Check(func(seed uint64) bool {
			random := rand.New(rand.NewPCG(seed, 15))
			var lookups []parity.Lookup
			for user := range 3 + random.IntN(3) {
				show := history(movedOnce)
				if user < 1+random.IntN(2) {
					show = some
				}
				l := parity.Lookup{Operation: schemas.GetUserAuth, Pair: pair}
				for i, number := range show(random, order) {
					body := fmt.Sprintf(`{"Id":"x","%s":%d}`, member, number)
					l.Calls = append(l.Calls, parity.Call{Version: order[i], Served: true, Body: []byte(body)})
				}
				lookups = append(lookups, l)
			}
			judge := func(users []int) (text string, row *ledger.Row, places int) {
				l := newLedger()
				for _, user := range users {
					c := &check.Comparison{Pair: pair, Conclusion: parity.Rule{}.Conclude(lookups[user])}
					Expect(l.Compare(schemas.GetUserAuth, exchange.User{ID: fmt.Sprint(user)}, c)).To(Succeed())
				}
				row = rowAt(closeLedger(l), "9.3/getUserAuth/values", schemas.Parity)
				text = fmt.Sprint(l.Unsteady, row.Verdict(), row.Reason, row.Count, row.FailingUsers(), row.Notes)
				return text, row, len(l.Unsteady)
			}
			inOrder := make([]int, len(lookups))
			for i := range inOrder {
				inOrder[i] = i
			}
			text, row, places := judge(inOrder)
			shuffled, _, _ := judge(random.Perm(len(lookups)))
			return text == shuffled && row.Verdict() == verdict && places == unsteady
		}, &quick.Config{MaxCount: 50})).To(Succeed())
	},
	Entry("the same in the end: equal", "Flags", history(movedOnce), ledger.Pass, 0),
	Entry("another value in each version: a finding", "Flags", history(endedApart), ledger.Fail, 0),
	Entry("what goes back and forth in v5 alone: a finding", "Flags", backAndForth(schemas.V5), ledger.Fail, 1),
	Entry("the same in v6, of which the document shows nothing: a finding", "Extra", backAndForth(schemas.V6),
		ledger.Fail, 1),
	Entry("what goes back and forth in both: undecided", "Flags", backAndForth(schemas.V5, schemas.V6),
		ledger.Inconclusive, 1),
	Entry("the same, of which the document shows nothing: left out", "Extra", backAndForth(schemas.V5, schemas.V6),
		ledger.Pass, 1),
)
