package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func TestEngine(t *testing.T) { testkit.Specs(t, "engine") }

// script is what a target answers to the requests of one user: for each version its bodies in turn; the last one stays.
// "" is a request without an answer, "-" one that the evidence does not have.
type script map[schemas.Version][]string

// conversation is an engine with such a target, and what it did.
type conversation struct {
	*engine.Engine
	sent, judged int
	ids          string // of the requests, in order
}

func newConversation(answers script) *conversation {
	c := &conversation{}
	next := map[schemas.Version]int{}
	c.Engine = &engine.Engine{Suite: testkit.Suite(), Pairs: testkit.Contract().Pairs,
		Compares: func(*spec.Judgement) bool { return true },
		Send: func(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
			body := answers[p.Version][min(next[p.Version], len(answers[p.Version])-1)]
			next[p.Version]++
			c.sent++
			c.ids += " " + string(p.Version)
			ex := &exchange.Exchange{Probe: p, Status: 200, Header: http.Header{}, Body: []byte(body)}
			switch body {
			case "-":
				return nil, nil
			case "":
				ex.Status, ex.Fault = 0, &exchange.Fault{Kind: exchange.Timeout}
			case "error":
				return nil, errors.New("interrupted")
			}
			return ex, nil
		},
		Judge: func(ex *exchange.Exchange) *spec.Judgement {
			c.judged++
			return c.Suite.Judge(ex)
		}}
	return c
}

// probesOf are requests to these versions, in turn.
func probesOf(versions ...schemas.Version) []exchange.Probe {
	var list []exchange.Probe
	for i, v := range versions {
		list = append(list, exchange.Probe{ID: fmt.Sprint("e", i), Operation: schemas.GetUserAuth, Version: v,
			Round: 1 + i/2, User: exchange.User{UserID: "alice", Enrolled: true}})
	}
	return list
}

const (
	a = `{"UserId":"alice","Flags":1,"ModeType":2}`
	b = `{"UserId":"alice","Flags":2,"ModeType":2}`
	c = `{"UserId":"alice","Flags":3,"ModeType":2}`
)

// askAll sends the first requests: twice to each version.
func (c *conversation) askAll() (*engine.Answers, error) {
	r := &engine.Answers{}
	return r, c.Ask(context.Background(), r, probesOf(schemas.V5, schemas.V6, schemas.V5, schemas.V6))
}

// askBoth returns a conversation, changed before it begins, and its first answers.
func askBoth(answers script, changes ...func(*conversation)) (*conversation, *engine.Answers) {
	GinkgoHelper()
	talk := newConversation(answers)
	for _, change := range changes {
		change(talk)
	}
	return talk, testkit.Must(talk.askAll())
}

func stopAtFault(c *conversation) { c.StopAtFault = true }

// withoutFlagsInV5 lets a conversation be judged by an edition of the contract in which v5 has no Flags.
func withoutFlagsInV5(c *conversation) {
	c.Suite = testkit.SuiteOf(testkit.EditionWith(map[string]func(string) string{
		"authenticator.schema.json": strings.NewReplacer(`"Flags": {`, `"Flags": { "since": "v6",`).Replace,
		"requirements.yaml":         strings.NewReplacer("- id: 2.1/Flags\n", "- id: 2.1/Flags\n  since: v6\n").Replace,
	}))
}

