package ledger_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// observationOf are those of an observation for one operation, by version; they are there once the ledger is closed.
func observationOf(l *ledger.Ledger, id string, op schemas.Operation) ledger.Observation {
	GinkgoHelper()
	list := l.Observations()
	i := slices.IndexFunc(list, func(o ledger.Observation) bool { return o.Requirement.ID == id && o.Operation == op })
	Expect(i).NotTo(Equal(-1), "there is no observation of %s of %s", id, op)
	return list[i]
}

// agreementOf says whether v5 and v6 agree at an open point.
func agreementOf(o ledger.Observation) string {
	switch {
	case o.Agree == nil:
		return "not compared"
	case *o.Agree && !o.Explained:
		return "agree"
	case o.Explained:
		return "diverge, as findings explain"
	}
	return "diverge"
}

// summaryOf returns what a version showed, in one line.
func summaryOf(o ledger.Observation, v schemas.Version) string {
	GinkgoHelper()
	Expect(o.Seen).To(HaveKey(v), "it is under test")
	if o.Seen[v] == nil {
		return ledger.NotAsked
	}
	return strings.Join(o.Seen[v].Parts(check.AsSent{}, 12), "; ")
}

// wordsOf returns what v5 showed, what v6 did, and whether they agree.
func wordsOf(o ledger.Observation) []string {
	GinkgoHelper()
	return []string{summaryOf(o, schemas.V5), summaryOf(o, schemas.V6), agreementOf(o)}
}

// observeBoth notes what each version did at an open point.
func observeBoth(l *ledger.Ledger, id string, op schemas.Operation, five, six any) {
	l.Observe(id, op, schemas.V5, five)
	l.Observe(id, op, schemas.V6, six)
}

// observeTexts notes texts at an open point of getUserAuth, in each version, and returns the observation.
func observeTexts(id string, five, six []string) ledger.Observation {
	GinkgoHelper()
	l := newLedger()
	for v, texts := range map[schemas.Version][]string{schemas.V5: five, schemas.V6: six} {
		for _, text := range texts {
			l.Observe(id, schemas.GetUserAuth, v, asSeen(id, text))
		}
	}
	return observationOf(closeLedger(l), id, schemas.GetUserAuth)
}

// asSeen returns an observation in the type that its open point has.
func asSeen(id, text string) any {
	switch id {
	case "open/2/flags":
		return json.Number(text)
	case "open/8/size":
		return testkit.Must(strconv.Atoi(text))
	case "open/2/null-or-absent":
		member, state, _ := strings.Cut(text, " ")
		return check.Presence{Member: member, State: state}
	}
	return text
}

// manyTexts are n texts by a format of numbers, the last one as given.
func manyTexts(n int, format, last string) []string {
	var texts []string
	for i := range n - 1 {
		texts = append(texts, fmt.Sprintf(format, i))
	}
	return append(texts, last)
}

