package ledger_test

import (
	"fmt"
	"net/http"
	"strings"
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

var pair = schemas.Pair{From: schemas.V5, To: schemas.V6}

// judgedAnswer is the judgement of an answer to a request for a user, well-formed or altered.
func judgedAnswer(u settings.User, kind exchange.Kind, v schemas.Version, status int, body string) *spec.Judgement {
	p := exchange.Probe{ID: "e", Operation: schemas.GetUserAuth, Version: v, User: u, Kind: kind}
	if kind == exchange.NoMutation {
		p.Round = 1
	} else {
		p.Field = "AccessToken"
	}
	return testkit.Suite().Judge(&exchange.Exchange{Probe: p, Status: status, Duration: time.Millisecond,
		Header: http.Header{}, Body: []byte(body)})
}

// addCall adds the first answers of both versions for a user: v5 with 200, v6 with another status, and a body.
func addCall(l *ledger.Ledger, u settings.User, status int, body string) {
	GinkgoHelper()
	Expect(l.AddAnswers(u, schemas.GetUserAuth, []*spec.Judgement{
		judgedAnswer(u, exchange.NoMutation, schemas.V5, 200, tellingRecord(u)),
		judgedAnswer(u, exchange.NoMutation, schemas.V6, status, body)})).To(Succeed())
}

// addDifference adds a difference between the versions for a user.
func addDifference(l *ledger.Ledger, u settings.User) {
	GinkgoHelper()
	Expect(l.Compare(schemas.GetUserAuth, u, &check.Comparison{Pair: pair,
		Conclusion: parity.Conclusion{Comparable: true,
			Valued: true, Differences: []parity.Difference{{Kind: parity.Value, Pointer: "/Flags", Left: "1",
				Right: "2"}}}})).To(
		Succeed())
}

var _ = Describe("A divergence at an open point is explained by findings", func() {
	wrong := `{"UserId":"alice","Flags":"1"}`

	DescribeTable("only if the versions agree in all answers without one", func(add func(*ledger.Ledger), agree,
		explained bool) {
		l := newLedger()
		add(l)
		l.Close(true)
		o := observationOf(l, "open/4.3/status", schemas.GetUserAuth)
		Expect(o.Agree).To(HaveValue(Equal(agree)))
		Expect(o.Explained).To(Equal(explained))
	},
		Entry("nothing to explain", func(l *ledger.Ledger) { addCall(l, alice, 200, tellingRecord(alice)) }, true,
			false),
		Entry("without a finding", func(l *ledger.Ledger) { addCall(l, alice, 201, tellingRecord(alice)) }, false,
			false),
		Entry("every such answer has a finding", func(l *ledger.Ledger) { addCall(l, alice, 201, wrong) }, false, true),
		Entry("one has a finding, another has none", func(l *ledger.Ledger) {
			addCall(l, alice, 201, wrong)
			addCall(l, bob, 201, tellingRecord(bob))
		}, false, false),
		Entry("one has a finding, another is alike", func(l *ledger.Ledger) {
			addCall(l, alice, 201, wrong)
			addCall(l, bob, 200, tellingRecord(bob))
		}, false, true),
		Entry("a finding of parity", func(l *ledger.Ledger) {
			addCall(l, alice, 201, tellingRecord(alice))
			addDifference(l, alice)
		}, false, true),
		Entry("a finding of parity for another user", func(l *ledger.Ledger) {
			addCall(l, alice, 201, tellingRecord(alice))
			addDifference(l, bob)
		}, false, false),
		Entry("a finding in the answer to another request for that user", func(l *ledger.Ledger) {
			addCall(l, alice, 201, tellingRecord(alice))
			Expect(l.Add(judgedAnswer(alice, exchange.RandomToken, schemas.V6, 200,
				tellingRecord(alice)))).To(Succeed())
		}, false, false),
	)

	It("is not compared if its member is volatile, but for a member of no name", func() {
		l := newLedger()
		l.AddVolatile(schemas.GetUserAuth, "/")
		addCall(l, alice, 201, tellingRecord(alice))
		l.Close(true)
		Expect(observationOf(l, "open/4.3/status", schemas.GetUserAuth).Agree).NotTo(BeNil())
	})

	It("shows nothing of requests that were not sent", func() {
		l := newLedger()
		addCall(l, alice, 200, tellingRecord(alice))
		l.Close(true)
		Expect(summaryOf(observationOf(l, "open/7/not-json", schemas.GetUserAuth),
			schemas.V5)).To(Equal(ledger.NotAsked))
	})
})

var _ = Describe("Altered requests", func() {
	It("serve nobody, and their findings are of no user", func() {
		l := newLedger()
		Expect(l.Add(judgedAnswer(alice, exchange.RandomToken, schemas.V5, 200, tellingRecord(alice)))).To(Succeed())
		row := rowAt(l, "5.1/getUserAuth/token", schemas.V5)
		Expect(row.Count).To(Equal(1))
		Expect(row.FailingUsers()).To(BeZero())
		_, asked := l.UnknownUsers()
		Expect(asked).To(BeZero())
		l.Close(true)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotServed))
	})

	It("count for what was seen of their requirement", func() {
		l := newLedger()
		Expect(l.Add(judgedAnswer(alice, exchange.EmptyToken, schemas.V5, 403, ""))).To(Succeed())
		for _, c := range l.Coverage() {
			if c.ID == "4.1/AccessToken/required" && c.Version == schemas.V5 {
				Expect(c.Seen).NotTo(BeEmpty())
				return
			}
		}
		Fail("the row is not listed")
	})

	It("that the evidence lacks leave open nothing of what was read", func() {
		l := newLedger()
		l.NoteMissing(judgedAnswer(alice, exchange.RandomToken, schemas.V5, 403, "").Answer.Exchange.Probe)
		l.Close(true)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotServed))
	})
})

