package lookup_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/lookup"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func TestLookup(t *testing.T) { testkit.Specs(t, "lookup") }

const (
	guid = "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b001"
	a    = `{"Id":"` + guid + `","UserId":"alice","Flags":1,"ModeType":2}`
	b    = `{"Id":"` + guid + `","UserId":"alice","Flags":2,"ModeType":2}`
)

// newReader returns a reader, changed before it reads.
func newReader(changes ...func(*lookup.Reader)) *lookup.Reader {
	r := &lookup.Reader{Suite: testkit.Suite(), Pairs: testkit.Contract().Pairs,
		Compares: func(*spec.Judgement) bool { return true }}
	for _, change := range changes {
		change(r)
	}
	return r
}

// answersOf are the answers of v5 and v6 in turn, by their bodies. "" is a request without an answer.
func answersOf(bodies ...string) []*exchange.Exchange {
	var list []*exchange.Exchange
	for i, body := range bodies {
		p := exchange.Probe{ID: fmt.Sprint("e", i), Operation: schemas.GetUserAuth, Version: schemas.Versions()[i%2],
			Round: 1 + i/2, User: exchange.User{UserID: "alice", Enrolled: true}}
		ex := &exchange.Exchange{Probe: p, Status: 200, Header: http.Header{}, Body: []byte(body),
			Started: time.Date(2026, 3, 1, 12, 0, i, 0, time.UTC)}
		if body == "" {
			ex.Status, ex.Fault = 0, &exchange.Fault{Kind: exchange.Timeout}
		}
		list = append(list, ex)
	}
	return list
}

// read returns the lookup with these bodies.
func read(r *lookup.Reader, bodies ...string) lookup.Lookup {
	return r.With(lookup.Lookup{}, answersOf(bodies...))
}

// withoutFlagsInV5 lets a reader judge by an edition of the contract in which v5 has no Flags.
func withoutFlagsInV5(r *lookup.Reader) {
	r.Suite = testkit.SuiteOf(testkit.EditionWith(map[string]func(string) string{
		"authenticator.schema.json": strings.NewReplacer(`"Flags": {`, `"Flags": { "since": "v6",`).Replace,
		"requirements.yaml":         strings.NewReplacer("- id: 2.1/Flags\n", "- id: 2.1/Flags\n  since: v6\n").Replace,
	}))
}

