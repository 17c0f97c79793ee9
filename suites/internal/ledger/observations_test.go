package ledger_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// observedLedger notes texts at an open point of getUserAuth, in each version, and closes the ledger.
func observedLedger(id string, five, six []string) *ledger.Ledger {
	GinkgoHelper()
	l := newLedger()
	for v, texts := range map[schemas.Version][]string{schemas.V5: five, schemas.V6: six} {
		for _, text := range texts {
			l.Observe(id, schemas.GetUserAuth, v, asSeen(id, text))
		}
	}
	l.Close(true)
	return l
}

// asSeen returns an observation in the type that its open point has.
func asSeen(id, text string) any {
	switch id {
	case "open/2/flags":
		return json.Number(text)
	case "open/8/size":
		size, err := strconv.Atoi(text)
		Expect(err).NotTo(HaveOccurred())
		return size
	case "open/2/null-or-absent":
		member, state, _ := strings.Cut(text, " ")
		return check.Presence{Member: member, State: state}
	}
	return text
}

// distinctTexts are n texts, the last one as given.
func distinctTexts(n int, last string) []string {
	var texts []string
	for i := range n - 1 {
		texts = append(texts, fmt.Sprintf("text %03d", i))
	}
	return append(texts, last)
}

var _ = Describe("Observations", func() {
	It("list each open point for each operation that it covers, in the catalogue's order", func() {
		l := newLedger()
		l.Close(true)
		var expected, seen []string
		for _, q := range testkit.Contract().Requirements {
			for _, op := range q.Operations {
				if q.Kind == schemas.Open {
					expected = append(expected, q.ID+" "+string(op))
				}
			}
		}
		for _, o := range l.Observations() {
			seen = append(seen, o.Requirement.ID+" "+string(o.Operation))
			Expect(o.Seen).To(HaveLen(2))
			Expect(o.Seen).To(HaveEach(BeNil()))
			Expect(o.Agree).To(BeNil(), "what was not asked can't agree")
			Expect(versionsDiverge(o)).To(BeFalse())
		}
		Expect(seen).To(Equal(expected))
	})

	DescribeTable("say what was seen, and whether v5 and v6 agree",
		func(id string, five, six []string, fiveWords, sixWords string, agree any) {
			o := observationOf(observedLedger(id, five, six), id, schemas.GetUserAuth)
			Expect(summaryOf(o, schemas.V5)).To(Equal(fiveWords))
			Expect(summaryOf(o, schemas.V6)).To(Equal(sixWords))
			if agree == nil {
				Expect(o.Agree).To(BeNil())
				Expect(versionsDiverge(o)).To(BeFalse())
				return
			}
			Expect(o.Agree).To(HaveValue(Equal(agree)))
			Expect(versionsDiverge(o)).To(Equal(agree == false))
		},
		Entry("the same", "open/4.3/status", []string{"200"}, []string{"200"}, "200", "200", true),
		Entry("the same, more often", "open/4.3/status", []string{"200", "200", "204"}, []string{"204", "200"},
			"200; 204",
			"200; 204", true),
		Entry("another", "open/4.3/status", []string{"200"}, []string{"201"}, "200", "201", false),
		Entry("one more", "open/4.3/status", []string{"200"}, []string{"200", "201"}, "200", "200; 201", false),
		Entry("one version was not asked", "open/4.3/status", []string{"200"}, nil, "200", "not asked", nil),
		Entry("numbers", "open/2/flags", []string{"3", "10", "3"}, []string{"3", "10"}, "3 to 10: 3; 10",
			"3 to 10: 3; 10",
			true),
		Entry("numbers past 2^53", "open/2/flags", []string{"9007199254740993"}, []string{"9007199254740992"},
			"9007199254740993", "9007199254740992", false),
		Entry("presence: always there", "open/2/null-or-absent", []string{"Id present"}, []string{"Id present"},
			"every field present in every record, none null", "every field present in every record, none null", true),
		Entry("presence: null against absent", "open/2/null-or-absent", []string{"Id present", "Id null"},
			[]string{"Id present", "Id absent"},
			"Id present 1, null 1, absent 0", "Id present 1, null 0, absent 1", false),
		Entry("sizes are not compared", "open/8/size", []string{"10", "1200"}, []string{"7"},
			"largest answer 1200 bytes",
			"largest answer 7 bytes", nil),
		Entry("rate limits are not compared", "open/8/rate-limit", []string{"Retry-After"}, []string{"Ratelimit"},
			"Retry-After", "Ratelimit", nil),
	)

	It("show twelve texts and say how many more there are", func() {
		o := observationOf(observedLedger("open/4.3/content-type", distinctTexts(20, "z"), distinctTexts(20, "z")),
			"open/4.3/content-type",
			schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(And(HavePrefix("text 000; "), ContainSubstring("text 011"),
			Not(ContainSubstring("text 012")), HaveSuffix("; and 8 more")))
	})

	// J16: what is shown is shortened, what is compared is not.
	It("differ also where only what is not shown differs", func() {
		o := observationOf(observedLedger("open/4.3/content-type", distinctTexts(20, "y"), distinctTexts(20, "z")),
			"open/4.3/content-type",
			schemas.GetUserAuth)
		Expect(o.Agree).To(HaveValue(BeFalse()))
	})
	It("differ also where only numbers that are not shown differ", func() {
		five, six := []string{}, []string{}
		for i := range 20 {
			five, six = append(five, fmt.Sprint(i*10)), append(six, fmt.Sprint(i*10))
		}
		five[18], six[18] = "181", "182"
		Expect(observationOf(observedLedger("open/2/flags", five, six), "open/2/flags", schemas.GetUserAuth).Agree).To(
			HaveValue(BeFalse()))
	})

	It("are limited, however many texts a target sends", func() {
		Expect(len(summaryOf(observationOf(observedLedger("open/4.3/content-type", distinctTexts(5000, "z"), nil),
			"open/4.3/content-type",
			schemas.GetUserAuth), schemas.V5))).To(BeNumerically("<", 500))
	})

	It("of numbers whose place is volatile are not compared", func() {
		l := newLedger()
		l.Observe("open/2/flags", schemas.GetUserAuth, schemas.V5, "1")
		l.Observe("open/2/flags", schemas.GetUserAuth, schemas.V6, "2")
		l.AddVolatile(schemas.GetUserAuth, "/*/Flags")
		l.Close(true)
		Expect(observationOf(l, "open/2/flags", schemas.GetUserAuth).Agree).To(BeNil())
	})

	// lasting is a ledger of requests that took so many milliseconds.
	lasting := func(alteration exchange.Kind, milliseconds ...int) *ledger.Ledger {
		l := newLedger()
		for _, n := range milliseconds {
			Expect(l.Add(testkit.Suite().Judge(&exchange.Exchange{
				Probe:  exchange.Probe{Operation: schemas.GetUserAuth, Version: schemas.V5, Round: 1, Kind: alteration},
				Status: 200, Duration: time.Duration(n) * time.Millisecond,
			}))).To(Succeed())
		}
		l.Close(true)
		return l
	}
	upTo := func(n int) (list []int) {
		for i := range n {
			list = append(list, i+1)
		}
		return list
	}

	It("of time show the median, the 95th percentile and the slowest, of well-formed requests only", func() {
		o := observationOf(lasting(exchange.NoMutation, upTo(100)...), "open/8/latency", schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(Equal("median 50.0 ms, 95% within 95.0 ms, slowest 100.0 ms"))
		Expect(o.Agree).To(BeNil())
		o = observationOf(lasting(exchange.NotJSON, 10), "open/8/latency", schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(Equal("not asked"))
	})

	It("of time name a request under which at least that share stayed, also where they are few", func() {
		o := observationOf(lasting(exchange.NoMutation, upTo(10)...), "open/8/latency", schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(Equal("median 5.0 ms, 95% within 10.0 ms, slowest 10.0 ms"))
	})

	It("of headers tell that there were none, where there was an answer", func() {
		l := newLedger()
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", spec.Outcomes{}))).To(Succeed())
		fault := judgementOf(schemas.GetUserAuth, schemas.V6, "u", spec.Outcomes{})
		fault.Answer.Exchange.Fault = &exchange.Fault{Kind: exchange.Timeout}
		Expect(l.Add(fault)).To(Succeed())
		l.Close(true)
		o := observationOf(l, "open/9.4/deprecation", schemas.GetUserAuth)
		Expect(summaryOf(o, schemas.V5)).To(Equal("none"))
		Expect(summaryOf(o, schemas.V6)).To(Equal("not asked"))
		Expect(o.Agree).To(BeNil())
	})

	It("are for one version alone where one is under test", func() {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: []schemas.Version{schemas.V6}, DivergenceFails: true})
		l.Observe("open/4.3/status", schemas.GetUserAuth, schemas.V6, "200")
		l.Close(true)
		o := observationOf(l, "open/4.3/status", schemas.GetUserAuth)
		Expect(o.Seen).To(HaveLen(1))
		Expect(summaryOf(o, schemas.V6)).To(Equal("200"))
		Expect(o.Agree).To(BeNil())
	})
})

var _ = Describe("Divergence that fails (J16)", func() {
	with := func(six string) *ledger.Ledger {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), DivergenceFails: true})
		l.Observe("open/4.3/status", schemas.GetUserAuth, schemas.V5, "200")
		l.Observe("open/4.3/status", schemas.GetUserAuth, schemas.V6, six)
		l.Close(true)
		return l
	}
	It("is a finding that says what each version does", func() {
		row := rowAt(with("201"), "9.3/getUserAuth/divergence", schemas.Parity)
		Expect(row.Verdict()).To(Equal(ledger.Fail))
		Expect(row.Findings).To(HaveLen(1))
		Expect(row.Findings[0].Kind).To(Equal("open/4.3/status"))
		expected := row.Findings[0].Expected.(check.SameInBoth)
		Expect(expected.ID).To(Equal("open/4.3/status"))
		Expect(expected.From.Count).To(Equal(map[any]int{"200": 1}))
		Expect(row.Findings[0].Actual.(check.Behavior).Count).To(Equal(map[any]int{"201": 1}))
	})
	It("passes where both do the same, of one operation and not of the other", func() {
		l := with("200")
		Expect(rowAt(l, "9.3/getUserAuth/divergence", schemas.Parity).Verdict()).To(Equal(ledger.Pass))
		Expect(rowAt(l, "9.3/findByUserIds/divergence", schemas.Parity).Verdict()).To(Equal(ledger.Inconclusive))
		Expect(rowAt(l, "9.3/findByUserIds/divergence", schemas.Parity).Reason).To(Equal(ledger.NotComparable))
	})
})