var _ = Describe("Observations", func() {
	It("list each open point for each operation that it covers, in the catalogue's order", func() {
		var expected, seen []string
		for _, q := range testkit.Contract().Requirements {
			for _, op := range q.Operations {
				if q.Kind == schemas.Open {
					expected = append(expected, q.ID+" "+string(op))
				}
			}
		}
		for _, o := range closeLedger(newLedger()).Observations() {
			seen = append(seen, o.Requirement.ID+" "+string(o.Operation))
			Expect(o.Seen).To(And(HaveLen(2), HaveEach(BeNil())))
			Expect(o.Agree).To(BeNil(), "what was not asked can't agree")
		}
		Expect(seen).To(Equal(expected))
	})

	DescribeTable("say what was seen, and whether v5 and v6 agree",
		func(id string, five, six []string, fiveWords, sixWords, agree string) {
			Expect(wordsOf(observeTexts(id, five, six))).To(HaveExactElements(fiveWords, sixWords, agree))
		},
		testkit.Entries("observations"),
	)

	// J16: what is shown is shortened, what is compared is not.
	It("show twelve texts and how many more there are, and differ also in what is not shown", func() {
		o := observeTexts("open/4.3/content-type", manyTexts(20, "text %03d", "y"), manyTexts(20, "text %03d", "z"))
		Expect(summaryOf(o, schemas.V5)).To(And(HavePrefix("text 000; "), HaveSuffix("text 011; and 8 more")))
		Expect(agreementOf(o)).To(Equal("diverge"))
		Expect(agreementOf(observeTexts("open/2/flags", manyTexts(20, "%d", "181"), manyTexts(20, "%d", "182")))).To(
			Equal("diverge"))
	})

	It("store a thousand different texts, and count those that are known further", func() {
		Expect(summaryOf(observeTexts("open/4.3/content-type", manyTexts(1500, "text %03d", "z"), nil), schemas.V5)).To(
			HaveSuffix("; and 988 more"))
		texts := manyTexts(1100, "text%03d null", "z null")
		Expect(summaryOf(observeTexts("open/2/null-or-absent", append(texts, texts[0], texts[0]), nil), schemas.V5)).To(
			ContainSubstring("text000 present 0, null 3"))
	})

	DescribeTable("are not compared if their member is unsteady", func(pointer, agree string) {
		l := newLedger()
		observeBoth(l, "open/2/flags", schemas.GetUserAuth, json.Number("1"), json.Number("2"))
		observeBoth(l, "open/4.3/status", schemas.GetUserAuth, "200", "201")
		Expect(l.Compare(schemas.GetUserAuth, alice, &check.Comparison{Pair: pair, Conclusion: parity.Conclusion{
			Changes: []parity.Change{{Place: pointer, From: true, To: true}}}})).To(Succeed())
		closeLedger(l)
		Expect(agreementOf(observationOf(l, "open/2/flags", schemas.GetUserAuth))).To(Equal(agree))
		Expect(agreementOf(observationOf(l, "open/4.3/status", schemas.GetUserAuth))).To(Equal("diverge"))
	},
		Entry("in a record", "/Flags", "not compared"), Entry("but for one without a name", "/", "diverge"),
	)

	DescribeTable("of time show the median, the 95th percentile and the slowest, of well-formed requests only",
		func(kind exchange.Kind, requests int, want string) {
			l := newLedger()
			for n := range requests {
				Expect(l.Add(testkit.Suite().Judge(&exchange.Exchange{Status: 200,
					Probe:    exchange.Probe{Operation: schemas.GetUserAuth, Version: schemas.V5, Round: 1, Kind: kind},
					Duration: time.Duration(n+1) * time.Millisecond}))).To(Succeed())
			}
			o := observationOf(closeLedger(l), "open/8/latency", schemas.GetUserAuth)
			Expect(summaryOf(o, schemas.V5) + ", " + agreementOf(o)).To(Equal(want + ", not compared"))
		},
		Entry("many", exchange.NoMutation, 100, "median 50.0 ms, 95% within 95.0 ms, slowest 100.0 ms"),
		Entry("few", exchange.NoMutation, 10, "median 5.0 ms, 95% within 10.0 ms, slowest 10.0 ms"),
		Entry("altered", exchange.NotJSON, 1, "not asked"),
	)

	It("of headers say that there were none only if there was an answer", func() {
		l := newLedger()
		fault := &exchange.Exchange{Probe: wellFormed(alice, schemas.GetUserAuth, schemas.V6, 1),
			Fault: &exchange.Fault{Kind: exchange.Timeout}}
		Expect(l.Add(judgeAnswer(wellFormed(alice, schemas.GetUserAuth, schemas.V5, 1), 200, "[]"))).To(Succeed())
		Expect(l.Add(testkit.Suite().Judge(fault))).To(Succeed())
		Expect(wordsOf(observationOf(closeLedger(l), "open/9.4/deprecation", schemas.GetUserAuth))).To(
			HaveExactElements("none", "not asked", "not compared"))
	})

	It("are of one version alone if one is under test", func() {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: []schemas.Version{schemas.V6}, DivergenceFails: true})
		l.Observe("open/4.3/status", schemas.GetUserAuth, schemas.V6, "200")
		o := observationOf(closeLedger(l), "open/4.3/status", schemas.GetUserAuth)
		Expect(o.Seen).To(HaveLen(1))
		Expect(summaryOf(o, schemas.V6) + ", " + agreementOf(o)).To(Equal("200, not compared"))
	})

	It("fail the divergence of those pairs alone whose versions differ, if an edition has several", func() {
		edition := testkit.EditionWith(map[string]func(string) string{"versions.yaml": func(string) string {
			return "versions: [{name: v5}, {name: v6}, {name: v7}]\npairs: [{from: v5, to: v6}, {from: v6, to: v7}]"
		}})
		l := ledger.New(testkit.SuiteOf(edition), spec.Options{Versions: edition.Versions, DivergenceFails: true})
		observeBoth(l, "open/4.3/status", schemas.GetUserAuth, "200", "200")
		l.Observe("open/4.3/status", schemas.GetUserAuth, "v7", "404")
		closeLedger(l)
		Expect(rowAt(l, "9.3/getUserAuth/divergence", "v5=v6").Verdict()).To(Equal(ledger.Pass))
		Expect(rowAt(l, "9.3/getUserAuth/divergence", "v6=v7").Verdict()).To(Equal(ledger.Fail))
	})
})