var _ = Describe("The requests for one user", func() {
	It("are judged once for each answer that is another, and compared as equal if all are", func() {
		talk, r := askBoth(script{schemas.V5: {a}, schemas.V6: {a}})
		Expect([]int{talk.sent, talk.judged}).To(Equal([]int{4, 1}))
		Expect(r.Identical).To(BeTrue())
		Expect(r.Judgements).To(HaveLen(4))
		for i, j := range r.Judgements {
			Expect(j.Answer.Exchange.Probe.ID).To(Equal(fmt.Sprint("e", i)))
			Expect(&j.Answer.Exchange.Body[0]).To(BeIdenticalTo(&r.Judgements[0].Answer.Exchange.Body[0]), "one copy")
		}
		comparisons := talk.Compare(r)
		Expect(comparisons).To(HaveLen(1))
		Expect(comparisons[0].Valued).To(BeTrue())
		Expect(comparisons[0].First[schemas.V6].ID + comparisons[0].Last[schemas.V6].ID).To(Equal("e1e3"))
	})

	It("are not equal if one of them brought another answer", func(ctx SpecContext) {
		for _, answers := range []script{{schemas.V5: {a}, schemas.V6: {b}}, {schemas.V5: {a}, schemas.V6: {a, b}},
			{schemas.V5: {b, a}, schemas.V6: {a}}, {schemas.V5: {"[" + a + "]"}, schemas.V6: {"[" + b + "]"}}} {
			talk, r := askBoth(answers)
			Expect(r.Identical).To(BeFalse())
			Expect(talk.judged).To(Equal(2))
			Expect(talk.Compare(r)).To(BeNil(), "they must be repeated")
			comparisons := testkit.Must(talk.Conclude(ctx, r, nil, nil))
			Expect(comparisons).To(HaveLen(1))
			Expect(comparisons[0].Comparable).To(BeTrue())
			for _, d := range comparisons[0].Differences {
				Expect(d.Pointer).To(HaveSuffix("/Flags"), "records are compared member by member, in a list too")
			}
		}
	})

	DescribeTable("are compared at once, and found equal,", func(answers script, change func(*conversation)) {
		talk, r := askBoth(answers, change)
		Expect(r.Judgements).To(HaveLen(4))
		Expect(talk.Compare(r)).To(HaveLen(1))
		Expect(talk.Compare(r)[0].Differences).To(BeEmpty())
	},
		Entry("if they are the same but for their spelling",
			script{schemas.V5: {a}, schemas.V6: {`{"ModeType":2,"Flags":1,"UserId":"alice"}`}}, stopAtFault),
		Entry("if the rule looks at shapes only", script{schemas.V5: {a}, schemas.V6: {b}},
			func(c *conversation) { c.Rule.ShapeOnly = true }),
		Entry("without what can't be compared", script{schemas.V5: {a}, schemas.V6: {b, a}}, func(c *conversation) {
			c.Compares = func(j *spec.Judgement) bool { return string(j.Answer.Exchange.Body) == a }
		}),
	)

	It("are compared as those of their operation: identifiers in any order", func() {
		const one, other = "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b001", "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b002"
		talk := newConversation(script{schemas.V5: {`["` + one + `","` + other + `"]`},
			schemas.V6: {`["` + other + `","` + one + `"]`}})
		sent := probesOf(schemas.V5, schemas.V6)
		for i := range sent {
			sent[i].Operation = schemas.FindByUserIDs
		}
		r := &engine.Answers{}
		Expect(talk.Ask(context.Background(), r, sent)).To(Succeed())
		Expect(talk.Compare(r)).To(HaveLen(1))
		Expect(talk.Compare(r)[0].Differences).To(BeEmpty())
	})

	It("compare a version that serves with one that does not", func() {
		talk, r := askBoth(script{schemas.V5: {a}, schemas.V6: {`{}`}})
		found := talk.Differences(talk.Rule, talk.Pairs[0], r.Judgements[0], r.Judgements[1])
		Expect(found).To(HaveLen(1))
		Expect(string(found[0].Kind)).To(Equal("served against refused"))
		Expect(talk.Differences(talk.Rule, talk.Pairs[0], r.Judgements[0], r.Judgements[2])).To(BeEmpty())
	})

	It("are judged by the contract of each version, and compared without a member that only one has", func() {
		talk, r := askBoth(script{schemas.V5: {a}, schemas.V6: {a, b}}, withoutFlagsInV5)
		Expect(r.Judgements[0].Rows).NotTo(HaveKey("2.1/Flags"))
		Expect(r.Judgements[1].Rows).To(HaveKey("2.1/Flags"), "the same answer is judged anew for v6")
		Expect(talk.judged).To(Equal(3))
		Expect(talk.Compare(r)).To(HaveExactElements(HaveField("Differences", BeEmpty())))
	})

	It("note what the evidence does not have", func() {
		_, r := askBoth(script{schemas.V5: {a, "-"}, schemas.V6: {a}})
		Expect(r.Missing).To(HaveExactElements(HaveField("ID", "e2")))
		Expect(r.Judgements).To(HaveLen(3))
	})

	It("go on after one without an answer, unless a sweep asks", func() {
		silent, right := script{schemas.V5: {a}, schemas.V6: {"", a}}, script{schemas.V5: {a}, schemas.V6: {a}}
		talk, r := askBoth(silent)
		Expect(r.Fault).To(BeNil())
		Expect(talk.sent).To(Equal(4))
		talk, r = askBoth(silent, stopAtFault)
		Expect(r.Fault.Answer.Exchange.Probe.ID).To(Equal("e1"))
		Expect(talk.sent).To(Equal(2))
		talk, r = askBoth(right, stopAtFault)
		Expect(r.Fault).To(BeNil())
		Expect(talk.sent).To(Equal(4))
	})

	It("end at an error of sending", func() {
		talk := newConversation(script{schemas.V5: {a}, schemas.V6: {"error"}})
		_, err := talk.askAll()
		Expect(err).To(HaveOccurred())
		Expect(talk.sent).To(Equal(2))
	})
})