var _ = Describe("The calls for one user and operation", func() {
	It("are judged in the order sent, and stand still if all answers are equal", func() {
		l := read(newReader(), a, a, a, a)
		for i, j := range l.Calls {
			Expect(j.Answer.Exchange.Probe.ID).To(Equal(fmt.Sprint("e", i)))
			Expect(&j.Answer.Exchange.Body[0]).To(BeIdenticalTo(&l.Calls[0].Answer.Exchange.Body[0]), "one copy")
		}
		Expect(l.Compared).To(HaveExactElements(HaveField("Valued", true)))
		Expect(l.Compared[0].First[schemas.V6].ID + l.Compared[0].Last[schemas.V6].ID).To(Equal("e1e3"))
		Expect(l.StandsStill()).To(BeTrue())
		Expect(l.Round()).To(Equal(2))
		Expect(l.Size()).To(Equal(4 * len(a)))
	})

	DescribeTable("are to be repeated if one answer is another", func(bodies ...string) {
		l := read(newReader(), bodies...)
		Expect(l.StandsStill()).To(BeFalse())
		Expect(l.Compared).To(HaveExactElements(HaveField("Comparable", true)))
		for _, d := range l.Compared[0].Differences {
			Expect(d.Pointer).To(HaveSuffix("/Flags"), "records are compared member by member, in a list too")
		}
	},
		Entry("between the versions", a, b, a, b), Entry("within v6", a, a, a, b), Entry("within v5", b, a, a, a),
		Entry("in between", a, b, a, a),
		Entry("in a list", "["+a+"]", "["+b+"]", "["+a+"]", "["+b+"]"), Entry("of a refusal", a, `{}`, a, a))

	DescribeTable("stand still", func(change func(*lookup.Reader), bodies ...string) {
		l := read(newReader(change), bodies...)
		Expect(l.Calls).To(HaveLen(len(bodies)))
		Expect(l.Compared).To(HaveExactElements(HaveField("Differences", BeEmpty())))
		Expect(l.StandsStill()).To(BeTrue())
	},
		Entry("if they are the same but for their spelling", func(*lookup.Reader) {}, a,
			`{"ModeType":2,"Flags":1,"UserId":"alice","Id":"`+guid+`"}`, a, a),
		Entry("if only shapes are compared", func(r *lookup.Reader) { r.Rule = parity.Rule{ShapeOnly: true} },
			a, b, a, b),
		Entry("if the place is ignored", func(r *lookup.Reader) { r.Rule = parity.Rule{Ignored: []string{"/Flags"}} },
			a, b, a, b),
		Entry("without what can't be compared", func(r *lookup.Reader) {
			r.Compares = func(j *spec.Judgement) bool { return string(j.Answer.Exchange.Body) == a }
		}, a, b, a, a),
		Entry("without a member that the contract of only one version has", withoutFlagsInV5, a, a, a, b),
	)

	It("are judged by the contract of each version, also if the answers are equal", func() {
		l := read(newReader(withoutFlagsInV5), a, a)
		Expect(l.Calls[0].Rows).NotTo(HaveKey("2.1/Flags"))
		Expect(l.Calls[1].Rows).To(HaveKey("2.1/Flags"))
	})

	It("are compared pair by pair, each with the answers of its two versions", func() {
		r := newReader(func(r *lookup.Reader) { r.Suite = testkit.SuiteOf(testkit.WithSeventh()) })
		r.Pairs = r.Suite.Contract.Pairs
		answers := answersOf(a, b, b)
		answers[2].Probe.Version = "v7"
		var compared []string
		for _, c := range r.With(lookup.Lookup{}, answers).Compared {
			compared = append(compared, fmt.Sprint(c.Pair.From, " ", c.Pair.To, " ", c.StandsStill()))
		}
		Expect(compared).To(Equal([]string{"v5 v6 false", "v6 v7 true"}))
	})

	It("are compared as those of their operation: identifiers in any order", func() {
		const one, other = guid, "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b002"
		answers := answersOf(`["`+one+`","`+other+`"]`, `["`+other+`","`+one+`"]`)
		for _, ex := range answers {
			ex.Probe.Operation = schemas.FindByUserIDs
		}
		Expect(newReader().With(lookup.Lookup{}, answers).StandsStill()).To(BeTrue())
	})

	It("are compared in the order of time, as a record is older", func() {
		answers := answersOf(b, b, a, a)
		slices.Reverse(answers)
		l := newReader().With(lookup.Lookup{}, answers)
		Expect(l.Compared[0].Changes).To(HaveExactElements(HaveField("Moved", true)))
		Expect(fmt.Sprint(l.Compared[0].Changes[0].Was, " ", l.Compared[0].Changes[0].Then)).To(Equal("2 1"))
	})

	It("are added to a lookup that keeps its own", func() {
		r := newReader()
		first := read(r, a, b)
		l := r.With(first, answersOf(b, b))
		Expect(first.Calls).To(HaveLen(2))
		Expect(first.Compared[0].Differences).To(HaveLen(1))
		Expect(l.Calls).To(HaveLen(4))
		Expect(l.Compared[0].Differences).To(BeEmpty())
		three := read(r, a, b, a)
		fourth := r.With(three, answersOf(b))
		r.With(three, answersOf(a))
		Expect(string(fourth.Calls[3].Answer.Exchange.Body)).To(Equal(b))
	})

	It("are not compared if the evidence lacks one, also with answers that follow", func() {
		r := newReader()
		l := r.With(lookup.Lookup{}, answersOf(a, a), exchange.Probe{ID: "e2"})
		Expect(l.Missing).To(HaveExactElements(HaveField("ID", "e2")))
		Expect(l.Compared).To(BeNil())
		Expect(r.With(l, answersOf(a)).Compared).To(BeNil())
	})

	It("say what came in place of an answer that serves", func() {
		l := read(newReader(), a, "")
		Expect(l.Compared[0].Unserved).To(HaveLen(1))
		Expect(l.Compared[0].Unserved).To(HaveKey(schemas.V6))
		Expect(read(newReader(), a, "", a, a).Compared[0].Unserved).To(BeEmpty(), "the last one serves")
	})

	It("say on which days they were, if one of them is recorded", func() {
		answers := answersOf(a, b)
		answers[0].Started = answers[0].Started.AddDate(0, 0, -1)
		Expect(newReader().With(lookup.Lookup{}, answers).Compared[0].Days).To(Equal(map[schemas.Version]string{
			schemas.V5: "2026-02-28", schemas.V6: "2026-03-01"}))
		Expect(read(newReader(), a, b).Compared[0].Days).To(BeNil())
	})

	It("note to whom a GUID was served", func() {
		r := newReader(func(r *lookup.Reader) { r.Owners = &check.Owners{} })
		read(r, a)
		Expect(r.Owners.Own(exchange.User{UserID: "alice"})).To(HaveKey(guid))
	})

	It("are compared also if their values were freed, as they are long", func() {
		long := strings.Repeat(" ", 20<<10)
		Expect(read(newReader(), a+long, b+long).Compared[0].Differences).To(
			HaveExactElements(HaveField("Pointer", "/Flags")))
	})

	It("keep the values of short answers until they are done, and none of others", func() {
		large := `{"UserId":"alice","Flags":1,"ModeType":2,"Description":"` + strings.Repeat("x", 20<<10) + `"}`
		l := read(newReader(), a, large)
		Expect(l.Calls[0].Answer.Value).NotTo(BeNil())
		Expect(l.Calls[1].Answer.Value).To(BeNil())
		l.Release()
		Expect(l.Calls[0].Answer.Value).To(BeNil())
	})

	It("keep little of a large body once they are done", func() {
		large := `{"UserId":"alice","Flags":1,"ModeType":2,"Description":" ` + strings.Repeat("é", 20<<10) + `"}`
		binary := strings.Repeat("\xff", 20<<10)
		l := read(newReader(), large, a, binary)
		l.Release()
		ex := l.Calls[0].Answer.Exchange
		Expect(len(ex.Body)).To(BeNumerically("<=", 16<<10))
		Expect(bytes.HasPrefix([]byte(large), ex.Body)).To(BeTrue())
		Expect(utf8.Valid(ex.Body)).To(BeTrue(), "no half of a character")
		Expect(ex.Length()).To(Equal(len(large)))
		Expect(ex.Withheld).To(BeNil())
		Expect(string(l.Calls[1].Answer.Exchange.Body)).To(Equal(a))
		Expect(l.Calls[2].Answer.Exchange.Withheld.Digest).To(Equal(exchange.DigestOf([]byte(binary))))
	})
})

var _ = It("Two answers of a pair differ by a rule: served against refused", func() {
	r := newReader()
	l := read(r, a, `{}`, a)
	found := r.Differences(r.Rule, r.Pairs[0], l.Calls[0], l.Calls[1])
	Expect(found).To(HaveExactElements(HaveField("Kind", parity.Served)))
})