var _ = Describe("A ledger", func() {
	It("knows that a version served somebody, whatever it did afterwards", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, `{"UserId":"alice","Flags":1}`, "", "", "")
		l.Close(true)
		Expect(rowAt(l, "2.1/CreatedOn", schemas.V5).Reason).To(Equal(ledger.NoWitness))
		Expect(rowAt(l, "2.1/CreatedOn", schemas.V6).Reason).To(Equal(ledger.NotServed))
	})

	It("refuses a judgement of a row that the run does not have", func() {
		j := judgementOf(schemas.GetUserAuth, schemas.V5, "u", spec.Outcomes{"2.1/Gone": {Witnesses: 1}})
		Expect(newLedger().AddAnswers(alice, schemas.GetUserAuth, []*spec.Judgement{j})).To(
			MatchError(ContainSubstring("2.1/Gone")))
	})

	It("adds every comparison, and each volatile place once, up to a limit", func() {
		l := newLedger()
		c := &check.Comparison{Pair: pair, Conclusion: parity.Conclusion{Comparable: true, Valued: true,
			Differences: []parity.Difference{{Kind: parity.Value, Pointer: "/Flags", Left: "1", Right: "2"}}}}
		for i := range 1100 {
			c.Volatile = append(c.Volatile, fmt.Sprint("/", i/2))
		}
		Expect(l.Compare(schemas.GetUserAuth, alice, c, c)).To(Succeed())
		Expect(rowAt(l, "9.3/getUserAuth/values", schemas.Parity).Count).To(Equal(2))
		Expect(l.Volatile).To(HaveLen(550))
		for i := range 1100 {
			l.AddVolatile(schemas.FindByUserIDs, fmt.Sprint("/", i))
		}
		Expect(l.Volatile).To(HaveLen(1000))
	})

	It("keeps the reason of a run that ended early, also if it is closed again", func() {
		l := newLedger()
		l.Close(false)
		l.Close(true)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Reason).To(Equal(ledger.NotRun))
	})

	It("is not complete without rows, nor if a row was left out that passes", func() {
		Expect(ledger.New(testkit.Suite(), spec.Options{}).Complete()).To(BeFalse())
		l := passEveryRow(newLedger())
		l.Close(true)
		Expect(l.Complete()).To(BeTrue())
		rowAt(l, "2.1/Id", schemas.V5).Selected = false
		Expect(l.Complete()).To(BeFalse())
	})

	It("stores a thousand different texts of an open point", func() {
		o := observationOf(observedLedger("open/4.3/content-type", distinctTexts(5000, "z"), nil),
			"open/4.3/content-type",
			schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(HaveSuffix("; and 988 more"))

		var texts []string
		for _, text := range distinctTexts(1100, "z") {
			texts = append(texts, strings.ReplaceAll(text, " ", "")+" null")
		}
		o = observationOf(observedLedger("open/2/null-or-absent", append(texts, texts[0], texts[0]), nil),
			"open/2/null-or-absent",
			schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(ContainSubstring("text000 present 0, null 3"),
			"one that is known is counted further")
	})
})
