package ledger_test

import (
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

var (
	alice = settings.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "alice", Enrolled: true}
	bob   = settings.User{ID: "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a", UserID: "bob", Enrolled: true}
	carol = settings.User{ID: "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4b", UserID: "carol"}
)

// tellingRecord is a record of a user that shows that it is served (J13).
func tellingRecord(u settings.User) string {
	return `{"Id":"` + u.ID + `","UserId":"` + u.UserID + `","Flags":1,"ModeType":2,"IsLocked":true}`
}

// addAnswers adds what came for a user: a body for each version in turn, "" for a refusal.
func addAnswers(l *ledger.Ledger, u settings.User, op schemas.Operation, bodies ...string) {
	GinkgoHelper()
	var judgements []*spec.Judgement
	for i, body := range bodies {
		ex := &exchange.Exchange{Probe: exchange.Probe{ID: "e", Operation: op, Version: schemas.Versions()[i%2],
			User:  u,
			Round: 1 + i/2}, Status: 200, Duration: time.Millisecond, Header: http.Header{}, Body: []byte(body)}
		if body == "" {
			ex.Status = 403
		}
		judgements = append(judgements, testkit.Suite().Judge(ex))
	}
	Expect(l.AddAnswers(u, op, judgements)).To(Succeed())
}

var _ = Describe("The user for whom requests must be refused", func() {
	DescribeTable("is the first who is enrolled and to whom every call brought data",
		func(v5, v6 string, add func(*ledger.Ledger)) {
			l := newLedger()
			Expect(l.WasRead(schemas.GetUserAuth, alice)).To(BeFalse())
			add(l)
			for v, expected := range map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6} {
				user, found := l.Eligible(schemas.GetUserAuth, v)
				Expect(found).To(Equal(expected != ""))
				Expect(user.UserID).To(Equal(expected))
			}
			_, found := l.Eligible(schemas.FindByUserIDs, schemas.V5)
			Expect(found).To(BeFalse(), "of the other operation")
		},
		Entry("the first", "alice", "alice", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice), tellingRecord(alice), tellingRecord(alice),
				tellingRecord(alice))
			addAnswers(l, bob, schemas.GetUserAuth, tellingRecord(bob), tellingRecord(bob))
			Expect(l.WasRead(schemas.GetUserAuth, alice)).To(BeTrue())
			Expect(l.WasRead(schemas.FindByUserIDs, alice)).To(BeFalse())
		}),
		Entry("not one who was refused once, in that version", "bob", "alice", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice), tellingRecord(alice), "",
				tellingRecord(alice))
			addAnswers(l, bob, schemas.GetUserAuth, tellingRecord(bob), tellingRecord(bob))
		}),
		Entry("not one without authenticators", "alice", "alice", func(l *ledger.Ledger) {
			addAnswers(l, carol, schemas.GetUserAuth, tellingRecord(carol), tellingRecord(carol))
			addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice), tellingRecord(alice))
		}),
		Entry("not one to whom a version sent nothing", "alice", "", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice))
		}),
	)
})

var _ = Describe("Users whom a target may not know", func() {
	It("are those whom no version served in any call, of those who are enrolled", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, "", tellingRecord(alice), "", "")
		Expect(l.NobodyServed()).To(BeFalse())
		addAnswers(l, bob, schemas.GetUserAuth, "", "")
		addAnswers(l, carol, schemas.GetUserAuth, "", "")
		Expect(l.Unknown(alice)).To(BeFalse())
		Expect(l.Unknown(bob)).To(BeTrue())
		Expect(l.Unknown(settings.User{UserID: "nobody asked for"})).To(BeFalse())
		unknown, asked := l.UnknownUsers()
		Expect([]int{unknown, asked}).To(Equal([]int{1, 2}))
	})

	It("are all if nobody was served", func() {
		l := newLedger()
		Expect(l.NobodyServed()).To(BeFalse(), "nobody was asked for")
		addAnswers(l, bob, schemas.GetUserAuth, "", "")
		Expect(l.NobodyServed()).To(BeTrue())
	})
})

