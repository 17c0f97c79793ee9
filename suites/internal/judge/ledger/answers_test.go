package ledger_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The user for whom requests must be refused", func() {
	DescribeTable("is the first who is enrolled and to whom every call brought data",
		func(v5, v6 string, users []exchange.User, answers ...string) {
			l := newLedger()
			Expect(l.WasRead(schemas.GetUserAuth, alice)).To(BeFalse())
			for i, user := range users {
				bodies := strings.Split(strings.ReplaceAll(answers[i], "served", recordOf(user)), "; ")
				addAnswers(l, user, schemas.GetUserAuth, bodies...)
			}
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
		Entry("the first", "alice", "alice", []exchange.User{alice, bob}, "served; served; served; served",
			"served; served"),
		Entry("not one who was refused once, in that version", "bob", "alice", []exchange.User{alice, bob},
			"served; served; ; served", "served; served"),
		Entry("not one without authenticators", "alice", "alice", []exchange.User{carol, alice}, "served; served",
			"served; served"),
		Entry("not one to whom a version sent nothing", "alice", "", []exchange.User{alice}, "served"),
	)
})

var _ = It("Users whom a target may not know are those whom no version served in any call, of those who are enrolled",
	func() {
		l := newLedger()
		addAnswers(l, bob, schemas.GetUserAuth, "", "")
		Expect(l.Users()).To(And(HaveField("Asked", 1), HaveField("Known", 0)))
		addAnswers(l, alice, schemas.GetUserAuth, "", recordOf(alice), "", "")
		addAnswers(l, carol, schemas.GetUserAuth, "", "")
		Expect(l.Unknown(alice)).To(BeFalse())
		Expect(l.Unknown(bob)).To(BeTrue())
		Expect(l.Unknown(exchange.User{UserID: "nobody asked for"})).To(BeFalse())
		Expect(l.Users()).To(And(HaveField("Known", 1), HaveField("Unknown", 1), HaveField("Enrolled", 2)))
	})

var _ = It("A user is gone also if one operation served at first, and the other one never", func() {
	l := newLedger()
	for op, status := range map[schemas.Operation]int{schemas.GetUserAuth: 200, schemas.FindByUserIDs: 404} {
		var judgements []*spec.Judgement
		for i, v := range schemas.Versions() {
			j := judgeAnswer(wellFormed(alice, op, v, 1), status, recordOf(alice))
			j.Answer.Exchange.Started = time.Unix(int64(status+i), 0)
			judgements = append(judgements, j)
		}
		Expect(l.AddAnswers(alice, op, judgements)).To(Succeed())
	}
	Expect(l.Gone(alice)).To(BeTrue())
})

var _ = DescribeTable("A user is gone who was served at first, and answered 404 by all versions from then on:",
	func(gone bool, answers ...string) {
		l := newLedger()
		var judgements []*spec.Judgement
		for i, body := range answers {
			status := http.StatusOK
			if body == "" {
				status, body = http.StatusNotFound, "gone"
			}
			p := wellFormed(alice, schemas.GetUserAuth, schemas.Versions()[i%2], 1+i/2)
			judgements = append(judgements, judgeAnswer(p, status, body))
		}
		Expect(l.AddAnswers(alice, schemas.GetUserAuth, judgements)).To(Succeed())
		Expect(l.Gone(alice)).To(Equal(gone))
		Expect(l.Gone(bob)).To(BeFalse())
	},
	Entry("after the first two calls", true, recordOf(alice), recordOf(alice), "", ""),
	Entry("after the third call, which shows in the next answers", true, recordOf(alice), recordOf(alice),
		recordOf(alice), "", "", ""),
	Entry("not one who is served by one version", false, recordOf(alice), "", recordOf(alice), ""),
	Entry("not one who was never served", false, "", "", "", ""),
)

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
		for _, u := range []exchange.User{alice, bob, alice} {
			Expect(l.Compare(schemas.GetUserAuth, u, valueDiffers())).To(Succeed())
		}
		Expect(rowAt(l, "9.3/getUserAuth/values", schemas.Parity).FailingUsers()).To(Equal(2))
		Expect(rowAt(l, "9.3/getUserAuth/shape", schemas.Parity).FailingUsers()).To(BeZero())
	})
})

