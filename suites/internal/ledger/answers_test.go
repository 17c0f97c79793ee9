package ledger_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("The user for whom requests must be refused", func() {
	a, b, c := recordOf(alice), recordOf(bob), recordOf(carol)

	DescribeTable("is the first who is enrolled and to whom every call brought data",
		func(v5, v6 string, add func(*ledger.Ledger)) {
			l := newLedger()
			Expect(l.WasRead(schemas.GetUserAuth, alice)).To(BeFalse())
			add(l)
			Expect(l.WasRead(schemas.GetUserAuth, alice)).To(BeTrue())
			Expect(l.WasRead(schemas.FindByUserIDs, alice)).To(BeFalse())
			for v, expected := range map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6} {
				user, found := l.Eligible(schemas.GetUserAuth, v)
				Expect(found).To(Equal(expected != ""))
				Expect(user.UserID).To(Equal(expected))
			}
			_, found := l.Eligible(schemas.FindByUserIDs, schemas.V5)
			Expect(found).To(BeFalse(), "of the other operation")
		},
		Entry("the first", "alice", "alice", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, a, a, a, a)
			addAnswers(l, bob, schemas.GetUserAuth, b, b)
		}),
		Entry("not one who was refused once, in that version", "bob", "alice", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, a, a, "", a)
			addAnswers(l, bob, schemas.GetUserAuth, b, b)
		}),
		Entry("not one without authenticators", "alice", "alice", func(l *ledger.Ledger) {
			addAnswers(l, carol, schemas.GetUserAuth, c, c)
			addAnswers(l, alice, schemas.GetUserAuth, a, a)
		}),
		Entry("not one to whom a version sent nothing", "alice", "", func(l *ledger.Ledger) {
			addAnswers(l, alice, schemas.GetUserAuth, a)
		}),
	)
})

var _ = It("Users whom a target may not know are those whom no version served in any call, of those who are enrolled",
	func() {
		l := newLedger()
		Expect(l.NobodyServed()).To(BeFalse(), "nobody was asked for")
		addAnswers(l, bob, schemas.GetUserAuth, "", "")
		Expect(l.NobodyServed()).To(BeTrue())
		addAnswers(l, alice, schemas.GetUserAuth, "", recordOf(alice), "", "")
		Expect(l.NobodyServed()).To(BeFalse())
		addAnswers(l, carol, schemas.GetUserAuth, "", "")
		Expect(l.Unknown(alice)).To(BeFalse())
		Expect(l.Unknown(bob)).To(BeTrue())
		Expect(l.Unknown(settings.User{UserID: "nobody asked for"})).To(BeFalse())
		unknown, asked := l.UnknownUsers()
		Expect([]int{unknown, asked}).To(Equal([]int{1, 2}))
	})

var _ = Describe("The users of a row that fails", func() {
	It("are counted once each, by cause and in all", func() {
		const wrongFlags = `{"Id":"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13","UserId":"alice","Flags":"1","ModeType":2}`
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, wrongFlags, recordOf(alice), wrongFlags, recordOf(alice))
		addAnswers(l, bob, schemas.GetUserAuth, `{"UserId":"bob","Flags":1.5}`, recordOf(bob))
		row := rowAt(l, "2.1/Flags", schemas.V5)
		Expect([]int{row.Count, row.FailingUsers()}).To(Equal([]int{3, 2}))
		Expect(row.Causes).To(HaveLen(2))
		for _, c := range row.Causes {
			Expect(row.UsersOf(c)).To(Equal(1), c.Kind)
		}
		Expect(rowAt(l, "2.1/Flags", schemas.V6).FailingUsers()).To(BeZero())
	})

	It("are counted for parity too", func() {
		l := newLedger()
		for _, u := range []settings.User{alice, bob, alice} {
			Expect(l.Compare(schemas.GetUserAuth, u, valueDiffers())).To(Succeed())
		}
		Expect(rowAt(l, "9.3/getUserAuth/values", schemas.Parity).FailingUsers()).To(Equal(2))
		Expect(rowAt(l, "9.3/getUserAuth/shape", schemas.Parity).FailingUsers()).To(BeZero())
	})
})

var _ = Describe("What was seen of a requirement", func() {
	seenAt := func(l *ledger.Ledger, id string, v schemas.Version) ledger.Coverage {
		GinkgoHelper()
		list := l.Coverage()
		i := slices.IndexFunc(list, func(c ledger.Coverage) bool { return c.Key == (ledger.Key{ID: id, Version: v}) })
		Expect(i).NotTo(Equal(-1), id)
		return list[i]
	}

	It("is counted for each user once, and what was never seen is named", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, recordOf(alice), recordOf(alice), recordOf(alice), recordOf(alice))
		addAnswers(l, bob, schemas.GetUserAuth, recordOf(bob), `{"Flags":null}`)
		v5, v6 := seenAt(l, "2.1/Flags", schemas.V5), seenAt(l, "2.1/Flags", schemas.V6)
		Expect(v5.Seen).To(Equal(map[string]int{"value": 2, "integer in digits": 2}))
		Expect(v5.Never).To(ContainElements("null", "absent"))
		Expect(v6.Seen).To(Equal(map[string]int{"value": 1, "null": 1, "integer in digits": 1}))
		Expect(v6.Never).To(And(ContainElement("absent"), Not(ContainElement("null"))))
		Expect(seenAt(l, "2.1/CreatedOn", schemas.V5).Seen).To(Equal(map[string]int{"absent": 2}))
	})

	It("is listed of the selected rows that have alternatives, in the catalogue's order", func() {
		l := newLedger()
		for _, c := range l.Coverage() {
			Expect(c.ID).NotTo(HavePrefix("9.3/"))
			Expect(c.Never).NotTo(BeEmpty(), c.ID)
		}
		l.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V6}: true,
			{ID: "2.1/Flags", Version: schemas.V6}: true})
		var ids []string
		for _, c := range l.Coverage() {
			ids = append(ids, c.String())
		}
		Expect(ids).To(Equal([]string{"2.1/Flags v6", "2.1/Id v6"}))
	})

	It("is what altered requests showed, too", func() {
		l := newLedger()
		Expect(l.Add(judgeAnswer(alteredProbe(alice, exchange.EmptyToken, "AccessToken"), 403, ""))).To(Succeed())
		Expect(seenAt(l, "4.1/AccessToken/required", schemas.V5).Seen).NotTo(BeEmpty())
	})
})

var _ = It("Altered requests serve nobody, and their findings are of no user", func() {
	l := newLedger()
	Expect(l.Add(judgeAnswer(alteredProbe(alice, exchange.RandomToken, "AccessToken"), 200, recordOf(alice)))).To(Succeed())
	row := rowAt(l, "5.1/getUserAuth/token", schemas.V5)
	Expect([]int{row.Count, row.FailingUsers()}).To(Equal([]int{1, 0}))
	_, asked := l.UnknownUsers()
	Expect(asked).To(BeZero())
	Expect(rowAt(closeLedger(l), "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotServed))
})
