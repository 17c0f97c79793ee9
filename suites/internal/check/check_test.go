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
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestCheck(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "check")
}

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
			User: settings.User{ID: guid, UserID: "alice", Enrolled: true},
		},
		Status: status, Header: http.Header{}, Body: []byte(body), Duration: 1234567 * time.Nanosecond,
	}
}

// withHeaders is an empty list with these headers, names and values in turn.
func withHeaders(headers ...string) *exchange.Exchange {
	ex := answerTo(schemas.FindByUserIDs, 200, `[]`)
	for i := 0; i < len(headers); i += 2 {
		ex.Header.Set(headers[i], headers[i+1])
	}
	return ex
}

// notAnswered is a request that was not answered.
func notAnswered() *exchange.Exchange {
	ex := answerTo(schemas.FindByUserIDs, 0, "")
	ex.Fault = &exchange.Fault{Kind: exchange.Timeout}
	return ex
}

// ofNobody is what came for a user without an authenticator.
func ofNobody(ex *exchange.Exchange) *exchange.Exchange {
	ex.Probe.User.Enrolled = false
	return ex
}

// withheldAnswer is an answer whose body must not be kept.
func withheldAnswer(ex *exchange.Exchange) *exchange.Exchange {
	ex.Withheld = &exchange.Withheld{Rule: "utf-8"}
	return ex
}

// badToken is what came for a request with a random token.
func badToken(status int, body string) *exchange.Exchange {
	ex := answerTo(schemas.GetUserAuth, status, body)
	ex.Probe.Kind = exchange.RandomToken
	return ex
}