var _ = Describe("The users of a row that fails", func() {
	const wrongFlags = `{"Id":"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13","UserId":"alice","Flags":"1","ModeType":2}`

	It("are counted once each, by cause and in all", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, wrongFlags, tellingRecord(alice), wrongFlags, tellingRecord(alice))
		addAnswers(l, bob, schemas.GetUserAuth, `{"UserId":"bob","Flags":1.5}`, tellingRecord(bob))
		row := rowAt(l, "2.1/Flags", schemas.V5)
		Expect(row.Count).To(Equal(3))
		Expect(row.FailingUsers()).To(Equal(2))
		Expect(row.Causes).To(HaveLen(2))
		for _, c := range row.Causes {
			Expect(row.UsersOf(c)).To(Equal(1), c.Kind)
		}
		Expect(rowAt(l, "2.1/Flags", schemas.V6).FailingUsers()).To(BeZero())
	})

	It("are counted for parity too", func() {
		l := newLedger()
		for _, u := range []settings.User{alice, bob, alice} {
			Expect(l.Compare(schemas.GetUserAuth, u,
				&check.Comparison{Pair: schemas.Pair{From: schemas.V5, To: schemas.V6},
					Conclusion: parity.Conclusion{Comparable: true, Valued: true,
						Differences: []parity.Difference{{Kind: parity.Value, Pointer: "/Flags", Left: "1",
							Right: "2"}}}})).To(Succeed())
		}
		row := rowAt(l, "9.3/getUserAuth/values", schemas.Parity)
		Expect(row.FailingUsers()).To(Equal(2))
		Expect(rowAt(l, "9.3/getUserAuth/shape", schemas.Parity).FailingUsers()).To(BeZero())
	})
})

var _ = Describe("What was seen of a requirement", func() {
	coverage := func(l *ledger.Ledger, id string, v schemas.Version) ledger.Coverage {
		GinkgoHelper()
		for _, c := range l.Coverage() {
			if c.Key == (ledger.Key{ID: id, Version: v}) {
				return c
			}
		}
		Fail("there is no coverage of " + id)
		return ledger.Coverage{}
	}

	It("is counted for each user once, and what was never seen is named", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice), tellingRecord(alice), tellingRecord(alice),
			tellingRecord(alice))
		addAnswers(l, bob, schemas.GetUserAuth, tellingRecord(bob), `{"Flags":null}`)
		for v, seen := range map[schemas.Version]map[string]int{schemas.V5: {"value": 2},
			schemas.V6: {"value": 1, "null": 1}} {
			flags := coverage(l, "2.1/Flags", v)
			for alternative, n := range seen {
				Expect(flags.Seen).To(HaveKeyWithValue(alternative, n), "%s %s", v, alternative)
				Expect(flags.Never).NotTo(ContainElement(alternative))
			}
			Expect(flags.Never).To(ContainElement("absent"))
			Expect(flags.Seen).NotTo(HaveKey("absent"))
		}
		Expect(coverage(l, "2.1/CreatedOn", schemas.V5).Seen).To(Equal(map[string]int{"absent": 2}))
	})

	It("is listed of the selected rows, in the catalogue's order", func() {
		l := newLedger()
		l.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V6}: true,
			{ID: "2.1/Flags", Version: schemas.V6}: true})
		var ids []string
		for _, c := range l.Coverage() {
			ids = append(ids, c.String())
		}
		Expect(ids).To(Equal([]string{"2.1/Flags v6", "2.1/Id v6"}))
	})

	It("is not listed of rows without alternatives", func() {
		for _, c := range newLedger().Coverage() {
			Expect(c.ID).NotTo(HavePrefix("9.3/"))
			Expect(c.Never).NotTo(BeEmpty(), c.ID)
		}
	})
})

var _ = Describe("Open points that need several answers", func() {
	list := func(ids ...string) string {
		text := ""
		for _, id := range ids {
			text += `,"` + id + `"`
		}
		return "[" + text[min(1, len(text)):] + "]"
	}

	It("tell whether a record is in the list of its user, and whether a list keeps its order", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, tellingRecord(alice), tellingRecord(alice))
		addAnswers(l, alice, schemas.FindByUserIDs, list(alice.ID, bob.ID), list(bob.ID), list(bob.ID, alice.ID),
			list(bob.ID, alice.ID)) // the first call counts
		addAnswers(l, bob, schemas.FindByUserIDs, list(carol.ID), list(carol.ID)) // whose records were not read
		l.Close(true)
		overlap := observationOf(l, "open/4.3/identifier-overlap", schemas.GetUserAuth)
		Expect(summaryOf(overlap, schemas.V5)).To(Equal("stands in the list"))
		Expect(summaryOf(overlap, schemas.V6)).To(Equal("does not stand in the list"))
		Expect(versionsDiverge(overlap)).To(BeTrue())
		order := observationOf(l, "open/4.3/list-order", schemas.FindByUserIDs)
		Expect(summaryOf(order, schemas.V5)).To(Equal("changes between identical calls"))

		l = newLedger()
		addAnswers(l, alice, schemas.FindByUserIDs, list(alice.ID),
			list(alice.ID)) // one call of each version shows no order
		l.Close(true)
		Expect(summaryOf(observationOf(l, "open/4.3/list-order", schemas.FindByUserIDs),
			schemas.V5)).To(Equal("no list of two or more was seen"))
	})
})
