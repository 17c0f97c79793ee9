package check_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/testkit"
)

func TestCheck(t *testing.T) { testkit.Specs(t, "check") }

const (
	guid  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	other = "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a"
)

var contract = sync.OnceValue(func() *check.Reader {
	return check.NewReader(&testkit.Contract().Shapes)
})

// answerTo is what came for a request of alice's.
func answerTo(op schemas.Operation, status int, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Probe: exchange.Probe{
			ID: "e1", Operation: op, Version: schemas.V5, Round: 1,
			User: exchange.User{ID: guid, UserID: "alice", Enrolled: true},
		},
		Status: status, Header: http.Header{}, Body: []byte(body), Duration: 1234567 * time.Nanosecond,
	}
}

func recordAnswer(body string) *check.Answer {
	return contract().Read(answerTo(schemas.GetUserAuth, 200, body))
}
func listAnswer(body string) *check.Answer {
	return contract().Read(answerTo(schemas.FindByUserIDs, 200, body))
}

// objectsOf are the first record of an answer and its device.
func objectsOf(a *check.Answer) (record, device *check.Object) {
	a.Objects(func(r, d *check.Object) {
		if record == nil {
			record, device = r, d
		}
	})
	return record, device
}

// outcomeOf matches an outcome with so many witnesses, and findings of these kinds and notes.
func outcomeOf(witnesses int, kinds ...string) types.GomegaMatcher {
	return SatisfyAll(HaveField("Witnesses", witnesses), WithTransform(func(o check.Outcome) []string {
		Expect(o.Count).To(Equal(len(o.Findings)))
		list := []string{}
		for _, f := range o.Findings {
			list = append(list, f.Kind+" "+f.Pointer)
		}
		for _, note := range o.Notes {
			list = append(list, fmt.Sprintf("%#v", note))
		}
		return list
	}, ConsistOf(kinds)))
}