var _ = Describe("Requests whose answers differ (J15)", func() {
	conclude := func(answers script, changes ...func(*conversation)) ([]*check.Comparison, string, error) {
		GinkgoHelper()
		talk, r := askBoth(answers, changes...)
		Expect(talk.Compare(r)).To(BeNil())
		talk.ids = ""
		comparisons, err := talk.Conclude(context.Background(), r, probesOf(schemas.V5, schemas.V6),
			probesOf(schemas.V6, schemas.V5, schemas.V6, schemas.V5))
		return comparisons, talk.ids, err
	}

	DescribeTable("are sent once more, and back again only if something changed in one version",
		func(answers script, ids string, differences, unstable, volatile int) {
			comparisons, sent, err := conclude(answers)
			Expect(err).NotTo(HaveOccurred())
			Expect(sent).To(Equal(ids))
			Expect(comparisons).To(HaveExactElements(HaveValue(And(HaveField("Differences", HaveLen(differences)),
				HaveField("Unstable", HaveLen(unstable)), HaveField("Volatile", HaveLen(volatile))))))
		},
		Entry("a difference between the versions", script{schemas.V5: {a}, schemas.V6: {b}}, " v5 v6", 1, 0, 0),
		Entry("a value that changes in both", script{schemas.V5: {a, b, c}, schemas.V6: {b, c, a}}, " v5 v6", 0, 0, 1),
		Entry("a value that goes on changing in v6", script{schemas.V5: {a}, schemas.V6: {a, b, c, a, b, c}},
			" v5 v6 v6 v5 v6 v5", 0, 1, 0),
		Entry("a value that changed once in v6", script{schemas.V5: {a}, schemas.V6: {b, a}}, " v5 v6 v6 v5 v6 v5", 0,
			0, 1),
		Entry("v6 that is right at its first call only", script{schemas.V5: {a}, schemas.V6: {a, b}},
			" v5 v6 v6 v5 v6 v5", 1, 0, 0),
	)

	DescribeTable("are not compared if an answer is missing then, and end at an error",
		func(answers script, ids string, fails bool) {
			comparisons, sent, err := conclude(answers, stopAtFault)
			Expect(sent).To(Equal(ids))
			Expect(comparisons).To(BeNil())
			Expect(err != nil).To(Equal(fails))
		},
		Entry("no answer to the third request", script{schemas.V5: {a, a, ""}, schemas.V6: {b}}, " v5", false),
		Entry("no answer on the way back", script{schemas.V5: {a}, schemas.V6: {a, b, b, ""}}, " v5 v6 v6", false),
		Entry("an error at the third request", script{schemas.V5: {a, a, "error"}, schemas.V6: {b}}, " v5", true),
		Entry("an error on the way back", script{schemas.V5: {a}, schemas.V6: {a, b, b, "error"}}, " v5 v6 v6", true),
	)
})