// In each, v5 answers 200 to alice and bob, and v6 with these statuses; what v6 says of alice may be wrong.
var _ = DescribeTable("A divergence is explained by findings only if the versions agree in all answers without one",
	func(right bool, statuses []int, add func(*ledger.Ledger), want string) {
		l := newLedger()
		for i, status := range statuses {
			user := []exchange.User{alice, bob}[i]
			body := recordOf(user)
			if i == 0 && !right {
				body = `{"UserId":"alice","Flags":"1"}`
			}
			Expect(l.AddAnswers(user, schemas.GetUserAuth, []*spec.Judgement{
				judgeAnswer(wellFormed(user, schemas.GetUserAuth, schemas.V5, 1), 200, recordOf(user)),
				judgeAnswer(wellFormed(user, schemas.GetUserAuth, schemas.V6, 1), status, body)})).To(Succeed())
		}
		if add != nil {
			add(l)
		}
		Expect(agreementOf(observationOf(closeLedger(l), "open/4.3/status", schemas.GetUserAuth))).To(Equal(want))
		Expect(summaryOf(observationOf(l, "open/7/not-json", schemas.GetUserAuth), schemas.V5)).To(
			Equal(ledger.NotAsked), "its request was not sent")
	},
	Entry("nothing to explain", true, []int{200}, nil, "agree"),
	Entry("without a finding", true, []int{201}, nil, "diverge"),
	Entry("every such answer has a finding", false, []int{201}, nil, "diverge, as findings explain"),
	Entry("one has a finding, another has none", false, []int{201, 201}, nil, "diverge"),
	Entry("one has a finding, another is alike", false, []int{201, 200}, nil, "diverge, as findings explain"),
	Entry("a finding of parity", true, []int{201}, func(l *ledger.Ledger) {
		Expect(l.Compare(schemas.GetUserAuth, alice, valueDiffers())).To(Succeed())
	}, "diverge, as findings explain"),
	Entry("a finding of parity for another user", true, []int{201}, func(l *ledger.Ledger) {
		Expect(l.Compare(schemas.GetUserAuth, bob, valueDiffers())).To(Succeed())
	}, "diverge"),
	Entry("a finding in the answer to another request for that user", true, []int{201}, func(l *ledger.Ledger) {
		p := alteredProbe(alice, exchange.RandomToken, "AccessToken")
		p.Version = schemas.V6
		Expect(l.Add(judgeAnswer(p, 200, recordOf(alice)))).To(Succeed())
	}, "diverge"),
)