// withoutID is what came for a request without an Id.
func withoutID(status int, body string) *exchange.Exchange {
	ex := answerTo(schemas.GetUserAuth, status, body)
	ex.Probe.Kind, ex.Probe.Field = exchange.Absent, "Id"
	return ex
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

var _ = DescribeTable("IsServed", func(status int, body string, enrolled bool, witnesses int, kinds []string) {
	ex := answerTo(schemas.GetUserAuth, status, body)
	ex.Probe.User.Enrolled = enrolled
	Expect(check.IsServed(contract().Read(ex))).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("served"),
)

var _ = DescribeTable("Member", func(body string, witnesses int, kinds []string) {
	recordUserID, _ := objectsOf(recordAnswer(body))
	Expect(check.Member("Flags", check.MatchesSchema)(recordUserID)).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("member"),
)

var _ = DescribeTable("Member of a device", func(body string, witnesses int, kinds []string) {
	_, device := objectsOf(recordAnswer(body))
	Expect(check.Member("Id", check.MatchesSchema)(device)).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("device"),
)

var _ = DescribeTable("EqualsTheOneAsked", func(recordUserID string, witnesses int, kinds []string) {
	object, _ := objectsOf(recordAnswer(`{"UserId":` + recordUserID + `}`))
	Expect(check.Member("UserId", check.EqualsTheOneAsked)(object)).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("asked"),
)

var _ = DescribeTable("EachMatchesSchema", func(body string, witnesses int, kinds []string) {
	Expect(check.EachMatchesSchema(listAnswer(body))).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("elements"),
)

var _ = DescribeTable("DisclosesNothing", func(status int, body string, witnesses int, kinds []string) {
	ex := answerTo(schemas.GetUserAuth, status, body)
	ex.Probe.Kind, ex.Probe.Field = exchange.Null, "Id"
	Expect(check.DisclosesNothing(contract().ReadRefusal(ex))).To(outcomeOf(witnesses, kinds...))
},
	testkit.Entries("discloses"),
)

var pair = schemas.Pair{From: schemas.V5, To: schemas.V6}

var _ = Describe("A comparison", func() {
	probe := func(id string, v schemas.Version) exchange.Probe { return exchange.Probe{ID: id, Version: v} }
	comparison := func(c parity.Conclusion, shapeOnly bool) *check.Comparison {
		return &check.Comparison{
			Conclusion: c, Pair: pair, ShapeOnly: shapeOnly,
			First: map[schemas.Version]exchange.Probe{schemas.V5: probe("e1", schemas.V5),
				schemas.V6: probe("e2", schemas.V6)},
			Last: map[schemas.Version]exchange.Probe{schemas.V5: probe("e3", schemas.V5),
				schemas.V6: probe("e4", schemas.V6)},
		}
	}
	differing := parity.Conclusion{
		Comparable: true, Valued: true,
		Differences: []parity.Difference{{Kind: parity.MemberAdded, Pointer: "/a", Left: parity.Absent{}, Right: "x"},
			{Kind: parity.Value, Pointer: "/b", Left: "1", Right: "2"}},
		Unstable: []parity.UnstablePath{{To: true,
			Difference: parity.Difference{Pointer: "/c", Left: "1", Right: "2"}}},
	}

	It("is judged by shape and by value, each by its own differences", func() {
		c := comparison(differing, false)
		Expect(check.HaveTheSameShape.Judge(c)).To(outcomeOf(0, "member added /a"))
		Expect(check.HaveTheSameValues.Judge(c)).To(outcomeOf(0, "value /b", "volatile in one version /c"))
	})
	It("has what changes in one version only in the shape if values are not compared", func() {
		Expect(check.HaveTheSameShape.Judge(comparison(differing, true))).To(
			outcomeOf(0, "member added /a", "volatile in one version /c"))
	})
	It("passes if something was compared and nothing differs", func() {
		Expect(check.HaveTheSameShape.Judge(comparison(parity.Conclusion{Comparable: true}, false))).To(outcomeOf(1))
		Expect(check.HaveTheSameValues.Judge(comparison(parity.Conclusion{Comparable: true}, false))).To(outcomeOf(0))
		Expect(check.HaveTheSameValues.Judge(comparison(parity.Conclusion{Comparable: true, Valued: true}, false))).To(
			outcomeOf(1))
	})
	It("names the last calls, and for what keeps changing the first one", func() {
		list := comparison(differing, false).Differing()
		Expect(list[0].Probe.ID + " " + list[0].Against.ID).To(Equal("e4 e3"))
		Expect(list[0].Expected).To(Equal(check.Shown{Version: schemas.V5, Exchange: "e3", Value: parity.Absent{}}))
		Expect(list[0].Actual).To(Equal(check.Shown{Version: schemas.V6, Exchange: "e4", Value: "x"}))
		Expect(list[2].Probe.ID + " " + list[2].Against.ID).To(Equal("e4 e2"))
		Expect(list[2].Actual).To(Equal(check.Changing{Version: schemas.V6, From: "1", Then: "2"}))
	})
	It("names the calls of v5 for what keeps changing there", func() {
		c := comparison(parity.Conclusion{Unstable: []parity.UnstablePath{{Difference: parity.Difference{Pointer: "/c"}}}},
			false)
		Expect(c.Differing()[0].Probe.ID + " " + c.Differing()[0].Against.ID).To(Equal("e3 e1"))
	})
	It("of an open point passes if both versions agree", func() {
		behavior := map[schemas.Version]*check.Observed{schemas.V5: {}, schemas.V6: {}}
		Expect(check.AgreesInBoth("an open point", pair, behavior, true)).To(outcomeOf(1))
		Expect(check.AgreesInBoth("an open point", pair, behavior, false)).To(outcomeOf(0, "an open point "))
	})
})

var _ = DescribeTable("An observation of an answer",
	func(observe func(*check.Answer) []any, ex *exchange.Exchange, want ...string) {
		a := contract().Read(ex)
		if !ex.Probe.WellFormed() {
			a = contract().ReadRefusal(ex)
		}
		seen := []string{}
		for _, one := range observe(a) {
			seen = append(seen, check.Text(one, check.AsSent{}))
		}
		Expect(seen).To(Equal(append([]string{}, want...)))
	},
	Entry("its status", check.StatusCode, answerTo(schemas.FindByUserIDs, 203, `[]`), "203"),
	Entry("no status of a refusal", check.StatusCode, answerTo(schemas.FindByUserIDs, 400, `[]`)),
	Entry("the headers that tell a limit of rates, by name", check.RateLimitHeaders,
		withHeaders("X-Rate-Limit", "5", "Ratelimit", "5",
			"X-Ratelimit-Limit", "5", "Retry-After", "1", "X-Other", "5"), "Ratelimit", "Retry-After", "X-Rate-Limit",
		"X-Ratelimit-Limit"),
	Entry("the headers that tell an end", check.DeprecationHeaders,
		withHeaders("Sunset", "Sat", "Deprecation", "@1", "X-Other", "5"),
		"Deprecation: @1", "Sunset: Sat"),
	Entry("no duration of what brought no answer", check.Latency, notAnswered()),
	Entry("a content type with parameters, in one spelling", check.MediaType,
		withHeaders("Content-Type", "Application/JSON;  Charset=UTF-8"), "application/json; charset=utf-8"),
	Entry("a content type that can't be read", check.MediaType, withHeaders("Content-Type", "a/b;;"), "a/b;;"),
	Entry("an empty content type", check.MediaType, withHeaders("Content-Type", " "), "an empty content type"),
	Entry("no content type for somebody who is not enrolled", check.MediaType,
		ofNobody(answerTo(schemas.FindByUserIDs, 200, `[]`))),
	Entry("no content type", check.MediaType, answerTo(schemas.FindByUserIDs, 200, `[]`), "no content type"),
	Entry("one record", check.Cardinality, answerTo(schemas.GetUserAuth, 200, `{"Id":null}`), "one record"),
	Entry("an array of records", check.Cardinality, answerTo(schemas.GetUserAuth, 200, `[{"Id":null}]`),
		"an array of records"),
	Entry("no record", check.Cardinality, answerTo(schemas.GetUserAuth, 200, `[]`)),
	Entry("its size", check.Size, answerTo(schemas.FindByUserIDs, 200, `[ ]`), "3"),
	Entry("its duration, to a tenth of a millisecond", check.Latency, answerTo(schemas.FindByUserIDs, 200, `[]`),
		"1.2ms"),
	Entry("nothing for somebody who is enrolled", check.EmptyResult, answerTo(schemas.FindByUserIDs, 200, `[]`)),
	Entry("how it refused", check.HowRefused, withoutID(400, `{}`), "Id: 400, no content type, {}"),
	Entry("how it refused, with what must not be kept", check.HowRefused, withheldAnswer(withoutID(403, `{}`)),
		"Id: 403, no content type, no JSON"),
	Entry("how it refused a bad token", check.HowRefused, badToken(401, `{}`),
		"random token: 401, no content type, {}"),
	Entry("how it refused, in no JSON", check.HowRefused, withoutID(403, `{} no`), "Id: 403, no content type, no JSON"),
	Entry("a record in the place of a refusal", check.HowRefused,
		withoutID(200, `{"Flags":1,"ModeType":2,"IsLocked":true}`), "Id: 200, no content type, a record"),
)

var _ = DescribeTable("A summary", func(summary check.Summary, count map[any]int, want string) {
	observed := check.Observed{Count: count, Summary: summary}
	Expect(strings.Join(observed.Parts(check.AsSent{}, 3), "; ")).To(Equal(want))
},
	Entry("a list", check.List("nothing"), map[any]int{"b": 1, "a": 2}, "a; b"),
	Entry("a long list", check.List("nothing"), map[any]int{"d": 1, "c": 1, "b": 1, "a": 2}, "a; b; c; and 1 more"),
	Entry("an empty list", check.List("nothing"), map[any]int{}, "nothing"),
	Entry("a range", check.Range, map[any]int{json.Number("10"): 1, json.Number("9"): 1}, "9 to 10: 9; 10"),
	Entry("one number", check.Range, map[any]int{json.Number("10"): 5}, "10"),
	Entry("no number", check.Range, map[any]int{}, "none"),
	Entry("the largest", check.Largest, map[any]int{10: 1, 9: 1}, "largest answer 10 bytes"),
	Entry("as many as are shown", check.List("nothing"), map[any]int{"c": 1, "b": 1, "a": 2}, "a; b; c"),
	Entry("no duration", check.Percentiles, map[any]int{}, "none"),
	Entry("no size", check.Largest, map[any]int{}, "no answer"),
	Entry("percentiles", check.Percentiles, map[any]int{time.Millisecond: 99, 3 * time.Millisecond: 1},
		"median 1.0 ms, 95% within 1.0 ms, slowest 3.0 ms"),
	Entry("presence", check.PresenceCounts, map[any]int{check.Presence{Member: "Id", State: "present"}: 2,
		check.Presence{Member: "Id", State: "null"}: 1, check.Presence{Member: "Flags", State: "present"}: 3},
		"Id present 2, null 1, absent 0"),
	Entry("nothing missing", check.PresenceCounts, map[any]int{check.Presence{Member: "Id", State: "present"}: 2},
		"every field present in every record, none null"),
)

var _ = Describe("What answers show together", func() {
	answer := func(v schemas.Version, body string) *check.Answer {
		ex := answerTo(schemas.FindByUserIDs, 200, body)
		ex.Probe.Version = v
		return contract().Read(ex)
	}
	const ab, ba = `["` + guid + `","` + other + `"]`, `["` + other + `","` + guid + `"]`

	It("is whether a list keeps its order", func() {
		Expect(check.ListOrder([]schemas.Pair{pair}, []*check.Answer{answer(schemas.V5, ab), answer(schemas.V6, ba),
			answer(schemas.V5, ab),
			answer(schemas.V6, ba)})).To(
			Equal(map[schemas.Version]string{schemas.V5: "the same at each call",
				schemas.V6: "the same at each call, another than v5's"}))
		Expect(check.ListOrder([]schemas.Pair{pair}, []*check.Answer{answer(schemas.V5, ab), answer(schemas.V5, ba),
			answer(schemas.V6, `[]`)})).To(
			Equal(map[schemas.Version]string{schemas.V5: "changes between identical calls"}))
	})
	It("is whether a list keeps its order: records by their Id too, if they are the same ones", func() {
		records := func(v schemas.Version, body string) *check.Answer {
			ex := answerTo(schemas.GetUserAuth, 200, body)
			ex.Probe.Version = v
			return contract().Read(ex)
		}
		order := func(answers ...*check.Answer) map[schemas.Version]string {
			return check.ListOrder([]schemas.Pair{pair}, answers)
		}
		const rab, rba = `[{"Id":"a"},{"Id":"B"}]`, `[{"Id":"b"},{"Id":"A"}]`
		Expect(order(records(schemas.V5, rab), records(schemas.V5, rba))).To(
			Equal(map[schemas.Version]string{schemas.V5: "changes between identical calls"}))
		Expect(order(records(schemas.V5, `[{"Id":"a"},{"Id":"b"}]`), records(schemas.V5, rab))).To(
			Equal(map[schemas.Version]string{schemas.V5: "the same at each call"}), "case does not count")
		Expect(order(records(schemas.V5, `{"Id":"a"}`))).To(BeEmpty(), "one record has no order")
		Expect(order(records(schemas.V5, rab), records(schemas.V5, `[{"Id":"a"},{"Id":"c"}]`))).To(
			Equal(map[schemas.Version]string{schemas.V5: "the same at each call"}), "other records are not another order")
		Expect(order(answer(schemas.V5, ab), answer(schemas.V5, ba), answer(schemas.V6, ab),
			answer(schemas.V6, ab))).To(
			Equal(map[schemas.Version]string{schemas.V5: "changes between identical calls",
				schemas.V6: "the same at each call"}))
		Expect(order(answer(schemas.V5, ab), answer(schemas.V5, ba), answer(schemas.V6, ba))[schemas.V6]).To(
			Equal("the same at each call"), "what changes can't be compared")
		Expect(order(answer(schemas.V5, ab), answer(schemas.V6, ba), answer(schemas.V6, ab))[schemas.V6]).To(
			Equal("changes between identical calls"))
		Expect(check.ListOrder([]schemas.Pair{pair, {From: schemas.V6, To: "v7"}},
			[]*check.Answer{answer(schemas.V5, ab),
				answer(schemas.V6, ba)})[schemas.V5]).To(Equal("the same at each call"), "v5 is compared with no later version")
		Expect(order(answer(schemas.V5, ab), answer(schemas.V6, ab))).To(HaveEach("the same at each call"))
		Expect(order(answer(schemas.V5, ab), answer(schemas.V6, `["`+guid+`","x"]`))[schemas.V6]).To(
			Equal("the same at each call"), "another list is not another order")
	})
	It("is whether a record is in the list", func() {
		Expect(check.IdentifierOverlap([]string{guid, "x", ""}, answer(schemas.V5, ab))).To(
			Equal([]any{"stands in the list", "does not stand in the list"}))
		Expect(check.IdentifierOverlap([]string{guid}, answer(schemas.V5, `[]`))).To(BeEmpty())
	})
})