var _ = It("Altered requests serve nobody, and their findings are of no user", func() {
	l := newLedger()
	random := alteredProbe(alice, exchange.RandomToken, "AccessToken")
	Expect(l.Add(judgeAnswer(random, 200, recordOf(alice)))).To(Succeed())
	row := rowAt(l, "5.1/getUserAuth/token", schemas.V5)
	Expect([]int{row.Count, row.FailingUsers()}).To(Equal([]int{1, 0}))
	Expect(l.Users().Asked).To(BeZero())
	Expect(rowAt(closeLedger(l), "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotServed))
})

var _ = Describe("What the evidence lacks", func() {
	read := wellFormed(alice, schemas.GetUserAuth, schemas.V5, 1)
	in := func(p exchange.Probe, op schemas.Operation, v schemas.Version) exchange.Probe {
		p.Operation, p.Version = op, v
		return p
	}
	lost := func(kind exchange.Kind, field string) exchange.Probe { return alteredProbe(alice, kind, field) }

	DescribeTable("leaves open the rows that need it", func(lost exchange.Probe, want ...string) {
		l := passEveryRow(newLedger())
		l.NoteMissing(lost)
		open := []string{}
		for _, row := range closeLedger(l).Rows() {
			if row.Verdict() != ledger.Pass {
				Expect(row.Verdict()).To(Equal(ledger.Inconclusive))
				Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
				open = append(open, row.Key.String())
			}
		}
		Expect(open).To(ConsistOf(want))
		Expect(l.Missing).To(Equal([]exchange.Probe{lost}))
		Expect(l.Complete()).To(BeFalse())
	},
		Entry("a field that is absent", lost(exchange.Absent, "Id"), "4.1/Id/required v5"),
		Entry("a field that is null", lost(exchange.Null, "UserId"), "4.1/UserId/required v5"),
		Entry("of the other operation and version",
			in(lost(exchange.Null, "UserId"), schemas.FindByUserIDs, schemas.V6), "4.2/UserId/required v6"),
		Entry("an empty token", lost(exchange.EmptyToken, "AccessToken"), "4.1/AccessToken/required v5"),
		Entry("a random token", lost(exchange.RandomToken, "AccessToken"), "5.1/getUserAuth/token v5"),
		Entry("a changed token", in(lost(exchange.ChangedToken, "AccessToken"), schemas.FindByUserIDs, schemas.V6),
			"5.1/findByUserIds/token v6"),
		Entry("a read of identifiers", in(read, schemas.FindByUserIDs, schemas.V6), "2.3/identifiers v6",
			"4.2/user v6", "4/findByUserIds/served v6", "9.3/findByUserIds/shape v5=v6",
			"9.3/findByUserIds/values v5=v6"),
		// A row that no request can be without: where nothing of documented rows is lacking, the run is still not
		// whole.
		Entry("a request that is only observed", lost(exchange.WrongMethod, "")),
		Entry("a neighbouring release", lost(exchange.AdjacentVersion, "")),
	)

	It("leaves open every row that a well-formed request is needed for, in its version and in parity", func() {
		passed, unseen := passEveryRow(newLedger()), newLedger()
		passed.NoteMissing(read)
		unseen.NoteMissing(read)
		closeLedger(unseen)
		for _, row := range closeLedger(passed).Rows() {
			ofRead := row.Version != schemas.V6 && row.Requirement.Needs(read)
			Expect(row.Verdict() != ledger.Pass).To(Equal(ofRead), row.Key.String())
			Expect(ofRead).To(Equal(row.Version != schemas.V6 && (row.Requirement.Asks(read) || row.ID == "4.2/user")))
			if ofRead {
				Expect(unseen.Row(row.Key).Reason).To(Equal(ledger.NotRun), "nothing is not-served: that is not known")
			}
		}
	})

	It("leaves open nothing of what was read, if it was altered, nor a row that fails without it", func() {
		l := failRow(newLedger(), "4.1/Id/required", schemas.V5)
		l.NoteMissing(lost(exchange.Null, "Id"))
		closeLedger(l)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotServed))
		Expect(rowAt(l, "4.1/Id/required", schemas.V5).Verdict()).To(Equal(ledger.Fail))
	})

	It("leaves open whether the versions diverge, whichever exchange is missing", func() {
		for _, lost := range []exchange.Probe{read, lost(exchange.Absent, "Id"), lost(exchange.WrongMethod, ""),
			lost(exchange.AdjacentVersion, ""), lost(exchange.RandomToken, "AccessToken")} {
			l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), DivergenceFails: true})
			for _, row := range l.Rows() {
				if !strings.HasSuffix(row.ID, "/divergence") {
					Expect(l.Merge(row.Key, check.Outcome{Witnesses: 1})).To(Succeed())
				}
			}
			for _, op := range schemas.Operations() {
				observeBoth(l, "open/4.3/status", op, "200", "200")
			}
			l.NoteMissing(lost)
			row := rowAt(closeLedger(l), "9.3/getUserAuth/divergence", schemas.Parity)
			Expect(row.Verdict()).To(Equal(ledger.Inconclusive), lost.Name())
			Expect(row.Reason).To(Equal(ledger.NotRun), lost.Name())
			Expect(rowAt(l, "9.3/findByUserIds/divergence", schemas.Parity).Verdict()).To(Equal(ledger.Pass),
				lost.Name())
		}
	})

	It("is not compared at open points, of its operation only", func() {
		l := newLedger()
		for _, op := range schemas.Operations() {
			observeBoth(l, "open/4.3/status", op, "200", "201")
			observeBoth(l, "open/7/not-json", op, "400", "400")
		}
		l.NoteMissing(read)
		closeLedger(l)
		Expect(agreementOf(observationOf(l, "open/4.3/status", schemas.GetUserAuth))).To(Equal("not compared"))
		Expect(agreementOf(observationOf(l, "open/4.3/status", schemas.FindByUserIDs))).To(Equal("diverge"))
		Expect(agreementOf(observationOf(l, "open/7/not-json", schemas.GetUserAuth))).To(Equal("agree"),
			"another request shows it")
	})

	DescribeTable("is not compared if any exchange shows it, a refusal too", func(id string) {
		l := newLedger()
		l.Observe(id, schemas.GetUserAuth, schemas.V6, "seen in a refusal")
		l.Asked(id, schemas.GetUserAuth, schemas.V5)
		l.NoteMissing(lost(exchange.RandomToken, "AccessToken"))
		Expect(agreementOf(observationOf(closeLedger(l), id, schemas.GetUserAuth))).To(Equal("not compared"))
	},
		Entry(nil, "open/5.4/header-authentication"), Entry(nil, "open/8/rate-limit"),
		Entry(nil, "open/9.4/deprecation"),
	)

	It("is not compared, however much is missing, of which the first thousand are named", func() {
		l := newLedger()
		for i := range 1100 {
			p := read
			p.ID, p.User.UserID = fmt.Sprintf("e%d", i+1), fmt.Sprint(i)
			l.NoteMissing(p)
		}
		observeBoth(l, "open/4.3/status", schemas.FindByUserIDs, "200", "201")
		l.NoteMissing(in(read, schemas.FindByUserIDs, schemas.V5))
		o := observationOf(closeLedger(l), "open/4.3/status", schemas.FindByUserIDs)
		Expect(agreementOf(o)).To(Equal("not compared"))
		Expect(l.Missing).To(HaveLen(1000))
	})
})

var _ = It("The time of a request is shared by the rows that it was judged for", func() {
	l := newLedger()
	addAnswers(l, alice, schemas.GetUserAuth, recordOf(alice), recordOf(alice))
	var spent time.Duration
	for _, row := range l.Rows() {
		Expect(row.Spent).To(BeNumerically("<", time.Millisecond))
		spent += row.Spent
	}
	Expect(spent).To(BeNumerically("~", 2*time.Millisecond, time.Microsecond))
})
