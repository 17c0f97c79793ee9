package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
)

var _ = DescribeTable("What is unsteady for some users is decided over all of them:",
	func(p parity.Pooled, served int64, standing parity.Standing, differs bool) {
		Expect(p.Standing(served)).To(Equal(standing))
		Expect(p.Differs()).To(Equal(differs))
	},
	Entry("in v6 only: a finding", parity.Pooled{To: 4, Either: 4, Documented: true}, int64(0), parity.OneSided, false),
	Entry("in v5 only, where the document shows nothing: a finding", parity.Pooled{From: 1, Either: 1}, int64(0),
		parity.OneSided, false),
	Entry("in both, documented: undecided", parity.Pooled{From: 1, To: 4, Either: 5, Differ: 5, Documented: true},
		int64(0), parity.Undecided, false),
	Entry("in both, documented, and more users differ there",
		parity.Pooled{From: 1, To: 4, Either: 5, Differ: 6, Documented: true}, int64(0), parity.Undecided, true),
	Entry("in both, undocumented: left out", parity.Pooled{From: 12, To: 12, Either: 12}, int64(0), parity.Volatile,
		false),
	Entry("one user for whom v6 settled: a replica may have lagged", parity.Pooled{SettledTo: 1, Compared: 13},
		int64(0),
		parity.Steady, false),
	Entry("two users for whom v6 alone settled", parity.Pooled{SettledTo: 2, Compared: 13}, int64(0),
		parity.Undecided, false),
	Entry("three users for whom v6 alone settled: a canary", parity.Pooled{SettledTo: 3, Compared: 13}, int64(0),
		parity.OneSided, false),
	Entry("three users for whom v6 alone settled, one of them in a block that was asked again",
		parity.Pooled{SettledTo: 3, SettledAgain: 1, Compared: 13}, int64(0), parity.Undecided, false),
	Entry("four of them, one of these in a block that was asked again: a canary",
		parity.Pooled{SettledTo: 4, SettledAgain: 1, Compared: 100}, int64(0), parity.OneSided, false),
	Entry("a quarter of the users or more: their first call warmed v6 up", parity.Pooled{SettledTo: 6, Compared: 24},
		int64(0),
		parity.WarmedUp, false),
	Entry("what settles now in v5, now in v6", parity.Pooled{SettledFrom: 2, SettledTo: 4, Compared: 13}, int64(0),
		parity.Steady, false),
	Entry("what settles now in v5, now in v6, for few of many users",
		parity.Pooled{SettledFrom: 2, SettledTo: 4, Compared: 100}, int64(0), parity.Steady, false),
	Entry("three users for whom v6 alone settled, and one for whom both did",
		parity.Pooled{SettledTo: 3, SettledInBoth: 1, Compared: 13}, int64(0), parity.Steady, false),
	Entry("in v6, and in v5 as often as it settled there: in both",
		parity.Pooled{From: 1, SettledFrom: 1, To: 4, Either: 5, Compared: 13, Documented: true}, int64(0),
		parity.Undecided, false),
	Entry("in v5, and in v6 as often as it settled there: in both",
		parity.Pooled{To: 1, SettledTo: 1, From: 4, Either: 5, Compared: 13, Documented: true}, int64(0),
		parity.Undecided, false),
	Entry("unsteady in v6 for one user, and v5 settled for another: nodes behind both",
		parity.Pooled{To: 1, Either: 1, SettledFrom: 1, Compared: 13, Documented: true}, int64(0), parity.Undecided,
		false),
	Entry("in a sweep, for fewer than one in a thousand: counted", parity.Pooled{To: 4, Either: 4}, int64(4001),
		parity.Rare, false),
	Entry("in a sweep, for one in a thousand: a finding", parity.Pooled{To: 4, Either: 4}, int64(4000),
		parity.OneSided, false),
)

var _ = DescribeTable("The place of a difference is a member, in whichever record:",
	func(op schemas.Operation, pointer, place string) {
		Expect(parity.PlaceOf(op, pointer)).To(Equal(place))
	},
	Entry(nil, schemas.GetUserAuth, "/Comment", "/Comment"),
	Entry(nil, schemas.GetUserAuth, "/*/Device/Id", "/Device/Id"),
	Entry("a record that one list lacks", schemas.GetUserAuth, "/*", "/*"),
	Entry("the whole answer", schemas.GetUserAuth, "", ""),
	Entry("an identifier", schemas.FindByUserIDs, "/*", "/*"),
)