var _ = DescribeTable("Whether a request was served is judged rightly for the answer",
	func(status int, body string, enrolled bool, witnesses int, kinds []string) {
		ex := answerTo(schemas.GetUserAuth, status, body)
		ex.Probe.User.Enrolled = enrolled
		Expect(check.IsServed(contract().Read(ex), nil)).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("served"),
)

var _ = DescribeTable("A user who was served at another call, and here got",
	func(status int, body string, unsteady, found int) {
		other := contract().Read(answerTo(schemas.GetUserAuth, 200, `{"Flags":1,"ModeType":2,"IsLocked":false}`))
		here := contract().Read(answerTo(schemas.GetUserAuth, status, body))
		out := check.IsServed(here, []*check.Answer{other, here})
		Expect([]int{out.Unsteady, out.Count}).To(Equal([]int{unsteady, found}))
		if unsteady > 0 {
			Expect(out.Notes).To(HaveExactElements(check.RefusedOnce{User: here.Exchange.Probe.User, Status: status}))
		}
		Expect(check.IsServed(here, []*check.Answer{here, here}).Unsteady).To(BeZero(), "refused at every call")
	},
	Entry("404, was refused now and then", 404, "", 1, 0),
	Entry("an error in JSON with 200, was refused now and then", 200, `{"error":"no"}`, 1, 0),
	Entry("500: a finding", 500, "", 0, 1),
	Entry("what can't be read: a finding", 200, `{"Flags":`, 0, 1),
)

var _ = DescribeTable("Whether a member has its type and form is judged rightly where it is",
	func(body string, witnesses int, kinds []string) {
		recordUserID, _ := objectsOf(recordAnswer(body))
		Expect(check.Member("Flags", check.MatchesSchema)(recordUserID)).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("member"),
)

var _ = DescribeTable("Whether a member of a device has its type and form is judged rightly where it is",
	func(body string, witnesses int, kinds []string) {
		_, device := objectsOf(recordAnswer(body))
		Expect(check.Member("Id", check.MatchesSchema)(device)).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("device"),
)

var _ = DescribeTable("Whether a record is of the user who was asked for is judged rightly where its UserId is",
	func(recordUserID string, witnesses int, kinds []string) {
		object, _ := objectsOf(recordAnswer(`{"UserId":` + recordUserID + `}`))
		Expect(check.Member("UserId", check.EqualsTheOneAsked)(object)).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("asked"),
)

var _ = DescribeTable("Whether the elements of a list are GUIDs is judged rightly for",
	func(body string, witnesses int, kinds []string) {
		Expect(check.EachMatchesSchema(listAnswer(body))).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("elements"),
)

var _ = DescribeTable("Whether a refusal discloses something is judged rightly for",
	func(status int, body string, witnesses int, kinds []string) {
		ex := answerTo(schemas.GetUserAuth, status, body)
		ex.Probe.Kind, ex.Probe.Field = exchange.Null, "Id"
		ex.Control = &exchange.Control{Served: true, Answer: answerTo(schemas.GetUserAuth, 200, `{"Flags":1}`)}
		Expect(check.DisclosesNothing(contract().ReadRefusal(ex))).To(outcomeOf(witnesses, kinds...))
	},
	testkit.Entries("discloses"),
)

var _ = Describe("A refusal beside a control that was not served (J23)", func() {
	p := exchange.Probe{ID: "c7"}
	for name, c := range map[string]struct {
		control *exchange.Control
		note    check.Uncontrolled
	}{
		"that is not known": {nil, check.Uncontrolled{}},
		"that was refused": {&exchange.Control{Answer: &exchange.Exchange{Probe: p, Status: 403,
			Header: http.Header{"Retry-After": {"9"}}}},
			check.Uncontrolled{Control: "c7", Status: 403, Line: "Retry-After: 9"}},
		"that got no answer": {&exchange.Control{Answer: &exchange.Exchange{Probe: p,
			Fault: &exchange.Fault{Plain: "EOF"}}}, check.Uncontrolled{Control: "c7", Why: "EOF"}},
	} {
		It("is no witness, and a disclosure is a finding all the same: a control "+name, func() {
			ex := answerTo(schemas.GetUserAuth, 404, "")
			ex.Probe.Kind, ex.Probe.Field, ex.Control = exchange.Null, "Id", c.control
			refused := check.DisclosesNothing(contract().ReadRefusal(ex))
			Expect([]int{refused.Witnesses, refused.Count, refused.Uncontrolled}).To(Equal([]int{0, 0, 1}))
			Expect(refused.Notes).To(HaveExactElements(c.note))
			ex.Body = []byte(`["5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b001"]`)
			served := check.DisclosesNothing(contract().ReadRefusal(ex))
			Expect([]int{served.Witnesses, served.Count, served.Uncontrolled}).To(Equal([]int{0, 1, 0}))
		})
	}
})

var pair = schemas.Pair{From: schemas.V5, To: schemas.V6}

var _ = Describe("A comparison", func() {
	probe := func(id string, v schemas.Version) exchange.Probe { return exchange.Probe{ID: id, Version: v} }
	comparison := func(c parity.Conclusion) *check.Comparison {
		return &check.Comparison{
			Conclusion: c, Pair: pair,
			First: map[schemas.Version]exchange.Probe{"v5": probe("e1", schemas.V5), "v6": probe("e2", schemas.V6)},
			Last:  map[schemas.Version]exchange.Probe{"v5": probe("e3", schemas.V5), "v6": probe("e4", schemas.V6)},
		}
	}
	differing := comparison(parity.Conclusion{
		Comparable: true, Valued: true,
		Differences: []parity.Difference{{Kind: parity.MemberAdded, Pointer: "/a", Left: parity.Absent{}, Right: "x"},
			{Kind: parity.Value, Pointer: "/b", Left: "1", Right: "2"}},
	})

	It("is judged by shape and by value, each by its own differences", func() {
		Expect(differing.Judge(check.HaveTheSameShape)).To(outcomeOf(0, "member added /a"))
		Expect(differing.Judge(check.HaveTheSameValues)).To(outcomeOf(0, "value /b"))
	})
	It("passes if something was compared and nothing differs", func() {
		shape, value := check.HaveTheSameShape, check.HaveTheSameValues
		Expect(comparison(parity.Conclusion{Comparable: true}).Judge(shape)).To(outcomeOf(1))
		Expect(comparison(parity.Conclusion{Comparable: true}).Judge(value)).To(outcomeOf(0))
		Expect(comparison(parity.Conclusion{Comparable: true, Valued: true}).Judge(value)).To(outcomeOf(1))
	})
	It("names the last calls", func() {
		f := differing.FindingOf(differing.Differences[0])
		Expect(f.Probe.ID + " " + f.Against.ID).To(Equal("e4 e3"))
		Expect(f.Expected).To(Equal(check.Shown{Version: schemas.V5, Exchange: "e3", Value: parity.Absent{}}))
		Expect(f.Actual).To(Equal(check.Shown{Version: schemas.V6, Exchange: "e4", Value: "x"}))
	})
	DescribeTable("says of two texts how they differ if they look alike", func(d parity.Difference, off string) {
		c := comparison(parity.Conclusion{})
		Expect(c.FindingOf(d).Off).To(Equal(off))
	},
		Entry("two values", parity.Difference{Kind: parity.Value, Left: "tail ", Right: "tail"},
			"the same but for white space at an end"),
		Entry("not two numbers", parity.Difference{Kind: parity.Value, Left: json.Number("1"),
			Right: json.Number("2")}, ""),
		Entry("not a text that is missing", parity.Difference{Kind: parity.MemberMissing, Left: " ",
			Right: parity.Absent{}}, ""),
	)
	DescribeTable("has what came instead of an answer that served", func(d parity.Difference, left, right any) {
		c := comparison(parity.Conclusion{})
		c.Unserved = map[schemas.Version]check.Finding{schemas.V6: {Kind: "status", Actual: check.Status{Code: 404}}}
		f := c.FindingOf(d)
		Expect([]any{f.Expected.(check.Shown).Value, f.Actual.(check.Shown).Value}).To(Equal([]any{left, right}))
	},
		Entry("of the version that refused", parity.Difference{Kind: parity.Served, Left: "x", Right: parity.Absent{}},
			"x", check.Unserved{Finding: check.Finding{Kind: "status", Actual: check.Status{Code: 404}}}),
		Entry("not if that is not known", parity.Difference{Kind: parity.Served, Left: parity.Absent{}, Right: "x"},
			parity.Absent{}, "x"),
		Entry("not of a member that is missing", parity.Difference{Kind: parity.MemberMissing, Left: "x",
			Right: parity.Absent{}}, "x", parity.Absent{}),
	)
	It("is undecided at a place that is unsteady, with for how many users it is in each version", func() {
		out := check.IsUndecided(pair, "/Flags", map[schemas.Version]int{schemas.V5: 1, schemas.V6: 4})
		Expect(out).To(Equal(check.Outcome{Unsteady: 5, Notes: []any{check.Undecided{Pair: pair, Place: "/Flags",
			From: 1, To: 4}}}))
	})
	It("names the first and the last call of the version that changes, with the users of both", func() {
		f := differing.Changed(parity.Change{To: true, Pointer: "/c", Was: "1", Then: "2"})
		Expect(f.Probe.ID + " " + f.Against.ID + " " + f.Kind + " " + f.Pointer).To(Equal(
			"e4 e2 unsteady in one version /c"))
		Expect(f.Actual).To(Equal(check.Changing{Version: schemas.V6, From: "1", Then: "2"}))
		Expect(f.Expected).To(Equal(check.Stable{}))
		f = differing.Changed(parity.Change{From: true})
		Expect(f.Probe.ID + " " + f.Against.ID).To(Equal("e3 e1"))
		var found check.Outcome
		found.Find(f)
		users := map[schemas.Version]int{schemas.V5: 3, schemas.V6: 0}
		Expect(found.WithUsers(users).Findings[0].Actual).To(HaveField("Users", users))
		Expect(found.Findings[0].Actual).To(HaveField("Users", BeNil()), "the outcome before is left as it is")
	})
	It("of an open point passes if both versions agree", func() {
		behavior := map[schemas.Version]*check.Observed{schemas.V5: {Shows: "names"}, schemas.V6: {Shows: "values"}}
		Expect(check.AgreesInBoth("an open point", pair, behavior, true)).To(outcomeOf(1))
		differ := check.AgreesInBoth("an open point", pair, behavior, false)
		Expect(differ).To(outcomeOf(0, "an open point "))
		Expect(differ.Findings[0].Expected).To(Equal(check.SameInBoth{ID: "an open point", Pair: pair,
			From: check.Behavior{Observed: behavior[schemas.V5]}}))
		Expect(differ.Findings[0].Actual).To(Equal(check.Behavior{Observed: behavior[schemas.V6]}))
	})
	It("of an open point is undecided if the target refused everybody meanwhile", func() {
		Expect(check.MayBeOfFront("an open point")).To(Equal(check.Outcome{Uncontrolled: 1,
			Notes: []any{check.DiffersInOutage{ID: "an open point"}}}))
	})
})

var observers = map[string]func(*check.Answer) []any{
	"authentication": check.AuthenticationHeaders,
	"status":         check.StatusCode, "limits": check.RateLimitHeaders, "end": check.DeprecationHeaders,
	"duration": check.Latency, "media type": check.MediaType, "records": check.Cardinality, "size": check.Size,
	"empty result": check.EmptyResult, "refusal": check.HowRefused,
}

var _ = DescribeTable("An observation of an answer shows",
	func(observer, request string, status int, headers []string, body string, want []string) {
		ex := answerTo(schemas.GetUserAuth, status, body)
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			ex.Header.Add(name, value)
		}
		switch request {
		case "for a list":
			ex.Probe.Operation = schemas.FindByUserIDs
		case "for a list of nobody":
			ex.Probe.Operation, ex.Probe.User.Enrolled = schemas.FindByUserIDs, false
		case "with a random token":
			ex.Probe.Kind = exchange.RandomToken
		case "without an Id":
			ex.Probe.Kind, ex.Probe.Field = exchange.Absent, "Id"
		}
		if status == 0 {
			ex.Fault = &exchange.Fault{Kind: exchange.Timeout}
		}
		a := contract().Read(ex)
		if !ex.Probe.WellFormed() {
			a = contract().ReadRefusal(ex)
		}
		seen := []string{}
		for _, one := range observers[observer](a) {
			seen = append(seen, check.Text(one, check.AsSent{}))
		}
		Expect(seen).To(Equal(append([]string{}, want...)))
	},
	testkit.Entries("observed"),
)

var _ = DescribeTable("A summary of observations is right for", func(summary check.Summary,
	count map[any]int, want string) {
	observed := check.Observed{Count: count, Summary: summary}
	Expect(strings.Join(observed.Parts(check.AsSent{}, 3), "; ")).To(Equal(want))
},
	Entry("a list", check.List("nothing"), map[any]int{"b": 1, "a": 2}, "a; b"),
	Entry("a long list", check.List("nothing"), map[any]int{"d": 1, "c": 1, "b": 1, "a": 2}, "a; b; c; and 1 more"),
	Entry("an empty list", check.List("nothing"), map[any]int{}, "nothing"),
	Entry("a range", check.Range, map[any]int{json.Number("10"): 1, json.Number("9"): 1}, "9 to 10: 9; 10"),
	Entry("one number", check.Range, map[any]int{json.Number("10"): 5}, "10"),
	Entry("a number beside what is none", check.Range, map[any]int{json.Number("10"): 5, "x": 1}, "10"),
	Entry("no number", check.Range, map[any]int{}, "none"),
	Entry("the largest", check.Largest, map[any]int{10: 1, 9: 1}, "largest answer 10 bytes"),
	Entry("as many as are shown", check.List("nothing"), map[any]int{"c": 1, "b": 1, "a": 2}, "a; b; c"),
	Entry("no duration", check.Percentiles, map[any]int{}, "none"),
	Entry("one duration", check.Percentiles, map[any]int{time.Millisecond: 1},
		"median 1.0 ms, 95% within 1.0 ms, slowest 1.0 ms"),
	Entry("what is no duration", check.Percentiles, map[any]int{"x": 1}, "none"),
	Entry("no size", check.Largest, map[any]int{}, "no answer"),
	Entry("percentiles", check.Percentiles, map[any]int{time.Millisecond: 99, 3 * time.Millisecond: 1},
		"median 1.0 ms, 95% within 1.0 ms, slowest 3.0 ms"),
	Entry("presence", check.PresenceCounts, map[any]int{check.Presence{Member: "Id", State: "present"}: 2,
		check.Presence{Member: "Id", State: "null"}: 1, check.Presence{Member: "Flags", State: "present"}: 3},
		"Id present 2, null 1, absent 0"),
	Entry("presence, as often null as absent", check.PresenceCounts,
		map[any]int{check.Presence{Member: "Id", State: "absent"}: 1, check.Presence{Member: "Id", State: "null"}: 1},
		"Id present 0, null 1, absent 1"),
	Entry("nothing missing", check.PresenceCounts, map[any]int{check.Presence{Member: "Id", State: "present"}: 2},
		"every field present in every record, none null"),
)

var _ = Describe("What answers show together", func() {
	DescribeTable("is whether a list keeps its order", func(answers, want []string) {
		var read []*check.Answer
		for _, answer := range answers {
			version, body, _ := strings.Cut(answer, " ")
			ex := answerTo(schemas.FindByUserIDs, 200, body)
			if strings.Contains(body, "{") {
				ex.Probe.Operation = schemas.GetUserAuth
			}
			ex.Probe.Version = schemas.Version(version)
			read = append(read, contract().Read(ex))
		}
		for range 2 {
			seen := []string{}
			for version, order := range check.ListOrder([]schemas.Pair{pair, {From: schemas.V6, To: "v7"}}, read) {
				seen = append(seen, string(version)+": "+order)
			}
			Expect(seen).To(ConsistOf(want))
			for _, a := range read { // once more, without the decoded values
				a.Drop()
			}
		}
	},
		testkit.Entries("order"),
	)

	It("is whether a record is in the list", func() {
		Expect(check.IdentifierOverlap([]string{guid, "x", ""}, listAnswer(`["`+guid+`","`+other+`"]`))).To(
			Equal([]any{"stands in the list", "does not stand in the list"}))
		Expect(check.IdentifierOverlap([]string{guid}, listAnswer(`[]`))).To(BeEmpty())
		for elements, kept := range map[int]int{100_000: 1, 100_001: 0} {
			many := listAnswer("[" + strings.Repeat(`"x",`, elements-1) + `"x"]`)
			many.Drop()
			Expect(check.IdentifierOverlap([]string{"x"}, many)).To(HaveLen(kept), "%d names", elements)
		}
	})
})