var _ = It("A divergence that findings explain stays so if some answers were compared before others came", func() {
	const id = "open/2/null-or-absent"
	l := newLedger()
	l.Observe(id, schemas.GetUserAuth, schemas.V5, asSeen(id, "Flags null"))
	Expect(l.Compare(schemas.GetUserAuth, exchange.User{})).To(Succeed())
	l.Observe(id, schemas.GetUserAuth, schemas.V6, asSeen(id, "Flags null"))
	addAnswers(l, alice, schemas.GetUserAuth, recordOf(alice), `{"UserId":"alice","Flags":"1"}`)
	Expect(agreementOf(observationOf(closeLedger(l), id, schemas.GetUserAuth))).To(
		Equal("diverge, as findings explain"), "each answer is counted once")
})

var _ = It("Open points of several answers: whether a record is in the list of its user, and a list keeps its order",
	func() {
		list := func(ids ...string) string { return string(testkit.Must(json.Marshal(ids))) }
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, recordOf(alice), recordOf(alice))
		addAnswers(l, alice, schemas.FindByUserIDs, list(alice.ID, bob.ID), list(bob.ID), list(bob.ID, alice.ID),
			list(bob.ID, alice.ID)) // the first call counts
		addAnswers(l, bob, schemas.FindByUserIDs, list(carol.ID), list(carol.ID)) // whose records were not read
		Expect(wordsOf(observationOf(closeLedger(l), "open/4.3/identifier-overlap", schemas.GetUserAuth))).To(
			HaveExactElements("stands in the list", "does not stand in the list", "diverge"))
		Expect(summaryOf(observationOf(l, "open/4.3/list-order", schemas.FindByUserIDs), schemas.V5)).To(
			Equal("changes between identical calls"))

		l = newLedger() // one call of each version shows no order
		addAnswers(l, alice, schemas.FindByUserIDs, list(alice.ID), list(alice.ID))
		Expect(summaryOf(observationOf(closeLedger(l), "open/4.3/list-order", schemas.FindByUserIDs), schemas.V5)).To(
			Equal("no list of two or more was seen"))
	})

var _ = It("Divergence that fails (J16) is a finding that says what each version does, of its operation only", func() {
	observed := func(six string) *ledger.Ledger {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), DivergenceFails: true})
		observeBoth(l, "open/4.3/status", schemas.GetUserAuth, "200", six)
		return closeLedger(l)
	}
	row := rowAt(observed("201"), "9.3/getUserAuth/divergence", schemas.Parity)
	Expect(row.Verdict()).To(Equal(ledger.Fail))
	Expect(row.Findings).To(HaveExactElements(And(HaveField("Kind", "open/4.3/status"),
		HaveField("Expected.ID", "open/4.3/status"), HaveField("Expected.From.Count", map[any]int{"200": 1}),
		HaveField("Actual.Count", map[any]int{"201": 1}))))

	l := observed("200")
	Expect(rowAt(l, "9.3/getUserAuth/divergence", schemas.Parity).Verdict()).To(Equal(ledger.Pass))
	other := rowAt(l, "9.3/findByUserIds/divergence", schemas.Parity)
	Expect(other.Verdict()).To(Equal(ledger.Inconclusive))
	Expect(other.Reason).To(Equal(ledger.NotComparable))
})

var _ = It("Places that change are kept up to a limit, also below a documented member", func() {
	l := newLedger()
	list := []parity.Change{{Place: "/ModeId", From: true, To: true}}
	for i := range 5000 {
		for _, place := range []string{"/undocumented", "/Flags/"} {
			list = append(list, parity.Change{Place: place + strconv.Itoa(i), From: true, To: true})
		}
	}
	for range 3 { // calls, each of which may show other places
		Expect(l.Compare(schemas.GetUserAuth, alice, &check.Comparison{Pair: pair,
			Conclusion: parity.Conclusion{Changes: list}})).To(Succeed())
		slices.Reverse(list)
	}
	Expect(closeLedger(l).Unsteady).To(HaveLen(2000))
	Expect(l.Unsteady).To(ContainElement(HaveField("Place", "/ModeId")))
})
